#include "daedalus/crosscheck.h"

#include <algorithm>
#include <cmath>

#include "method/explicit.h"
#include "method/extrapolation.h"

namespace daedalus {

CrossCheck crosscheck(const Problem& problem, const Options& first, const Options& second,
                      int points) {
  const auto solved = [&](Options options) {
    options.points = points, options.at.clear(), options.dense = false;
    return solve(problem, options);
  };
  CrossCheck result{solved(first), solved(second)};
  const Solution &a = result.first, &b = result.second;
  const Vector& given = first.atol;
  result.differences.resize(static_cast<std::size_t>(std::min(a.size(), b.size())));
  for (std::size_t j = 0; j < result.differences.size(); ++j)
    result.differences[j].variable = a.variables[j];
  for (int i = 0; i < std::min(a.rows(), b.rows()) && a.t[i] == b.t[i]; ++i, ++result.rows) {
    const Input x = a.y(i), y = b.y(i);
    for (std::size_t k = 0; k < result.differences.size(); ++k) {
      const int j = static_cast<int>(k);
      const double atol = given.size() == 0   ? first.rtol
                          : given.size() == 1 ? given[0]
                                              : given[std::min<Eigen::Index>(j, given.size() - 1)];
      const double size = std::abs(x[j] - y[j]);
      const double tolerances =
          size / (atol + first.rtol * std::max(std::abs(x[j]), std::abs(y[j])));
      CrossCheck::Difference& worst = result.differences[k];
      // Multipliers may not exist where constraints are singular.
      if (tolerances > worst.tolerances)
        worst.tolerances = tolerances, worst.t = a.t[i], worst.size = size;
    }
  }
  std::stable_sort(result.differences.begin(), result.differences.end(),
                   [](const auto& x, const auto& y) { return x.tolerances > y.tolerances; });
  return result;
}

Options another_way(const Options& options, const Solution& solution) {
  Options other = options;
  const ExtrapolationTable* extrapolated = find_extrapolation(solution.method);
  if (find_explicit(solution.method) || (extrapolated && extrapolated->is_half_explicit())) {
    other.method = "radau";
    return other;
  }
  other.method = solution.method;
  if (solution.formulation == name_of(Formulation::projected))
    other.formulation = Formulation::stabilized_index_2;
  else if (solution.formulation == name_of(Formulation::direct))
    other.method = solution.method == "bdf" ? "radau" : "bdf";
  else
    other.formulation = Formulation::projected;
  return other;
}

}  // namespace daedalus
