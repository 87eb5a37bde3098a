// Theorem 3.1 of [AscherLin1996], measured: with B y_0 right at t = 0 up to its derivative of order
// M,
//     x_s - x = O(eps^s) + O(eps^(M+2)) in a layer,   B y_s - B y = O(eps^s) + O(eps^(M+1)) in a
//     layer
// of width O(eps) that is empty for s <= M + 1. Example 2 of the paper, collocation with eight
// digits more than eps leaves, eps and eps/2.
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "daedalus/regularisation.h"
#include "reproduce/reproduction.h"

namespace daedalus::reproduce {
namespace {

constexpr double eps = 0.005;
constexpr int iterations = 4;
constexpr double layer_end = 20 * eps;

LinearIndex2 example() {
  LinearIndex2 problem;
  problem.differential = 2;
  problem.algebraic = 1;
  problem.A = [](auto, auto a) { a << -1, 1, 0, 0; };
  problem.B = [](auto t, auto b) {
    b(0, 0) = 0;
    b(1, 0) = 1 - 2 * t;
  };
  problem.C = [](auto t, auto c) { c << 1 - 2 * t, 1 - 2 * t; };
  problem.q = [](auto t, auto q) {
    q[0] = -sin(t);
    q[1] = 0;
  };
  problem.r = [](auto t, auto r) { r[0] = -(1 - 2 * t) * (exp(-t) + sin(t)); };
  problem.at_begin = Matrix::Identity(2, 2);
  problem.values = Values{1, 0};
  return problem;
}

/// B y = (0, cos t), right up to derivative M.
RegularisedRun run(double parameter, int M) {
  return regularise(example(),
                    {.eps = parameter,
                     .iterations = iterations,
                     .scheme = "gauss_8",
                     .guess =
                         [M](double t, Output z) {
                           z[0] = 0;
                           z[1] = M < 0 ? 0.0 : M == 0 ? 1 + t : 1.0;
                         }},
                    uniform_mesh({0, 1}, static_cast<int>(std::lround(4 / parameter))));
}

/// Largest errors {x, B y} of iterate s with begin <= t <= end.
std::array<double, 2> errors(const RegularisedRun& run, int s, double begin, double end) {
  std::array<double, 2> worst = {};
  const RegularisedIterate& iterate = run.iterates[s - 1];
  for (std::size_t i = 0; i < run.mesh.size(); ++i) {
    const double t = run.mesh[i];
    if (t < begin || t > end) continue;
    const Vector exact = Values{std::exp(-t), std::sin(t)};
    worst[0] = std::max(worst[0], (iterate.x.col(i) - exact).cwiseAbs().maxCoeff());
  }
  for (std::size_t k = 0; k < run.nodes.size(); ++k) {
    const double t = run.nodes[k];
    if (t < begin || t > end) continue;
    const Vector exact = Values{0, std::cos(t)};
    worst[1] = std::max(worst[1], (iterate.carried.col(k) - exact).cwiseAbs().maxCoeff());
  }
  return worst;
}

struct Row {
  int M = 0;
  int s = 0;
  const char* where = "";
  std::array<int, 2> theory = {};
  std::array<double, 2> observed = {};

  /// Without a layer the theorem bounds the error, which is smaller near t = 0.
  bool is_bound() const { return std::string_view(where) == "layer" && s <= M + 1; }
  bool agrees(int k) const {
    return observed[k] > theory[k] - 0.25 && (is_bound() || observed[k] < theory[k] + 0.25);
  }
  std::string text(int k) const {
    return fmt::format("{:.2f} ({}{})", observed[k], is_bound() ? ">=" : "", theory[k]);
  }
};

std::vector<Row> compute_rows() {
  std::vector<Row> rows;
  for (const int M : {-1, 0, 1}) {
    const RegularisedRun coarse = run(eps, M), fine = run(eps / 2, M);
    for (int s = 1; s <= iterations; ++s) {
      const auto measure = [&](const char* where, std::array<int, 2> theory,
                               const std::array<double, 2>& a, const std::array<double, 2>& b) {
        rows.push_back({M, s, where, theory, {std::log2(a[0] / b[0]), std::log2(a[1] / b[1])}});
      };
      measure("layer", {std::min(s, M + 2), std::min(s, M + 1)}, errors(coarse, s, 0, layer_end),
              errors(fine, s, 0, layer_end / 2));
      measure("behind it", {s, s}, errors(coarse, s, 0.4, 1), errors(fine, s, 0.4, 1));
    }
  }
  return rows;
}

}  // namespace

ReproduceSummary reproduce_regularisation_orders(const ReproduceOptions& options,
                                                 std::ostream& out) {
  const std::vector<Row> rows = compute_rows();
  ReproduceSummary summary;
  const char* header = options.csv
                           ? "M,iteration,where,theory_x,x,theory_By,By\n"
                           : "powers of eps, observed between 0.005 and 0.0025 (theory)\n\n";
  fmt::print(out, "{}", header);
  if (!options.csv)
    fmt::print(out, "{:>3} {:>10}  {:<10} {:>12} {:>12}\n", "M", "iteration", "where", "x", "By");
  for (const Row& row : rows) {
    for (int k = 0; k < 2; ++k) {
      ++summary.entries;
      if (row.agrees(k)) ++summary.agree;
    }
    if (options.csv)
      fmt::print(out, "{},{},{},{},{:.3f},{},{:.3f}\n", row.M, row.s, row.where, row.theory[0],
                 row.observed[0], row.theory[1], row.observed[1]);
    else
      fmt::print(out, "{:>3} {:>10}  {:<10} {:>12} {:>12}\n", row.M, row.s, row.where, row.text(0),
                 row.text(1));
  }
  if (!options.csv)
    fmt::print(out, "\n{} orders: {} agree with the theorem within 0.25.\n", summary.entries,
               summary.agree);
  return summary;
}

}  // namespace daedalus::reproduce
