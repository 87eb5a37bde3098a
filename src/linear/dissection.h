#pragma once
// Orders of the unknowns in which sparse factors fill little.
#include <vector>

#include "linear/pencil.h"

namespace daedalus {

/// Nested dissection by level sets: order[k] is the unknown that comes at place k. [GeorgeLiu1978]
std::vector<int> dissection_order(const Pattern& pattern);

/// Of factors without pivoting, with rows and columns in this order.
SparseWork ordered_work(const Pattern& pattern, const std::vector<int>& order);

}  // namespace daedalus
