#include "linear/sparse_plan.h"

#include <algorithm>
#include <new>
#include <utility>

#include "linear/dissection.h"
#include "linear/klu_analysis.h"

namespace daedalus {
namespace {

klu_common default_settings() {  // minimum degree among them
  klu_common settings;
  klu_defaults(&settings);
  return settings;
}

std::shared_ptr<const KluAnalysis> owned(klu_symbolic* symbolic) {
  if (symbolic == nullptr) throw std::bad_alloc();
  return std::make_shared<const KluAnalysis>(symbolic);
}

// KLU takes pointers to non-const, but changes nothing.
int* given(const std::vector<int>& list) {
  return const_cast<int*>(list.data());
}

std::shared_ptr<const KluAnalysis> minimum_degree(const Pattern& pattern) {
  klu_common settings = default_settings();
  return owned(
      klu_analyze(pattern.size, given(pattern.column_start), given(pattern.row), &settings));
}

SparseWork work_of(const klu_symbolic& symbolic) {
  return {symbolic.est_flops, symbolic.lnz + symbolic.unz};
}

/// One order for rows and columns, and hardly a block of unknowns that needs no other.
bool is_symmetric_whole(const klu_symbolic& symbolic) {
  return symbolic.nblocks == 1 && std::equal(symbolic.P, symbolic.P + symbolic.n, symbolic.Q);
}

}  // namespace

SparsePlan::SparsePlan(const Pattern& pattern) {
  std::shared_ptr<const KluAnalysis> least = minimum_degree(pattern);
  work_ = work_of(*least->symbolic);
  // Operations for an unknown, from bench/linear_bench.cpp: fewer are faster one by one, and many
  // are worth a search for an order with less of them.
  constexpr double few = 300, many = 2000;
  if (work_.flops > many * pattern.size) {
    std::vector<int> order = dissection_order(pattern);
    SparseWork work = ordered_work(pattern, order);
    if (work.flops < work_.flops) order_ = std::move(order), work_ = std::move(work);
  }
  if (order_.empty() && work_.flops > few * pattern.size && is_symmetric_whole(*least->symbolic))
    order_.assign(least->symbolic->Q, least->symbolic->Q + pattern.size);
  if (order_.empty()) std::call_once(analysis_made_, [&] { analysis_ = std::move(least); });
}

std::shared_ptr<const FrontTree> SparsePlan::fronts(const Pattern& pattern) const {
  std::call_once(fronts_made_,
                 [&] { fronts_ = std::make_shared<const FrontTree>(pattern, order_); });
  return fronts_;
}

std::shared_ptr<const KluAnalysis> SparsePlan::analysis(const Pattern& pattern) const {
  std::call_once(analysis_made_, [&] {
    klu_common settings = default_settings();
    analysis_ =
        owned(klu_analyze_given(pattern.size, given(pattern.column_start), given(pattern.row),
                                given(order_), given(order_), &settings));
  });
  return analysis_;
}

SparseWork sparse_work(const Pattern& pattern) {
  auto plan = std::make_shared<const SparsePlan>(pattern);
  SparseWork work = plan->work();
  work.plan = std::move(plan);
  return work;
}

}  // namespace daedalus
