// Events: a ball that bounces, and stops when it has bounced five times.
#include <cmath>
#include <daedalus/daedalus.h>
#include <iostream>

int main() {
  int bounces = 0;
  daedalus::Options options;
  options.rtol = 1e-9;
  options.events = {{.name = "ground",
                     .value = [](double, daedalus::Input y) { return y[0]; },
                     .direction = daedalus::Direction::falling,
                     .reset =
                         [&](double, daedalus::Output y) {
                           y[1] *= -0.8;
                           ++bounces;
                         }},
                    {.name = "top after five bounces",
                     .value = [&](double, daedalus::Input y) { return bounces < 5 ? 1.0 : y[1]; },
                     .direction = daedalus::Direction::falling,
                     .terminal = true}};
  const daedalus::Problem ball = {
      .form =
          daedalus::LinearlyImplicit{.size = 2, .f = [](auto y, auto out) { out << y[1], -9.81; }},
      .t_span = {0, 10},
      .start = {1, 0},
      .variables = {"height", "speed"},
  };
  const daedalus::Solution s = daedalus::solve(ball, options);
  for (const daedalus::EventRecord& event : s.events)
    std::cout << event.name << " at t = " << event.t << '\n';
  // Each bounce keeps 0.8 of the speed, so 0.64 of the height.
  return std::abs(s.y_end()[0] - std::pow(0.64, 5)) < 1e-7 ? 0 : 1;
}
