#pragma once
// How sparse factors of a pattern are made: in which order of the unknowns, by dense fronts or by
// KLU. What follows from the pattern alone is found once for all factors of it.
#include <memory>
#include <mutex>
#include <vector>

#include "linear/pencil.h"
#include "linear/sparse_fronts.h"

namespace daedalus {

struct KluAnalysis;

class SparsePlan {
 public:
  /// Minimum degree, or dissection where that takes fewer operations.
  explicit SparsePlan(const Pattern& pattern);

  const SparseWork& work() const { return work_; }
  /// Many operations for each unknown pay for dense fronts.
  bool has_fronts() const { return !order_.empty(); }
  /// Made when they are first asked for, by whichever thread; of the same pattern.
  std::shared_ptr<const FrontTree> fronts(const Pattern& pattern) const;
  std::shared_ptr<const KluAnalysis> analysis(const Pattern& pattern) const;

 private:
  std::vector<int> order_;  ///< empty: that of `analysis_`
  SparseWork work_;
  mutable std::once_flag fronts_made_, analysis_made_;
  mutable std::shared_ptr<const FrontTree> fronts_;
  mutable std::shared_ptr<const KluAnalysis> analysis_;
};

}  // namespace daedalus
