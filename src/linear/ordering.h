#pragma once
// Orders of the unknowns in which the entries of a matrix lie near its diagonal.
#include <vector>

#include "linear/pencil.h"

namespace daedalus {

/// Diagonals beside the main one up to which nothing beats banded factors.
inline constexpr int narrow_band = 6;

/// Unknowns are neighbours where either has an entry in the row of the other; some come twice.
struct Neighbours {
  std::vector<int> start, list;

  explicit Neighbours(const Pattern& pattern);
  int degree(int i) const { return start[i + 1] - start[i]; }
};

/// Reverse Cuthill-McKee: order[k] is the unknown that comes at place k. [CuthillMcKee1969]
std::vector<int> narrow_order(const Pattern& pattern);

/// Of the pattern with rows and columns in this order.
Bandwidth bandwidth(const Pattern& pattern, const std::vector<int>& order);

/// Where banded factors put the unknowns: empty: as they stand.
std::vector<int> band_order(const Pattern& pattern);

}  // namespace daedalus
