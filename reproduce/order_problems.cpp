// Nonlinear problems of index 1, 2 and 3 whose solutions were chosen first: each equation
// vanishes on the chosen functions, and no term that the order conditions see is missing.
// Jay's problem: [Jay1995].
#include <cmath>

#include <fmt/format.h>

#include "reproduce/problems.h"

namespace daedalus::reproduce {
namespace {

using std::cos, std::cosh, std::exp, std::sin, std::sinh;

template <class... Numbers>
Vector vector(Numbers... numbers) {
  return Values{static_cast<double>(numbers)...};
}

ReferenceProblem with_exact_start(ReferenceProblem result) {
  result.problem.start = result.exact(result.problem.t_span.begin);
  return result;
}

std::vector<Group> two_groups(int y, int z, int amplification) {
  Group first{"y", {}, 0};
  Group second{"z", {}, amplification};
  for (int i = 0; i < y; ++i) first.variables.push_back(i);
  for (int i = 0; i < z; ++i) second.variables.push_back(y + i);
  return {first, second};
}

std::vector<Group> three_groups(int y, int z, int u) {
  std::vector<Group> groups = two_groups(y, z, 1);
  groups.push_back({"u", {}, 2});
  for (int i = 0; i < u; ++i) groups[2].variables.push_back(y + z + i);
  return groups;
}

}  // namespace

ReferenceProblem idx1() {
  const SemiExplicit form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto y, auto z, auto out) {
            out[0] = -y[0] + y[1] * z[0] - sin(t) * (2.0 + cos(t));
            out[1] = z[0] - 2.0 + y[0] * y[0] - exp(-2.0 * t);
          },
      .g =
          [](auto t, auto y, auto z, auto out) {
            const auto w = 2.0 + cos(t);
            out[0] = z[0] * z[0] * z[0] + y[0] * z[0] + y[1] - (w * w * w + exp(-t) * w + sin(t));
          },
  };
  return with_exact_start({
      .name = "idx1",
      .problem = {.form = form, .t_span = {0, 1}},
      .exact = [](double t) { return vector(exp(-t), sin(t), 2 + cos(t)); },
      .groups = two_groups(2, 1, 0),
  });
}

ReferenceProblem idx2a() {
  const HessenbergIndex2 form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto y, auto z, auto out) {
            out[0] = y[0] * y[1] * y[1] * z[0] * z[0];
            out[1] = y[0] * y[0] * y[1] * y[1] - 3.0 * y[1] * y[1] * z[0];
          },
      .g = [](auto y, auto out) { out[0] = y[0] * y[0] * y[1] - 1.0; },
  };
  return with_exact_start({
      .name = "idx2a",
      .problem = {.form = form, .t_span = {0, 0.5}},
      .exact = [](double t) { return vector(exp(t), exp(-2 * t), exp(2 * t)); },
      .groups = two_groups(2, 1, 1),
  });
}

ReferenceProblem idx2b() {
  const HessenbergIndex2 form = {
      .differential = 3,
      .algebraic = 2,
      .f =
          [](auto t, auto y, auto z, auto out) {
            const auto a = 1.0 + 0.5 * sin(2.0 * t);
            const auto b = 1.0 + 0.5 * cos(t);
            const auto e = exp(-0.5 * t);
            out[0] = -y[1] + y[0] * (z[0] * z[0] - a * a) + y[1] * y[2] * (z[1] - b);
            out[1] = y[0] + y[1] * (z[0] - a) + 0.3 * (y[2] - e) * z[0];
            out[2] = -0.5 * y[2] + (1.0 + y[0] * y[0]) * (z[0] * z[1] - a * b) + y[0] * (y[2] - e);
          },
      .g =
          [](auto t, auto y, auto out) {
            out[0] = y[0] * y[0] + y[1] * y[1] - 1.0;
            out[1] = y[2] * (1.0 + y[0] * y[0]) - exp(-0.5 * t) * (1.0 + cos(t) * cos(t));
          },
  };
  return with_exact_start({
      .name = "idx2b",
      .problem = {.form = form, .t_span = {0, 1}},
      .exact =
          [](double t) {
            return vector(cos(t), sin(t), exp(-t / 2), 1 + sin(2 * t) / 2, 1 + cos(t) / 2);
          },
      .groups = two_groups(3, 2, 1),
  });
}

ReferenceProblem idx3_small(Multiplier multiplier) {
  const bool linear = multiplier == Multiplier::linear;
  const HessenbergIndex3 form = {
      .position = 2,
      .velocity = 2,
      .algebraic = 1,
      .f =
          [](auto y, auto z, auto out) {
            out[0] = y[1] * z[0];
            out[1] = -y[0] * y[1] * z[1];
          },
      .k =
          [linear](auto t, auto y, auto z, auto u, auto out) {
            const auto U = 2.0 + cos(t);
            const auto difference = u[0] - U;
            const auto w = linear ? difference : difference * (u[0] + U) * 0.25;
            out[0] = 2.0 * y[0] * y[1] * z[0] + y[0] * w;
            out[1] = -y[0] * y[1] * z[1] * (1.0 + difference);
          },
      .g = [](auto y, auto out) { out[0] = y[0] * y[1] - 1.0; },
  };
  return with_exact_start({
      .name = linear ? "idx3a" : "idx3b",
      .problem = {.form = form, .t_span = {0, 1}},
      .exact = [](double t) { return vector(exp(t), exp(-t), exp(2 * t), exp(-t), 2 + cos(t)); },
      .groups = three_groups(2, 2, 1),
  });
}

ReferenceProblem idx3(Multiplier multiplier) {
  const bool linear = multiplier == Multiplier::linear;
  const HessenbergIndex3 form = {
      .position = 3,
      .velocity = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto y, auto z, auto out) {
            const auto Z1 = cosh(0.5 * t) + 1.0;
            const auto Z2 = exp(-t);
            out[0] = 0.5 * y[0] + 0.25 * (z[0] * z[0] - Z1 * Z1) + y[1] * (z[1] - Z2);
            out[1] = -sin(t) + 0.5 * (z[0] * z[1] - Z1 * Z2) + (y[0] - exp(0.5 * t)) * y[2];
            out[2] = cos(2.0 * t) + y[0] * (z[1] - Z2) + (y[1] - cos(t)) * z[0];
          },
      .k =
          [linear](auto t, auto y, auto z, auto u, auto out) {
            const auto U = 1.0 + sin(t);
            const auto difference = u[0] - U;
            const auto w = linear ? difference : difference * (u[0] + U) * 0.5;
            out[0] =
                0.5 * sinh(0.5 * t) + w * (1.0 + y[1] * y[1]) + (y[2] - 0.5 * sin(2.0 * t)) * z[0];
            out[1] = -exp(-t) + y[0] * difference * z[1] + (z[0] - cosh(0.5 * t) - 1.0) * y[1];
          },
      .g =
          [](auto t, auto y, auto out) {
            const auto a = exp(0.5 * t);
            out[0] = y[0] * y[0] + y[0] * sin(y[1]) + y[2] -
                     (a * a + a * sin(cos(t)) + 0.5 * sin(2.0 * t));
          },
  };
  return with_exact_start({
      .name = linear ? "idx3c" : "idx3d",
      .problem = {.form = form, .t_span = {0, 1}},
      .exact =
          [](double t) {
            return vector(exp(t / 2), cos(t), sin(2 * t) / 2, cosh(t / 2) + 1, exp(-t), 1 + sin(t));
          },
      .groups = three_groups(3, 2, 1),
  });
}

ReferenceProblem jay() {
  const HessenbergIndex3 form = {
      .position = 2,
      .velocity = 2,
      .algebraic = 1,
      .f =
          [](auto y, auto z, auto out) {
            out[0] = 2.0 * y[0] * y[1] * z[0] * z[1];
            out[1] = -y[0] * y[1] * z[1] * z[1];
          },
      .k =
          [](auto y, auto z, auto u, auto out) {
            out[0] = (y[0] * y[1] + z[0] * z[1]) * u[0];
            out[1] = -y[0] * y[1] * y[1] * z[1] * z[1] * u[0];
          },
      .g = [](auto y, auto out) { out[0] = y[0] * y[1] * y[1] - 1.0; },
  };
  return with_exact_start({
      .name = "jay",
      .problem = {.form = form, .t_span = {0, 0.5}},
      .exact = [](double t) { return vector(exp(2 * t), exp(-t), exp(2 * t), exp(-t), exp(t)); },
      .groups = three_groups(2, 2, 1),
  });
}

ReferenceProblem singularly_perturbed(double epsilon) {
  const SingularlyPerturbed form = {
      .slow = 1,
      .fast = 1,
      .epsilon = epsilon,
      .f =
          [](auto t, auto y, auto z, auto out) {
            const auto Z = 1.0 + cos(t);
            out[0] = cos(t) - (y[0] - 2.0 - sin(t)) + 0.25 * y[0] * (z[0] * z[0] - Z * Z);
          },
      .g =
          [epsilon](auto t, auto y, auto z, auto out) {
            const auto Y = 2.0 + sin(t);
            const auto Z = 1.0 + cos(t);
            out[0] = -epsilon * sin(t) - (z[0] * z[0] * z[0] + z[0] - Z * Z * Z - Z) +
                     (y[0] * y[0] - Y * Y) / 3.0;
          },
  };
  return with_exact_start({
      .name = fmt::format("spp{:.0f}", -std::log10(epsilon)),
      .problem = {.form = form, .t_span = {0, 1}},
      .exact = [](double t) { return vector(2 + sin(t), 1 + cos(t)); },
      .groups = two_groups(1, 1, 0),
  });
}

}  // namespace daedalus::reproduce
