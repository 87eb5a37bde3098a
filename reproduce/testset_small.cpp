// Small problems of the public test set with closed solutions. [TestSet]
#include <cmath>

#include <fmt/format.h>

#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

TestProblem semi_explicit(const std::string& model, const std::string& title, int differential,
                          int algebraic, Function<1> f, Interval t_span, Values start,
                          std::vector<int> index_of_variables, int highest_index) {
  TestProblem result = shipped(model);
  result.title = title;
  Vector diagonal = Vector::Zero(differential + algebraic);
  diagonal.head(differential).setOnes();
  result.differential.clear();
  for (int i = 0; i < differential + algebraic; ++i)
    (i < differential ? result.differential : result.algebraic).push_back(i);
  result.statement.problem = {.form = LinearlyImplicit{.size = differential + algebraic,
                                                       .mass = Mass::diagonal(diagonal),
                                                       .f = std::move(f)},
                              .t_span = t_span,
                              .start = std::move(start),
                              .variable_index = std::move(index_of_variables)};
  result.statement.highest_index = highest_index;
  result.first_order = result.statement;
  return result;
}

}  // namespace

TestProblem jay_index_2() {
  return semi_explicit(
      "jay_index2", "Jay's problem, nonlinear in the multiplier, index 2", 2, 1,
      [](auto y, auto out) {
        out[0] = y[0] * y[1] * y[1] * y[2] * y[2];
        out[1] = y[1] * y[1] * (y[0] * y[0] - 3.0 * y[2]);
        out[2] = y[0] * y[0] * y[1] - 1.0;
      },
      {0, 1}, {1, 1, 1}, {1, 1, 2}, 2);
}

TestProblem ascher_petzold_index_2() {
  return semi_explicit(
      "ascher_petzold_index2", "Linear with varying coefficients, index 2", 2, 1,
      [](auto t, auto y, auto out) {
        constexpr double a = 10;
        const auto s = 2.0 - t, e = exp(t);
        out[0] = (a - 1.0 / s) * y[0] + s * a * y[2] + (3.0 - t) / s * e;
        out[1] = (a - 1.0) / s * y[0] - y[1] + (a - 1.0) * y[2] + 2.0 * e;
        out[2] = (t + 2.0) * y[0] + (t * t - 4.0) * y[1] - (t * t + t - 2.0) * e;
      },
      {0, 1}, {1, 1, -0.5}, {1, 1, 2}, 2);
}

TestProblem arevalo(int index) {
  return semi_explicit(
      index == 2 ? "arevalo_index2" : "arevalo_index3",
      fmt::format("Particle on a circle with rising speed, index {}", index), 4, 1,
      [index](auto y, auto out) {
        out[0] = y[2];
        out[1] = y[3];
        out[2] = 2.0 * y[1] + y[0] * y[4];
        out[3] = -2.0 * y[0] + y[1] * y[4];
        if (index == 2)
          out[4] = y[0] * y[2] + y[1] * y[3];
        else
          out[4] = y[0] * y[0] + y[1] * y[1] - 1.0;
      },
      {1, 5}, {std::sin(1.0), std::cos(1.0), 2 * std::cos(1.0), -2 * std::sin(1.0), -4},
      index == 2 ? std::vector<int>{1, 1, 1, 1, 2} : std::vector<int>{1, 1, 2, 2, 3}, index);
}

TestProblem pendulum_index_3() {
  return semi_explicit(
      "pendulum_index3", "Pendulum of period 2, index 3", 4, 1,
      [](auto y, auto out) {
        out[0] = y[2];
        out[1] = y[3];
        out[2] = -y[4] * y[0];
        out[3] = -y[4] * y[1] - 13.750371636040745654980191559621;
        out[4] = y[0] * y[0] + y[1] * y[1] - 1.0;
      },
      {0, 2}, {1, 0, 0, 0, 0}, {1, 1, 2, 2, 3}, 3);
}

TestProblem pendulum_stabilized() {
  return semi_explicit(
      "pendulum_ggl", "Pendulum with both constraints (Gear, Gupta, Leimkuhler), index 2", 4, 2,
      [](auto y, auto out) {
        out[0] = y[2] + 2.0 * y[0] * y[5];
        out[1] = y[3] + 2.0 * y[1] * y[5];
        out[2] = 2.0 * y[0] * y[4];
        out[3] = 2.0 * y[1] * y[4] - 10.0;
        out[4] = 2.0 * (y[0] * y[2] + y[1] * y[3]);
        out[5] = y[0] * y[0] + y[1] * y[1] - 1.0;
      },
      {0, 10}, {1, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 2, 2}, 2);
}

TestProblem van_der_pol_limit() {
  return semi_explicit(
      "vdpol_limit", "Van der Pol's equation, reduced, index 1", 1, 1,
      [](auto y, auto out) {
        out[0] = y[1];
        out[1] = (1.0 - y[0] * y[0]) * y[1] - y[0];
      },
      {0, 0.5}, {2, -2.0 / 3}, {}, 1);
}

}  // namespace daedalus::reproduce
