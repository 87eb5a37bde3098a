// Two zeros of an event function close to each other, wherever they lie between its samples.
#include <cmath>

#include <gtest/gtest.h>

#include "daedalus/daedalus.h"
#include "exact_problems.h"

namespace daedalus {
namespace {

int crossings_in_one_step(const Event& event) {
  Problem p = exact::oscillator().problem;
  p.t_span.end = 1;
  return static_cast<int>(solve(p, {.fixed_step = 1.0, .events = {event}}).events.size());
}

TEST(Dips, AreFoundWhereverTheyLie) {
  constexpr double half_width = 1e-4;
  for (int k = 0; k < 500; ++k) {
    const double centre = 0.05 + 0.9 * k / 499.0;
    const auto of = [centre](auto shape) {
      return Event{.value = [=](double t, Input) { return shape(t - centre); }};
    };
    const auto parabola = [](double x) { return x * x - half_width * half_width; };
    const auto kink = [](double x) { return std::abs(x) - half_width; };
    const auto cusp = [](double x) { return std::sqrt(std::abs(x)) - std::sqrt(half_width); };
    EXPECT_EQ(crossings_in_one_step(of(parabola)), 2) << centre;
    EXPECT_EQ(crossings_in_one_step(of([&](double x) { return parabola(x) + 1e-4; })), 0) << centre;
    EXPECT_EQ(crossings_in_one_step(of(kink)), 2) << centre;
    // Farther from a sample it falls too late to be taken for a dip.
    if (std::abs(std::remainder(16 * centre, 1.0)) > 0.05) continue;
    EXPECT_EQ(crossings_in_one_step(of(cusp)), 2) << centre;
  }
}

}  // namespace
}  // namespace daedalus
