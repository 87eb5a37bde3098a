#pragma once
// Sums in the order in which their terms can be known: what waits for a long row of divisions is
// added last, and terms that come at the same time are added in pairs. In code that is one long
// dependence, such as factors and the solutions with them, the order of sums is most of what can be
// gained.
#include <vector>

#include "expression/graph.h"

namespace daedalus {

/// Cycles from the inputs of an operation to its result, roughly.
int latency_of(Op op);

/// When nodes are known, in cycles after the inputs, by a processor that never has to wait for
/// anything but operands. Nodes may be added to the graph all the while.
class KnownTimes {
 public:
  explicit KnownTimes(const Graph& graph) : graph_(graph) {}
  int operator()(NodeId id);

 private:
  const Graph& graph_;
  std::vector<int> times_;
};

class EarlySum {
 public:
  EarlySum(Graph& graph, KnownTimes& known) : graph_(graph), known_(known) {}
  /// What is zero is left out.
  void add(NodeId a);
  void add_product(NodeId a, NodeId b) { put_product(a, b, false); }
  void subtract_product(NodeId a, NodeId b) { put_product(a, b, true); }
  NodeId total();

 private:
  /// A product is known as late as its factors: the sum takes it up.
  struct Term {
    int time;
    bool negative;
    NodeId a, b;  ///< b negative: a is the term
  };
  void put_product(NodeId a, NodeId b, bool negative);
  NodeId node(const Term& term) { return term.b < 0 ? term.a : graph_.mul(term.a, term.b); }
  Term joined(const Term& first, const Term& second);

  Graph& graph_;
  KnownTimes& known_;
  std::vector<Term> terms_;
};

}  // namespace daedalus
