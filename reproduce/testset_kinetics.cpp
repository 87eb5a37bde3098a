// Kinetics and circuits of the public test set. [TestSet]
#include <fmt/format.h>

#include "reproduce/problems.h"
#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

/// Daedalus and all others are given the same M y' = f.
void state_for_all(TestProblem& result, const Problem& problem, int highest_index = 1) {
  result.statement.problem = problem;
  result.statement.highest_index = highest_index;
  result.first_order = result.statement;
}

}  // namespace

TestProblem robertson(double t_end) {
  TestProblem result = shipped(t_end == 40     ? "robertson_40"
                               : t_end == 4e10 ? "robertson_4e10"
                                               : "robertson");
  result.title = "Robertson's reactions with the mass balance, index 1";
  const LinearlyImplicit form = {
      .size = 3,
      .mass = Mass::diagonal({1, 1, 0}),
      .f =
          [](auto y, auto out) {
            const auto recombination = 1e4 * y[1] * y[2];
            out[0] = -0.04 * y[0] + recombination;
            out[1] = 0.04 * y[0] - recombination - 3e7 * y[1] * y[1];
            out[2] = y[0] + y[1] + y[2] - 1.0;
          },
  };
  state_for_all(result, {.form = form, .t_span = {0, t_end}, .start = {1, 0, 0}});
  result.atol_factor = 1e-6;
  result.differential = {0, 1};
  result.algebraic = {2};
  return result;
}

TestProblem chemical_akzo() {
  TestProblem result = shipped("chemakzo");
  result.title = "Chemical Akzo Nobel, index 1";
  const LinearlyImplicit form = {
      .size = 6,
      .mass = Mass::diagonal({1, 1, 1, 1, 1, 0}),
      .f =
          [](auto y, auto out) {
            // The modulus only matters for codes that cannot be told of illegal values.
            const auto root = sqrt(abs(y[1]));
            const auto square = y[0] * y[0];
            const auto r1 = 18.7 * square * square * root;
            const auto r2 = 0.58 * y[2] * y[3];
            const auto r3 = 0.58 / 34.4 * y[0] * y[4];
            const auto r4 = 0.09 * y[0] * y[3] * y[3];
            const auto r5 = 0.42 * y[5] * y[5] * root;
            const auto inflow = 3.3 * (0.9 / 737 - y[1]);
            out[0] = -2.0 * r1 + r2 - r3 - r4;
            out[1] = -0.5 * r1 - r4 - 0.5 * r5 + inflow;
            out[2] = r1 - r2 + r3;
            out[3] = -r2 + r3 - 2.0 * r4;
            out[4] = r2 - r3 + r5;
            out[5] = 115.83 * y[0] * y[3] - y[5];
          },
  };
  state_for_all(result, {.form = form,
                         .t_span = {0, 180},
                         .start = {0.444, 0.00123, 0, 0.007, 0, 115.83 * 0.444 * 0.007}});
  result.differential = {0, 1, 2, 3, 4};
  result.algebraic = {5};
  return result;
}

TestProblem amplifier(int transistors) {
  const bool one = transistors == 1;
  TestProblem result = shipped(one ? "amplifier1" : "transamp");
  result.title =
      one ? "Amplifier with one transistor, index 1" : "Amplifier with two transistors, index 1";
  state_for_all(result, (one ? one_transistor_amplifier() : two_transistor_amplifier()).problem);
  return result;
}

TestProblem ring_modulator_problem(double storage) {
  TestProblem result;
  const ReferenceProblem known = ring_modulator(storage);
  result.name = storage == 0      ? "ring_modulator_index2"
                : storage > 1e-10 ? "ring_modulator_slow"
                                  : "ring_modulator";
  result.title = storage == 0      ? "Ring modulator without parasitic capacities, index 2"
                 : storage > 1e-10 ? "Ring modulator, capacities of 1e-9"
                                   : "Ring modulator, capacities of 2e-12: stiff and oscillating";
  if (storage == 0 || storage == 2e-12) result.model = result.name;
  result.reference =
      Input(known.reference.data(), static_cast<Eigen::Index>(known.reference.size()));
  result.reference_digits = known.digits;
  for (int i = 0; i < 15; ++i) {
    result.names.push_back(fmt::format("y{}", i + 1));
    result.differential.push_back(i);
    result.statement.place.push_back(i);
  }
  state_for_all(result, known.problem, storage == 0 ? 2 : 1);
  result.suggested = known.suggested;
  return result;
}

}  // namespace daedalus::reproduce
