// Small circuits by nodal analysis.
#include <cmath>
#include <numbers>

#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

TestProblem circuit(const std::string& model, const std::string& title, const Values& diagonal,
                    Function<1> f, double t_end, const Values& start, std::vector<int> place,
                    std::vector<int> index_of_variables = {}, int highest_index = 1) {
  TestProblem result = shipped(model);
  result.title = title;
  result.statement.place = std::move(place);
  result.statement.highest_index = highest_index;
  result.statement.problem = {.form = LinearlyImplicit{.size = diagonal.size(),
                                                       .mass = Mass::diagonal(diagonal),
                                                       .f = std::move(f)},
                              .t_span = {0, t_end},
                              .start = start,
                              .variable_index = std::move(index_of_variables)};
  result.first_order = result.statement;
  return result;
}

/// Exponential with leakage, continued by its tangent from 0.9 V on.
template <class S>
S diode(const S& u) {
  constexpr double corner = 0.9, thermal = 0.05, saturation = 1e-9;
  const double at_corner = std::exp(corner / thermal);
  return 1e-6 * u + saturation * (select(u < corner, exp(u / thermal),
                                         at_corner * (1.0 + (u - corner) / thermal)) -
                                  1.0);
}

}  // namespace

/// y = (vp, va, vb, i). The corners of the diodes are events of the model, and corners of f here.
TestProblem diode_bridge() {
  const double capacity = 1e-4;
  return circuit("diode_bridge", "Bridge rectifier with smoothing capacitor, four diodes, index 1",
                 {capacity, 0, 0, 0},
                 [](auto t, auto y, auto out) {
                   using S = std::decay_t<decltype(y[0])>;
                   const S a = diode<S>(y[1] - y[0]), b = diode<S>(y[2] - y[0]);
                   out[0] = a + b - y[0] / 1000.0;
                   out[1] = y[1] - y[2] + y[3] - 10.0 * sin(100.0 * std::numbers::pi * t);
                   out[2] = y[3] - a + diode<S>(-y[1]);
                   out[3] = y[3] + b - diode<S>(-y[2]);
                 },
                 0.05, {0, 0, 0, 0}, {0});
}

/// y = (v1, v2, v3, iL, iV)
TestProblem series_circuit() {
  const double inductance = 1e-2, capacity = 1e-5;
  return circuit("rlc", "Resistor, inductor and capacitor in series, index 1",
                 {0, 0, capacity, inductance, 0},
                 [](auto t, auto y, auto out) {
                   const auto current = (y[0] - y[1]) / 10.0;
                   out[0] = y[0] - 5.0 * sin(2000.0 * t);
                   out[1] = y[3] - current;
                   out[2] = y[3];
                   out[3] = y[1] - y[2];
                   out[4] = y[4] + current;
                 },
                 0.01, {0, 0, 0, 0, 0}, {0, 1, 2, 3, 4});
}

/// y = (v1, v2, iL, v3, iV), those of index 2 last
TestProblem circuit_index_2() {
  const double inductance = 1e-3, capacity = 1e-6;
  TestProblem result = circuit(
      "circuit_index2", "A loop of capacitor and source, a cut of inductor and source, index 2",
      {capacity, 0, inductance, 0, 0},
      [](auto t, auto y, auto out) {
        const auto current = (y[0] - y[1]) / 100.0;
        out[0] = -y[4] - current;
        out[1] = y[2] - current;
        out[2] = y[1] - y[3];
        out[3] = y[0] - sin(1000.0 * t);
        out[4] = 1e-3 * cos(1000.0 * t) - y[2];
      },
      0.01, {0, -0.1, 1e-3, -0.1, -2e-3}, {0, 1, 3, 4, 2}, {1, 1, 1, 2, 2}, 2);
  result.differential = {0, 1, 4}, result.algebraic = {2, 3};
  return result;
}

}  // namespace daedalus::reproduce
