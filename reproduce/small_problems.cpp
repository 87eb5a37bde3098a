// Van der Pol's equation in three forms, two process models, and the two linear and nonlinear
// examples on which methods and notions of index fail.
// [HairerWanner1996, VI.1], [HairerLubichRoche1989, Section 1], [GearPetzold1984]
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "reproduce/problems.h"

namespace daedalus::reproduce {
namespace {

using std::cos, std::exp, std::sin, std::sqrt;

/// The slow manifold of eps z' = y - (z^3/3 - z) at z = 2, to O(eps^2).
double slow_start(double epsilon) {
  return 2.0 / 3 + epsilon * (-2.0 / 3 + 10.0 * epsilon / 81);
}

/// ln z - z^2/2 = x + ln 2 - 2, the branch 1 < z <= 2.
Vector reduced_van_der_pol(double x) {
  // Bisection in w = z^2, down to neighbouring numbers: near z = 1 Newton would lose half of them.
  const double level = 2 * (x + std::log(2.0) - 2);
  double low = 1, high = 4;
  for (;;) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (std::log(middle) - middle > level ? low : high) = middle;
  }
  const double z = std::sqrt((low + high) / 2);
  return Values{z * z * z / 3 - z, z};
}

}  // namespace

ReferenceProblem van_der_pol_lienard(double epsilon) {
  const SingularlyPerturbed form = {
      .slow = 1,
      .fast = 1,
      .epsilon = epsilon,
      .f = [](auto, auto z, auto out) { out[0] = -z[0]; },
      .g = [](auto y, auto z, auto out) { out[0] = y[0] - (z[0] * z[0] * z[0] / 3.0 - z[0]); },
  };
  ReferenceProblem result = {
      .name = fmt::format("van_der_pol_{:g}", epsilon),
      .problem = {.form = form,
                  .t_span = {0, 0.5},
                  .start = {slow_start(epsilon), 2},
                  .variables = {"y", "z"}},
      .groups = {{"y", {0}, 0}, {"z", {1}, 0}},
  };
  if (epsilon == 1e-5) {
    result.problem.start = {2.0 / 3, 2};
    result.reference = {-0.239692951820644, 1.59677396029191};
    result.digits = 15;
  } else if (epsilon == 1e-6) {
    result.reference = {-0.2396919734319156, 1.596768607588892};
    result.digits = 15;
  } else if (epsilon == 1e-3) {
    result.problem.start = {2.0 / 3 - 2e-3 / 3, 2};
    result.reference = {-0.240391277514900, 1.59698071519647};
    result.digits = 12;
  }
  return result;
}

ReferenceProblem van_der_pol_reduced(double x_end) {
  const SemiExplicit form = {
      .differential = 1,
      .algebraic = 1,
      .f = [](auto, auto z, auto out) { out[0] = -z[0]; },
      .g = [](auto y, auto z, auto out) { out[0] = y[0] - (z[0] * z[0] * z[0] / 3.0 - z[0]); },
  };
  return {
      .name = "van_der_pol_reduced",
      .problem = {.form = form,
                  .t_span = {0, x_end},
                  .start = {2.0 / 3, 2},
                  .variables = {"y", "z"}},
      .exact = reduced_van_der_pol,
      .groups = {{"y", {0}, 0}, {"z", {1}, 0}},
  };
}

ReferenceProblem van_der_pol_standard() {
  const double epsilon = 1e-6;
  const LinearlyImplicit form = {
      .size = 2,
      .f =
          [epsilon](auto y, auto out) {
            out[0] = y[1];
            out[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / epsilon;
          },
  };
  return {
      .name = "van_der_pol_standard",
      .problem = {.form = form, .t_span = {0, 2}, .start = {2, 0}},
      .reference = {1.706167732170465, -0.892809701024817},
      .digits = 13,
      .groups = {{"y", {0, 1}, 0}},
  };
}

ReferenceProblem plug_flow() {
  const SemiExplicit form = {
      .differential = 3,
      .algebraic = 2,
      .f =
          [](auto y, auto z, auto out) {
            const auto rate = 5.0 * z[1] * y[1];
            out[0] = -rate;
            out[1] = -rate;
            out[2] = rate;
          },
      .g =
          [](auto y, auto z, auto out) {
            out[0] = y[0] - z[0] - z[1];
            out[1] = 10.0 * z[0] / (z[0] + 1.0) - 2.0 * z[1];
          },
  };
  return {
      .name = "plug_flow",
      .problem = {.form = form, .t_span = {0, 1}, .start = {3.5, 2, 0, 1, 2.5}},
      .reference = {1.502392984328, 0.0023929843281, 1.997607015672, 0.312350568198,
                    1.190042416131},
      .digits = 11,
      .groups = {{"y", {0, 1, 2}, 0}, {"z", {3, 4}, 0}},
  };
}

ReferenceProblem pressure_control() {
  const HessenbergIndex2 form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto y, auto z, auto out) {
            const auto inflow = 1.0 + 0.3 * sin(t);
            const auto pressure = y[0] * y[1];
            const auto outflow = 2.0 * z[0] * sqrt(pressure * (pressure - 0.5));
            out[0] = inflow - outflow;
            out[1] = (inflow * (1.4 - y[1]) - 0.4 * outflow * y[1]) / y[0];
          },
      .g = [](auto t, auto y, auto out) { out[0] = y[0] * y[1] - 1.0 - 0.1 * (1.0 - exp(-t)); },
  };
  return {
      .name = "pressure_control",
      .problem = {.form = form,
                  .t_span = {0, 5},
                  .start = {1, 1, 1.3 / 1.4 / std::sqrt(2.0)},
                  .variables = {"m", "T", "v"}},
      .reference = {1.0979458667, 1.0012572010, 0.43793806},
      .digits = 8,
      .groups = {{"y", {0, 1}, 0}, {"z", {2}, 1}},
  };
}

ReferenceProblem eta_problem(double eta, double t_end) {
  // f = sin, g = 2 cos: z = cos, y = sin - eta t cos.
  const FullyImplicit form = {
      .size = 2,
      .residual =
          [eta](auto t, auto y, auto yp, auto out) {
            out[0] = y[0] + eta * t * y[1] - sin(t);
            out[1] = yp[0] + eta * t * yp[1] + (1.0 + eta) * y[1] - 2.0 * cos(t);
          },
  };
  return {
      .name = fmt::format("eta_{:g}", eta),
      .problem = {.form = form,
                  .t_span = {0, t_end},
                  .start = {0, 1},
                  .variables = {"y", "z"},
                  .start_derivative = {1 - eta, 0},
                  .variable_index = {1, 2}},
      .exact = [eta](double t) -> Vector {
        return Values{sin(t) - eta * t * cos(t), cos(t)};
      },
      .groups = {{"y", {0}, 0}, {"z", {1}, 1}},
  };
}

ReferenceProblem perturbation_index(double size, double frequency) {
  const FullyImplicit form = {
      .size = 3,
      .residual =
          [size, frequency](auto t, auto y, auto yp, auto out) {
            out[0] = yp[0] - y[2] * yp[1] + y[1] * yp[2];
            out[1] = y[1] - size * sin(frequency * t);
            out[2] = y[2] - size * cos(frequency * t);
          },
  };
  return {
      .name = "perturbation_index",
      .problem = {.form = form,
                  .t_span = {0, 1},
                  .start = {0, 0, size},
                  .start_derivative = {size * size * frequency, size * frequency, 0}},
      .exact = [size, frequency](double t) -> Vector {
        return Values{size * size * frequency * t, size * sin(frequency * t),
                      size * cos(frequency * t)};
      },
      .groups = {{"y", {0, 1, 2}, 0}},
  };
}

Vector ReferenceProblem::at_end() const {
  if (exact) return exact(problem.t_span.end);
  return Values(reference);
}

ReferenceProblem order_problem(std::string_view name) {
  // The pendulum is measured where the tension is near its largest.
  constexpr double pendulum_end = 2;
  if (name == "idx1") return idx1();
  if (name == "idx2a") return idx2a();
  if (name == "idx2b") return idx2b();
  if (name == "idx3a") return idx3_small(Multiplier::linear);
  if (name == "idx3b") return idx3_small(Multiplier::quadratic);
  if (name == "idx3c") return idx3(Multiplier::linear);
  if (name == "idx3d") return idx3(Multiplier::quadratic);
  if (name == "pend1") return pendulum(Formulation::index_1, pendulum_end);
  if (name == "pend2") return pendulum(Formulation::index_2, pendulum_end);
  if (name == "pend3") return pendulum(Formulation::direct, pendulum_end);
  if (name == "pendGGL") return pendulum(Formulation::stabilized_index_2, pendulum_end);
  if (name == "spp4") return singularly_perturbed(1e-4);
  if (name == "spp6") return singularly_perturbed(1e-6);
  if (name == "spp10") return singularly_perturbed(1e-10);
  throw InvalidInput(fmt::format("problem: '{}' is not one of the order problems", name));
}

}  // namespace daedalus::reproduce
