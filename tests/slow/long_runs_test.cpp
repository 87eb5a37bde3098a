// Reduced models over long times, and the analysis of large ones.
#include <chrono>
#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

#include <fmt/format.h>

#include "daedalus/analysis.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

std::string shipped(const std::string& name) {
  return std::string(embedded("models/" + name + ".mo"));
}

TEST(LongRun, FeketeKeepsItsConstraintsToRounding) {
  const Model model = Model::from_text(shipped("fekete"));
  Options options = model.options();
  options.at = {1000};
  options.dense = false;
  const Solution s = solve(model.problem(), model.scaled(options));
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_EQ(s.formulation, "projected");
  ASSERT_EQ(s.constraint_residual.size(), 2u);
  for (const ConstraintResidual& level : s.constraint_residual) {
    std::printf("fekete: %s %.1e at t = %.3g\n", level.level.c_str(), level.maximum, level.t);
    // Positions are of size 1, velocities at most a few; their squares and products are summed.
    EXPECT_LE(level.maximum, 1e-13) << level.level;
  }
  std::printf("fekete: %lld steps, %.2f s\n", static_cast<long long>(s.statistics.steps),
              s.statistics.wall_seconds);
}

TEST(LongRun, PendulumMakesAThousandRevolutions) {
  // Thrown from below: v0^2 > 4 g L goes over the top. One revolution takes 4 K(k) L / v0.
  constexpr double g = 9.81, v0 = 7;
  constexpr int revolutions = 1000;
  const double period = 4 / v0 * std::comp_ellint_1(2 * std::sqrt(g) / v0);
  ModelOptions changed;
  changed.start = {{"x", 0}, {"y", -1}, {"u", v0}, {"v", 0}};
  changed.stop_time = revolutions * period;
  const Model model = Model::from_text(shipped("pendulum"), "pendulum.mo", changed);
  for (const double rtol : {1e-8, 1e-10}) {
    Options options;
    options.rtol = rtol;
    options.dense = false;
    const Solution s = solve(model.problem(), model.scaled(options));
    ASSERT_EQ(s.status, Status::success) << s.message.text();
    EXPECT_EQ(s.formulation, "projected");
    double drift = 0, angle = 0;
    for (int i = 0; i < s.rows(); ++i) {
      const Input y = s.y(i);
      const double energy = (y[2] * y[2] + y[3] * y[3]) / 2 + g * y[1];
      drift = std::max(drift, std::abs(energy / (v0 * v0 / 2 - g) - 1));
      if (i == 0) continue;
      const Input x = s.y(i - 1);
      angle += std::atan2(x[0] * y[1] - x[1] * y[0], x[0] * y[0] + x[1] * y[1]);
    }
    const double turned = angle / (2 * std::numbers::pi);
    std::printf("pendulum, rtol %.0e: %.9f revolutions, energy drift %.1e, %lld steps, %.2f s\n",
                rtol, turned, drift, static_cast<long long>(s.statistics.steps),
                s.statistics.wall_seconds);
    // Each revolution may add an error of size rtol to the energy; an error in the energy is one in
    // the speed, and adds up once more.
    EXPECT_LE(drift, revolutions * rtol);
    EXPECT_NEAR(turned, revolutions, revolutions * revolutions * rtol);
    for (const ConstraintResidual& level : s.constraint_residual)
      EXPECT_LE(level.maximum, 10 * rtol) << level.level;
  }
}

struct Timed {
  Analysis analysis;
  double read = 0, analyzed = 0;  ///< seconds
};

Timed timed(const std::string& text, const ModelOptions& options = {}) {
  const auto since = [](auto begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Timed result;
  auto begin = std::chrono::steady_clock::now();
  const Model model = Model::from_text(text, "model.mo", options);
  result.read = since(begin);
  begin = std::chrono::steady_clock::now();
  result.analysis = analyze(model);
  result.analyzed = since(begin);
  std::printf("%s, %d unknowns: read in %.2f s, analyzed in %.2f s\n", model.name().c_str(),
              result.analysis.unknowns, result.read, result.analyzed);
  return result;
}

// The bounds are those of the requirement on an idle core; tests share theirs with others.
constexpr double shared_core = 3;

TEST(LargeModel, HeatEquationIsAnalyzedInASecond) {
  for (const char* name : {"heat1d", "heat2d"}) {
    const auto [a, read, seconds] = timed(shipped(name));
    EXPECT_EQ(a.unknowns, 10000);
    EXPECT_EQ(a.numerical_index, 1);
    EXPECT_EQ(a.degrees_of_freedom, name == std::string("heat1d") ? 9998 : 98 * 98);
    EXPECT_TRUE(a.can_be_solved());
    EXPECT_LE(read + seconds, 1 * shared_core) << name;
  }
}

TEST(LargeModel, CircuitLadderIsAnalyzedInTenSeconds) {
  // Series resistors by their currents, capacitors to ground: v[k] differential, i[k] algebraic.
  const auto [a, read, seconds] = timed(R"(model ladder
  parameter Integer N = 50000;
  Real v[N](each start = 0, each fixed = true), i[N];
equation
  i[1] = sin(time) - v[1] "source";
  for k in 2:N loop
    i[k] = v[k - 1] - v[k];
  end for;
  for k in 1:N - 1 loop
    der(v[k]) = i[k] - i[k + 1];
  end for;
  der(v[N]) = i[N];
end ladder;
)");
  EXPECT_EQ(a.unknowns, 100000);
  EXPECT_EQ(a.numerical_index, 1);
  EXPECT_EQ(a.degrees_of_freedom, 50000);
  EXPECT_LE(read + seconds, 10 * shared_core);
}

TEST(LargeModel, LadderOfIndexTwoIsAnalyzedInTenSeconds) {
  // Every second capacitor lies beside a voltage source.
  const auto [a, read, seconds] = timed(R"(model ladder2
  parameter Integer N = 25000;
  Real v[N](each start = 0), w[N](each start = 0, each fixed = true), i[N], j[N];
equation
  for k in 1:N loop
    v[k] = sin(k*time) "source";
    j[k] + der(v[k]) = i[k] "node";
    i[k] = w[k] - v[k];
    der(w[k]) = -i[k];
  end for;
end ladder2;
)");
  EXPECT_EQ(a.unknowns, 100000);
  EXPECT_EQ(a.structural_index, 2);
  EXPECT_LE(read + seconds, 10 * shared_core);
}

}  // namespace
}  // namespace daedalus
