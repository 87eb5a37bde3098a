#pragma once
// Orders of the unknowns in which sparse factors fill little.
#include <vector>

#include "linear/pencil.h"

namespace daedalus {

/// Nested dissection by level sets: order[k] is the unknown that comes at place k. [GeorgeLiu1978]
std::vector<int> dissection_order(const Pattern& pattern);

/// Of factors without pivoting, with rows and columns in this order.
SparseWork ordered_work(const Pattern& pattern, const std::vector<int>& order);

/// The same in the order of minimum degree, as KLU finds it.
SparseWork minimum_degree_work(const Pattern& pattern);

struct FillReducingOrder {
  std::vector<int> order;  ///< empty: minimum degree, which KLU finds itself
  SparseWork work;
};
/// Minimum degree, or dissection where that takes fewer operations.
FillReducingOrder fill_reducing_order(const Pattern& pattern);

}  // namespace daedalus
