// Circuits: M u' = phi(t, u) as the node equations give it. The capacitance matrices of the
// amplifiers are singular (rank 3 of 5, 5 of 8); the algebraic equations only appear as sums of
// rows. [HairerWanner1996, (VI.1.14)], [HairerLubichRoche1989, pp. 108-111], ring modulator
// [Horneber1976].
#include <cmath>
#include <numbers>

#include "reproduce/problems.h"

namespace daedalus::reproduce {
namespace {

using std::exp, std::sin;

constexpr double supply = 6;         // U_b
constexpr double source = 1000;      // R_0
constexpr double resistance = 9000;  // R_1, R_2, ...
constexpr double gain = 0.99;

/// Current of a transistor against the voltage between its base and its emitter.
template <class Scalar>
Scalar emitter_current(const Scalar& voltage) {
  return 1e-6 * (exp(voltage / 0.026) - 1.0);
}

/// A capacitor between nodes i and j; the sign is that of (1.14).
void add_capacitor(Matrix& mass, int i, int j, double capacitance) {
  mass(i, i) -= capacitance;
  mass(j, j) -= capacitance;
  mass(i, j) += capacitance;
  mass(j, i) += capacitance;
}

Matrix one_transistor_mass() {
  Matrix mass = Matrix::Zero(5, 5);
  add_capacitor(mass, 0, 1, 1e-6);
  mass(2, 2) = -2e-6;
  add_capacitor(mass, 3, 4, 3e-6);
  return mass;
}

Matrix two_transistor_mass() {
  Matrix mass = Matrix::Zero(8, 8);
  add_capacitor(mass, 0, 1, 1e-6);
  mass(2, 2) = -2e-6;
  add_capacitor(mass, 3, 4, 3e-6);
  mass(5, 5) = -4e-6;
  add_capacitor(mass, 6, 7, 5e-6);
  return mass;
}

/// Nodes base, emitter, collector (i, i + 1, i + 2) of one stage of an amplifier.
template <class In, class Out>
void add_transistor_stage(const In& u, Out& out, int i) {
  const auto current = emitter_current(u[i] - u[i + 1]);
  out[i] = u[i] / resistance + (u[i] - supply) / resistance + (1.0 - gain) * current;
  out[i + 1] = u[i + 1] / resistance - current;
  out[i + 2] = (u[i + 2] - supply) / resistance + gain * current;
}

constexpr double inductance_h = 4.45, inductance_1 = 2e-3, inductance_2 = 5e-4, inductance_3 = 5e-4;
constexpr double capacitance = 1.6e-8, capacitance_p = 1e-8;
constexpr double load = 25000, load_p = 50, winding_1 = 36.3, winding_2 = 17.3, winding_3 = 17.3;
constexpr double inner = 50, output = 600;

template <class Scalar>
Scalar diode_current(const Scalar& voltage) {
  return 40.67286402e-9 * (exp(17.7493332 * voltage) - 1.0);
}

/// Right side of L y' = ..., C y' = ... in the order y1, ..., y15.
struct RingModulatorCurrents {
  template <class Scalar, class In, class Out>
  void operator()(Scalar t, In y, Out out) const {
    const auto carrier = 2.0 * sin(20000.0 * std::numbers::pi * t);
    const auto signal = 0.5 * sin(2000.0 * std::numbers::pi * t);
    const auto q1 = diode_current(y[2] - y[4] - y[6] - carrier);
    const auto q2 = diode_current(-y[3] + y[5] - y[6] - carrier);
    const auto q3 = diode_current(y[3] + y[4] + y[6] + carrier);
    const auto q4 = diode_current(-y[2] - y[5] + y[6] + carrier);
    out[0] = y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / load;
    out[1] = y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / load;
    out[2] = y[9] - q1 + q4;
    out[3] = -y[10] + q2 - q3;
    out[4] = y[11] + q1 - q3;
    out[5] = -y[12] - q2 + q4;
    out[6] = -y[6] / load_p + q1 + q2 - q3 - q4;
    out[7] = -y[0];
    out[8] = -y[1];
    out[9] = 0.5 * y[0] - y[2] - winding_2 * y[9];
    out[10] = -0.5 * y[0] + y[3] - winding_3 * y[10];
    out[11] = 0.5 * y[1] - y[4] - winding_2 * y[11];
    out[12] = -0.5 * y[1] + y[5] - winding_3 * y[12];
    out[13] = -y[0] + signal - (inner + winding_1) * y[13];
    out[14] = -y[1] - (output + winding_1) * y[14];
  }
};

std::vector<double> ring_modulator_reference(double storage) {
  if (storage == 2e-12) {
    return {-0.0233905735844,  -0.00736748548601, 0.25829567099,    -0.40644657206,
            -0.40394556645,    0.26079667661,     0.110676186127,   2.93990434243e-7,
            -2.8400299331e-8,  7.26719826729e-4,  7.92948719702e-4, -7.25528349577e-4,
            -7.94140196855e-4, 7.08849541688e-5,  2.39005907528e-5};
  }
  if (storage == 1e-9) {
    return {-0.0170799032920,  -0.00666097897847, 0.275319192544,   -0.391157318115,
            -0.388517307705,   0.277959202954,    0.111460028111,   2.97912962673e-7,
            -3.14274034515e-8, 7.01658831186e-4,  8.52075376772e-4, -7.77414543027e-4,
            -7.76319664931e-4, 7.84394259714e-5,  2.52322783619e-5};
  }
  if (storage == 0) {
    return {-0.023399135, -0.0073748826, 0.32342482,   -0.34131354,  -0.33881183,
            0.32592653,   0.11067448,    2.939910e-7,  -2.838818e-8, 7.260847e-4,
            7.935163e-4,  -7.260847e-4,  -7.935163e-4, 7.08782e-5,   2.38981e-5};
  }
  return {};
}

int ring_modulator_digits(double storage) {
  if (storage == 2e-12) return 9;
  return storage == 0 ? 6 : 12;
}

}  // namespace

ReferenceProblem one_transistor_amplifier() {
  const LinearlyImplicit form = {
      .size = 5,
      .mass = one_transistor_mass(),
      .f =
          [](auto t, auto u, auto out) {
            out[0] = (u[0] - 0.4 * sin(200.0 * std::numbers::pi * t)) / source;
            add_transistor_stage(u, out, 1);
            out[4] = u[4] / resistance;
          },
  };
  return {
      .name = "one_transistor_amplifier",
      .problem = {.form = form,
                  .t_span = {0, 0.2},
                  .start = {0, 3, 3, 6, 0},
                  .variables = {"U1", "U2", "U3", "U4", "U5"},
                  .equations = {"node 1", "node 2", "node 3", "node 4", "node 5"}},
      .reference = {-0.0222670931406, 3.06870889973141, 2.89834944884999, 1.4994388026923,
                    -1.7350566441185},
      .digits = 12,
      .groups = {{"y", {0, 1, 2, 3, 4}, 0}},
  };
}

ReferenceProblem two_transistor_amplifier() {
  const LinearlyImplicit form = {
      .size = 8,
      .mass = two_transistor_mass(),
      .f =
          [](auto t, auto u, auto out) {
            out[0] = (u[0] - 0.1 * sin(200.0 * std::numbers::pi * t)) / source;
            add_transistor_stage(u, out, 1);
            add_transistor_stage(u, out, 4);
            out[7] = u[7] / resistance;
          },
  };
  return {
      .name = "two_transistor_amplifier",
      .problem = {.form = form,
                  .t_span = {0, 0.2},
                  .start = {0, 3, 3, 6, 3, 3, 6, 0},
                  .variables = {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8"}},
      .reference = {-0.00556214501226, 3.00652247190304, 2.84995878860813, 2.92642253620624,
                    2.70461786501055, 2.76183777839314, 4.77092763161677, 1.23699586809155},
      .digits = 12,
      .groups = {{"y", {0, 1, 2, 3, 4, 5, 6, 7}, 0}},
  };
}

ReferenceProblem ring_modulator(double storage) {
  const LinearlyImplicit form = {
      .size = 15,
      .mass = Mass::diagonal({capacitance, capacitance, storage, storage, storage, storage,
                              capacitance_p, inductance_h, inductance_h, inductance_2, inductance_3,
                              inductance_2, inductance_3, inductance_1, inductance_1}),
      .f = RingModulatorCurrents{},
  };
  ReferenceProblem result = {
      .name = "ring_modulator",
      .problem = {.form = form, .t_span = {0, 1e-3}, .start = Vector(Vector::Zero(15))},
      .reference = ring_modulator_reference(storage),
      .digits = ring_modulator_digits(storage),
      .groups = {{"y", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 0}},
  };
  // Voltages of kilovolts pass a tolerance relaxed by 1/h, and the diodes need them exactly:
  // also where C_s = 0 makes y3, ..., y6 variables of index 2, they are to be weighed like the
  // rest.
  result.problem.variable_index.assign(15, 1);
  return result;
}

}  // namespace daedalus::reproduce
