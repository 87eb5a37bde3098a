#include "expression/early_sums.h"

#include <algorithm>

#include "expression/rebuild.h"

namespace daedalus {

int latency_of(Op op) {
  switch (op) {
    case Op::constant:
    case Op::input:
      return 0;
    case Op::neg:
    case Op::abs:
    case Op::min:
    case Op::max:
      return 1;
    case Op::add:
    case Op::sub:
    case Op::mul:
      return 4;
    case Op::div:
    case Op::sqrt:
      return 13;
    default:
      return 40;  // a call
  }
}

int KnownTimes::operator()(NodeId id) {
  for (auto k = static_cast<NodeId>(times_.size()); k <= id; ++k) {
    int latest = 0;
    for_operands(graph_[k], [&](NodeId operand) {
      latest = std::max(latest, times_[static_cast<std::size_t>(operand)]);
    });
    times_.push_back(latest + latency_of(graph_[k].op));
  }
  return times_[static_cast<std::size_t>(id)];
}

void EarlySum::add(NodeId a) {
  if (!graph_.is_constant(a, 0)) terms_.push_back({known_(a), false, a, -1});
}

void EarlySum::put_product(NodeId a, NodeId b, bool negative) {
  if (graph_.is_constant(a, 0) || graph_.is_constant(b, 0)) return;
  terms_.push_back({std::max(known_(a), known_(b)), negative, a, b});
}

EarlySum::Term EarlySum::joined(const Term& first, const Term& second) {
  const NodeId a = node(first), b = node(second);
  const NodeId sum = first.negative == second.negative ? graph_.add(a, b)
                     : first.negative                  ? graph_.sub(b, a)
                                                       : graph_.sub(a, b);
  // A product joins a sum within the time of the addition.
  const int start = first.b < 0 ? first.time : first.time + latency_of(Op::mul);
  return {std::max(start, second.time) + latency_of(Op::add), first.negative && second.negative,
          sum, -1};
}

NodeId EarlySum::total() {
  if (terms_.empty()) return graph_.constant(0);
  const auto later = [](const Term& x, const Term& y) { return x.time > y.time; };
  // The latest first, those of the same time in the order in which they came.
  std::reverse(terms_.begin(), terms_.end());
  std::stable_sort(terms_.begin(), terms_.end(), later);
  while (terms_.size() > 1) {
    const Term second = terms_[terms_.size() - 2], sum = joined(terms_.back(), second);
    terms_.resize(terms_.size() - 2);
    terms_.insert(std::lower_bound(terms_.begin(), terms_.end(), sum, later), sum);
  }
  const NodeId total = node(terms_.front());
  const bool negative = terms_.front().negative;
  terms_.clear();
  return negative ? graph_.neg(total) : total;
}

}  // namespace daedalus
