#pragma once
// Single equations of a set as expressions in x_j^(k), for symbolic work on few of them: time
// derivatives, substitution, text that a person can read.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

class RowExpressions {
 public:
  RowExpressions(const EquationSet& equations, const std::vector<std::string>& variables,
                 const std::vector<std::string>& discrete);

  Graph graph;

  /// The left side of  0 = f_row.
  NodeId residual(int row);
  /// How many variables and derivatives occur in a row.
  int variables_in(int row) const;
  NodeId time() { return input({Leaf::Kind::time, 0, 0}); }
  NodeId discrete(int which) { return input({Leaf::Kind::discrete, 0, which}); }
  NodeId variable(int which, int order) { return input({Leaf::Kind::variable, order, which}); }
  /// Total derivative with respect to time.
  NodeId differentiated(NodeId root);

  using Replacements = std::map<std::pair<int, int>, NodeId>;  ///< (variable, order)
  NodeId substituted(NodeId root, const Replacements& replacements);
  /// The same with equal terms collected.
  NodeId collected(NodeId root);
  const Leaf& leaf_of(int input_number) const {
    return leaves_[static_cast<std::size_t>(input_number)];
  }

  /// The equation `root = 0` as the next row of a set.
  void add(NodeId root, EquationBuilder& builder) const;
  /// (variable, order) of what occurs in `root`.
  std::vector<std::pair<int, int>> occurring(NodeId root) const;
  /// Number of inputs so far; they are numbered in the order in which they were first asked for.
  int inputs() const { return static_cast<int>(leaves_.size()); }
  /// Number of nodes if shared ones were written out every time.
  double written_size(NodeId root) const;
  /// Collected into a sum of products; "0" if everything cancels.
  std::string text(NodeId root) const;
  /// The same as an equation `sum = 0`, divided by what all terms share; empty if all cancels.
  std::string equation_text(NodeId root) const;

 private:
  NodeId input(const Leaf& leaf);

  const EquationSet& equations_;
  const std::vector<std::string>& variables_;
  const std::vector<std::string>& discrete_;
  std::vector<std::pair<int, int>> place_;  ///< kernel and instance of each row
  std::vector<Leaf> leaves_;                ///< of the inputs
  std::map<std::pair<int, std::pair<int, int>>, int> input_of_;
  std::vector<std::string> names_;  ///< of the inputs
};

}  // namespace daedalus
