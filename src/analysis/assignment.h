#pragma once
// A transversal of highest value of a signature matrix: the assignment problem with costs
// (largest order - sigma), small integers. First as many rows as cheap costs allow, by depth-first
// search with lookahead [PothenFan1990]; then shortest augmenting paths with prices.
#include <vector>

#include "analysis/signature.h"

namespace daedalus {

class Assignment {
 public:
  explicit Assignment(const Signature& signature);

  bool complete() const { return complete_; }
  const std::vector<int>& match() const { return match_; }    ///< variable of each row, -1
  const std::vector<int>& row_of() const { return row_of_; }  ///< row of each variable, -1

 private:
  int cost(int k) const { return highest_ - s_.entries[static_cast<std::size_t>(k)].order; }
  int reduced(int i, int k) const {
    return cost(k) - row_price_[i] - price_[s_.entries[static_cast<std::size_t>(k)].variable];
  }
  void set_prices();
  void match_tight();
  bool augment_tight(int root);
  bool augment(int root);
  /// The path that ends in an unmatched column, back to its root.
  void turn(int root, int end);

  const Signature& s_;
  int highest_ = 0;
  bool complete_ = true;
  std::vector<int> row_of_, match_, price_, row_price_, distance_, from_;
  std::vector<int> touched_, finished_, path_, position_, lookahead_;
  std::vector<char> visited_;
};

}  // namespace daedalus
