// An index-2 problem with a moving null space, well posed for every eta:
//   0 = y + eta t z - f,   y' + eta t z' + (1 + eta) z = g,    z = g - f'.
// A stiffly accurate method multiplies errors of z in each step, whatever h and t, by
//   rho = eta e_s^T [(1 + eta) A + eta (A C A^-1 - C)]^-1 A C A^-1 1.   [GearPetzold1984]
#include <cmath>
#include <ostream>

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "reproduce/problems.h"
#include "reproduce/reproduction.h"

namespace daedalus::reproduce {
namespace {

constexpr int steps = 100;

double amplification(const Tableau& method, double eta) {
  const int s = method.stages;
  Matrix A(s, s);
  Vector c(s);
  for (int i = 0; i < s; ++i) {
    c[i] = method.c[i];
    for (int j = 0; j < s; ++j) A(i, j) = method.a[i][j];
  }
  const Matrix C = c.asDiagonal();
  const Matrix moved = A * C * A.inverse();
  const Matrix K = (1 + eta) * A + eta * (moved - C);
  const Eigen::FullPivLU<Matrix> factors(K);
  if (!factors.isInvertible()) return std::nan("");
  return eta * factors.solve(moved * Vector::Ones(s))[s - 1];
}

struct Observation {
  double growth = 0;  ///< quotient of the errors of z in the last two steps
  double error = 0;   ///< of z after 100 steps
};

Observation observe(const std::string& method, double eta) {
  const ReferenceProblem problem = eta_problem(eta);
  Options options = {.method = method, .rtol = 1e-10, .atol = {1e-10}, .dense = false};
  options.fixed_step = 1.0 / steps;
  const Solution solution = solve(problem.problem, options);
  const int last = solution.rows() - 1;
  if (!solution.succeeded() || last < 1) return {std::nan(""), std::nan("")};
  const auto error = [&](int i) { return solution.y(i)[1] - problem.exact(solution.t[i])[1]; };
  return {error(last) / error(last - 1), std::abs(error(last))};
}

/// Where |rho| > 1, errors of consecutive steps have the quotient rho; where not, they stay small.
bool agrees(double rho, const Observation& observed) {
  if (std::isnan(rho)) return true;
  if (std::abs(rho) > 1.05) return std::abs(observed.growth - rho) < 0.02 * std::abs(rho);
  return observed.error < 1;
}

struct Row {
  std::string method = {};
  double eta = 0;
  bool has_formula = false;
  double rho = 0;
  Observation observed = {};
};

std::vector<Row> compute_rows() {
  std::vector<Row> rows;
  for (const double eta : {-0.75, -0.6, -0.4, -0.3, -0.15, -0.05, 0.5, 2.0}) {
    for (const char* name :
         {"radau_iia_1", "radau_iia_3", "radau_iia_5", "radau_iia_7", "radau_iia_9",
          "lobatto_iiic_2", "lobatto_iiic_4", "lobatto_iiic_6", "sdirk_2", "sdirk_alexander_3",
          "sdirk_hairer_wanner_4", "gauss_2", "gauss_4", "radau_ia_3"}) {
      const Tableau& method = find_method(name);
      const bool has_formula = is_stiffly_accurate(method);
      const double rho = has_formula ? amplification(method, eta) : std::nan("");
      rows.push_back({name, eta, has_formula, rho, observe(name, eta)});
    }
  }
  return rows;
}

void print_rows(const std::vector<Row>& rows, std::ostream& out) {
  fmt::print(out,
             "Factor rho by which one step multiplies an error of z: formula, and quotient of "
             "the errors\nof the last two of {} steps (h = 0.01); observable where |rho| > 1.\n",
             steps);
  double eta = std::nan("");
  for (const Row& row : rows) {
    if (row.eta != eta) {
      fmt::print(out, "\neta = {:<8g} {:>24} {:>12} {:>16}\n", row.eta, "rho", "observed",
                 "error of z(1)");
    }
    eta = row.eta;
    fmt::print(out, "  {:<24} {:>10} {:>12.4g} {:>16.1e}\n", row.method,
               row.has_formula ? fmt::format("{:.4g}", row.rho) : "-", row.observed.growth,
               row.observed.error);
  }
}

}  // namespace

ReproduceSummary reproduce_eta(const ReproduceOptions& options, std::ostream& out) {
  const std::vector<Row> rows = compute_rows();
  ReproduceSummary summary;
  if (options.csv) fmt::print(out, "method,eta,rho,computed,error,agrees\n");
  for (const Row& row : rows) {
    if (!row.has_formula) continue;
    ++summary.entries;
    const bool is_agreement = agrees(row.rho, row.observed);
    if (is_agreement) ++summary.agree;
    if (options.csv) {
      fmt::print(out, "{},{:g},{:.6g},{:.6g},{:.3e},{}\n", row.method, row.eta, row.rho,
                 row.observed.growth, row.observed.error, is_agreement ? "yes" : "no");
    }
  }
  if (!options.csv) print_rows(rows, out);
  return summary;
}

}  // namespace daedalus::reproduce
