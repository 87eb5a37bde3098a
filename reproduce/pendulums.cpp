// A point mass on a rod of length 1 (m = g = 1), at rest at (1, 0), and the same on a stiff spring.
// The rod pendulum in closed form: with phi the angle from the lowest point and k^2 = 1/2,
//   phi'' = -sin phi,  sin(phi/2) = k sn(t + K, k),  phi' = 2 k cn(t + K, k).
// [HairerLubichRoche1989, (1.19), (1.20), (1.25)]
#include <array>
#include <cmath>
#include <numbers>

#include "reproduce/problems.h"

namespace daedalus::reproduce {
namespace {

// Extended precision: an angle of 700 would cost two digits.
using Real = long double;

struct Elliptic {
  Real sn = 0;
  Real cn = 0;
};

/// sn and cn at t + K for k^2 = 1/2, by the arithmetic-geometric mean.
Elliptic elliptic_after_quarter_period(Real t) {
  constexpr int levels = 6;
  constexpr Real half_root = std::numbers::sqrt2_v<Real> / 2;
  std::array<Real, levels + 1> a = {1};
  std::array<Real, levels + 1> c = {half_root};
  Real b = half_root;
  for (int n = 0; n < levels; ++n) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  const Real quarter_period = std::numbers::pi_v<Real> / (2 * a[levels]);
  Real phi = std::ldexp(a[levels] * (t + quarter_period), levels);
  for (int n = levels; n > 0; --n) phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  return {std::sin(phi), std::cos(phi)};
}

Vector rod_pendulum(double t) {
  const auto [sn, cn] = elliptic_after_quarter_period(t);
  const Real sine = std::numbers::sqrt2_v<Real> * sn * std::sqrt(1 - sn * sn / 2);
  const Real cosine = cn * cn;
  const Real speed = std::numbers::sqrt2_v<Real> * cn;
  Eigen::Matrix<Real, 5, 1> values;
  values << sine, -cosine, cosine * speed, sine * speed, speed * speed + cosine;
  return values.cast<double>();
}

std::string pendulum_name(Formulation formulation) {
  switch (formulation) {
    case Formulation::direct:
      return "pend3";
    case Formulation::index_2:
      return "pend2";
    case Formulation::index_1:
      return "pend1";
    default:
      return "pendGGL";
  }
}

}  // namespace

ReferenceProblem pendulum(Formulation formulation, double t_end) {
  const Mechanical form = {
      .coordinates = 2,
      .holonomic = 1,
      .force =
          [](auto, auto, auto, auto out) {
            out[0] = 0.0;
            out[1] = -1.0;
          },
      // Half the squared radius: lambda is the tension of the rod.
      .constraint = [](auto q, auto out) { out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); },
  };
  ReferenceProblem result = {
      .name = pendulum_name(formulation),
      .problem = {.form = form,
                  .t_span = {0, t_end},
                  .start = {1, 0, 0, 0, 0},
                  .variables = {"p", "q", "u", "v", "lambda"}},
      .exact = rod_pendulum,
  };
  result.suggested.formulation = formulation;
  if (formulation == Formulation::direct) {
    result.groups = {{"y", {0, 1}, 0}, {"z", {2, 3}, 1}, {"u", {4}, 2}};
  } else {
    result.groups = {{"y", {0, 1, 2, 3}, 0},
                     {"z", {4}, formulation == Formulation::index_1 ? 0 : 1}};
  }
  return result;
}

ReferenceProblem stiff_spring_pendulum(double epsilon, double length_at_start) {
  const LinearlyImplicit form = {
      .size = 4,
      .f =
          [epsilon](auto y, auto out) {
            using std::sqrt;
            const auto length = sqrt(y[0] * y[0] + y[1] * y[1]);
            const auto pull = (length - 1.0) / (epsilon * epsilon * length);
            out[0] = y[2];
            out[1] = y[3];
            out[2] = -pull * y[0];
            out[3] = -pull * y[1] - 1.0;
          },
  };
  ReferenceProblem result = {
      .name = "stiff_spring_pendulum",
      .problem = {.form = form,
                  .t_span = {0, 10},
                  .start = {length_at_start, 0, 0, 0},
                  .variables = {"p", "q", "u", "v"}},
      .groups = {{"y", {0, 1, 2, 3}, 0}},
  };
  if (epsilon == 1e-2 && length_at_start == 1) {
    result.reference = {-0.810577305627, -0.585931673440, -0.63387603421, 0.877357226979};
    result.digits = 11;
  } else if (epsilon == 1e-3 && length_at_start == 1) {
    result.reference = {-0.81157637265, -0.58424934475, -0.63155263, 0.87728951};
    result.digits = 8;
  } else if (epsilon == 1e-2 && length_at_start == 1.01) {
    result.reference = {-0.814480908199, -0.587980682118, 0.0994243842, 1.39998866300};
    result.digits = 9;
  }
  return result;
}

}  // namespace daedalus::reproduce
