#include "report/thinning.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedalus::report {

std::vector<std::size_t> thinned_rows(const double* y, std::size_t stride, std::size_t rows,
                                      std::size_t limit) {
  std::vector<std::size_t> kept;
  limit = std::max<std::size_t>(limit, 4);
  if (rows <= limit) {
    kept.resize(rows);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  kept.push_back(0);
  const std::size_t buckets = (limit - 2) / 2;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t begin = 1 + b * (rows - 2) / buckets;
    const std::size_t end = 1 + (b + 1) * (rows - 2) / buckets;
    std::size_t low = begin, high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const double value = y[i * stride];
      if (std::isnan(y[low * stride]) || value < y[low * stride]) low = i;
      if (std::isnan(y[high * stride]) || value > y[high * stride]) high = i;
    }
    kept.push_back(std::min(low, high));
    if (low != high) kept.push_back(std::max(low, high));
  }
  kept.push_back(rows - 1);
  return kept;
}

}  // namespace daedalus::report
