#pragma once
// Expressions as people write them: a sum of products with equal terms collected, 2*x*u for
// (x + x)*u, x^2 for x*x, nothing where terms cancel.
#include <map>
#include <string>
#include <vector>

#include "expression/graph.h"

namespace daedalus {

class SumOfProducts {
 public:
  SumOfProducts(const Graph& graph, const std::vector<std::string>& input_names)
      : graph_(graph), names_(input_names) {}

  std::string text(NodeId root);
  /// The same expression with terms collected, in the graph that this one reads: what cancels by
  /// structure is gone.
  NodeId collected(Graph& graph, NodeId root);
  /// `sum = 0`, divided by what all coefficients share, the first of them positive; empty if all
  /// cancels.
  std::string equation_text(NodeId root);

 private:
  struct Factor {
    NodeId base = -1;
    int power = 1;
    bool operator==(const Factor&) const = default;
  };
  struct Term {
    double coefficient = 1;
    std::vector<Factor> factors = {};  ///< by base
  };
  using Sum = std::vector<Term>;

  const Sum& sum_of(NodeId id);
  Sum make_sum(NodeId id);
  Sum product(const Sum& a, const Sum& b, NodeId id_a, NodeId id_b) const;
  static Term times(const Term& a, const Term& b);
  static void add(Sum& sum, const Term& term);
  std::string text(const Sum& sum);
  std::string product_text(const Term& term);
  /// `power` > 1 or a factor beside others: a sum gets parentheses.
  std::string base_text(NodeId id);

  const Graph& graph_;
  const std::vector<std::string>& names_;
  std::map<NodeId, Sum> known_;
};

}  // namespace daedalus
