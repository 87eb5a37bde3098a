#pragma once
// Fewer points for a plot that looks the same: of each bucket of rows the smallest and the largest
// value stay, so that no peak is lost.
#include <cstddef>
#include <vector>

namespace daedalus::report {

/// Rows to keep, ascending, the first and the last among them; at most `limit` (4 or more).
/// Value number i is y[i * stride].
std::vector<std::size_t> thinned_rows(const double* y, std::size_t stride, std::size_t rows,
                                      std::size_t limit);

}  // namespace daedalus::report
