// An index-2 problem with a moving null space, well posed for every eta:
//   0 = y + eta t z - f,   y' + eta t z' + (1 + eta) z = g,    z = g - f'.
// A stiffly accurate method multiplies errors of z in each step, whatever h and t, by
//   rho = eta e_s^T [(1 + eta) A + eta (A C A^-1 - C)]^-1 A C A^-1 1.   [GearPetzold1984]
// With v = y + eta t z the same problem reads v' = g - z, 0 = v - f, and every method works.
#include <cmath>
#include <functional>
#include <ostream>

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "reproduce/problems.h"
#include "reproduce/reproduction.h"

namespace daedalus::reproduce {
namespace {

constexpr int steps = 100;
constexpr double h = 1.0 / steps;

struct Coefficients {
  Matrix A;
  Vector b, c;
};

Coefficients coefficients(const Tableau& method) {
  const int s = method.stages;
  Coefficients result{Matrix(s, s), Vector(s), Vector(s)};
  for (int i = 0; i < s; ++i) {
    result.b[i] = method.b[i];
    result.c[i] = method.c[i];
    for (int j = 0; j < s; ++j) result.A(i, j) = method.a[i][j];
  }
  return result;
}

/// NaN where the stage equations are singular.
double amplification(const Tableau& method, double eta) {
  const auto [A, b, c] = coefficients(method);
  const Matrix C = c.asDiagonal();
  const Matrix moved = A * C * A.inverse();
  const Eigen::FullPivLU<Matrix> factors((1 + eta) * A + eta * (moved - C));
  if (!factors.isInvertible()) return std::nan("");
  return eta * factors.solve(moved * Vector::Ones(method.stages))[method.stages - 1];
}

struct State {
  double t = 0;
  double y = 0;
  double z = 0;
};

/// Right sides f and g.
struct Inputs {
  std::function<double(double)> f, g;
};

/// One step with the stage equations solved at once. Newton's iteration with a Jacobian frozen at
/// the start of the step cannot do it: it leaves eta c_i h in the null space, and contracts by a
/// factor that does not fall with h.
State step(const Coefficients& method, double eta, const Inputs& inputs, const State& state) {
  const int s = static_cast<int>(method.c.size());
  Matrix K = Matrix::Zero(2 * s, 2 * s);
  Vector right(2 * s);
  for (int i = 0; i < s; ++i) {
    const double t = state.t + method.c[i] * h;
    // Unknowns: Y' in the first half, Z' in the second.
    K.row(i).head(s) = h * method.A.row(i);
    K.row(i).tail(s) = eta * t * h * method.A.row(i);
    right[i] = inputs.f(t) - state.y - eta * t * state.z;
    K(s + i, i) = 1;
    K.row(s + i).tail(s) = (1 + eta) * h * method.A.row(i);
    K(s + i, s + i) += eta * t;
    right[s + i] = inputs.g(t) - (1 + eta) * state.z;
  }
  const Vector slopes = K.fullPivLu().solve(right);
  return {state.t + h, state.y + h * method.b.dot(slopes.head(s)),
          state.z + h * method.b.dot(slopes.tail(s))};
}

/// What an error of z has become after one step from t = 0.5.
double observed_factor(const Tableau& method, double eta) {
  const Inputs homogeneous = {[](double) { return 0.0; }, [](double) { return 0.0; }};
  return step(coefficients(method), eta, homogeneous, {0.5, -eta * 0.5, 1}).z;
}

/// Error of z(1) for f = sin t, g = 2 cos t, as the problem stands.
double direct_error(const Tableau& method, double eta) {
  const Inputs inputs = {[](double t) { return std::sin(t); },
                         [](double t) { return 2 * std::cos(t); }};
  const Coefficients numbers = coefficients(method);
  State state = {0, 0, 1};
  for (int i = 0; i < steps; ++i) state = step(numbers, eta, inputs, state);
  return std::abs(state.z - std::cos(1.0));
}

/// The same with the library, after the problem is rewritten.
double rewritten_error(const std::string& method) {
  const HessenbergIndex2 form = {
      .differential = 1,
      .algebraic = 1,
      .f =
          [](auto t, auto, auto z, auto out) {
            using std::cos;
            out[0] = 2.0 * cos(t) - z[0];
          },
      .g =
          [](auto t, auto v, auto out) {
            using std::sin;
            out[0] = v[0] - sin(t);
          },
  };
  const Problem problem = {.form = form, .t_span = {0, 1}, .start = {0, 1}};
  Options options = {.method = method, .dense = false, .project_output = false};
  options.fixed_step = h;
  const Solution solution = solve(problem, options);
  return solution.succeeded() ? std::abs(solution.y_end()[1] - std::cos(1.0)) : std::nan("");
}

struct Row {
  std::string method = {};
  double eta = 0;
  bool has_formula = false;
  double formula = 0;
  double observed = 0;
  double direct = 0;
  double rewritten = 0;
};

bool agrees(const Row& row) {
  // Rounding in stage equations of condition 1/h^2.
  return std::abs(row.observed - row.formula) < 1e-8 * std::max(1.0, std::abs(row.formula));
}

std::vector<Row> compute_rows() {
  std::vector<Row> rows;
  for (const double eta : {-0.75, -0.6, -0.4, -0.3, -0.15, -0.05, 0.5, 2.0}) {
    for (const char* name :
         {"radau_iia_1", "radau_iia_3", "radau_iia_5", "radau_iia_7", "radau_iia_9",
          "lobatto_iiic_2", "lobatto_iiic_4", "lobatto_iiic_6", "sdirk_2", "sdirk_alexander_3",
          "sdirk_hairer_wanner_4", "gauss_2", "gauss_4", "radau_ia_3", "radau_ia_5"}) {
      const Tableau& method = find_method(name);
      const bool has_formula = is_stiffly_accurate(method);
      rows.push_back(
          {name, eta, has_formula, has_formula ? amplification(method, eta) : std::nan(""),
           observed_factor(method, eta), direct_error(method, eta), rewritten_error(name)});
    }
  }
  return rows;
}

std::string factor_text(const Row& row, double factor) {
  // Lobatto IIIC: zero but for rounding.
  return row.has_formula ? fmt::format("{:.4f}", std::abs(factor) < 1e-9 ? 0.0 : factor) : "-";
}

void print_rows(const std::vector<Row>& rows, std::ostream& out) {
  fmt::print(out,
             "rho: by what one step multiplies an error of z, by formula and observed; then the "
             "error of z(1)\nafter {} steps, for the problem as it stands and rewritten with "
             "v = y + eta t z.\n",
             steps);
  double eta = std::nan("");
  for (const Row& row : rows) {
    if (row.eta != eta) {
      fmt::print(out, "\n{:<26} {:>10} {:>10} {:>14} {:>12}\n", fmt::format("eta = {:g}", row.eta),
                 "rho", "observed", "as it stands", "rewritten");
    }
    eta = row.eta;
    fmt::print(out, "  {:<24} {:>10} {:>10} {:>14.1e} {:>12.1e}\n", row.method,
               factor_text(row, row.formula), factor_text(row, row.observed), row.direct,
               row.rewritten);
  }
}

}  // namespace

ReproduceSummary reproduce_eta(const ReproduceOptions& options, std::ostream& out) {
  const std::vector<Row> rows = compute_rows();
  ReproduceSummary summary;
  if (options.csv) fmt::print(out, "method,eta,rho,error,error_rewritten,computed,agrees\n");
  for (const Row& row : rows) {
    if (!row.has_formula) continue;
    ++summary.entries;
    if (agrees(row)) ++summary.agree;
    if (options.csv) {
      fmt::print(out, "{},{:g},{:.6g},{:.3e},{:.3e},{:.6g},{}\n", row.method, row.eta, row.formula,
                 row.direct, row.rewritten, row.observed, agrees(row) ? "yes" : "no");
    }
  }
  if (!options.csv) print_rows(rows, out);
  return summary;
}

}  // namespace daedalus::reproduce
