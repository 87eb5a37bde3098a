#pragma once
// The same problem solved in two ways. Where both agree within a few tolerances, neither the method
// nor the formulation has made the result.
#include "daedalus/solve.h"

namespace daedalus {

struct CrossCheck {
  struct Difference {
    std::string variable = {};
    double tolerances = 0;  ///< largest |first - second| in units of atol + rtol |value|
    double t = 0;           ///< where
    double size = 0;
  };
  Solution first = {}, second = {};
  /// One for each variable, the largest first. Rows that only one of the runs has do not count.
  std::vector<Difference> differences = {};
  int rows = 0;  ///< that were compared

  bool both_succeeded() const { return first.succeeded() && second.succeeded(); }
  double largest() const { return differences.empty() ? 0 : differences.front().tolerances; }
};

/// Both are compared at `points` equidistant times.
[[nodiscard]] CrossCheck crosscheck(const Problem& problem, const Options& first,
                                    const Options& second, int points = 101);

/// Options that solve the problem of `solution` in another way: an implicit method where it was an
/// explicit one, another formulation where there is a choice, else another family.
[[nodiscard]] Options another_way(const Options& options, const Solution& solution);

}  // namespace daedalus
