#pragma once
// A symmetric positive definite matrix of expressions, factored symbol by symbol: A = L D L^T in an
// order that keeps L sparse. What is structurally zero never becomes an operation, so that solving
// along the pattern is straight-line code. No pivots are looked at: whoever evaluates them must.
#include <vector>

#include "expression/early_sums.h"

namespace daedalus {

class StraightFactors {
 public:
  /// `matrix` by rows. Both outlive it.
  StraightFactors(Graph& graph, KnownTimes& known, std::vector<NodeId> matrix, int size);

  NodeId pivot(int i) const { return pivot_[static_cast<std::size_t>(i)]; }
  /// x = L^-1 x
  void forward(std::vector<NodeId>& x) const;
  /// x = D^-1 x
  void divide(std::vector<NodeId>& x) const;
  /// x = L^-T x
  void back(std::vector<NodeId>& x) const;
  void solve(std::vector<NodeId>& x) const { forward(x), divide(x), back(x); }

 private:
  struct Entry {
    int row;
    NodeId value;
  };
  struct Column {
    int place;
    std::vector<Entry> below;
  };
  Graph& graph_;
  KnownTimes& known_;
  std::vector<Column> columns_;  ///< in the order of elimination
  std::vector<NodeId> pivot_, inverse_;
};

/// sum x_i y_i of what is not zero.
NodeId dot(Graph& graph, KnownTimes& known, const std::vector<NodeId>& x,
           const std::vector<NodeId>& y);

}  // namespace daedalus
