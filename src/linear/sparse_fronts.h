#pragma once
// Multifrontal LU of a real sparse matrix: unknowns that have the same neighbours when they are
// eliminated form a dense front, so that nearly all operations are products of dense matrices,
// which keep the vector registers busy. Pivots are sought within their front. [DuffReid1983]
#include <cstddef>
#include <memory>
#include <vector>

#include "linear/front_kernels.h"
#include "linear/pencil.h"

namespace daedalus {

/// What follows from the pattern alone.
class FrontTree {
 public:
  FrontTree(const Pattern& pattern, const std::vector<int>& order);

  struct Supernode {
    int first, columns;               ///< eliminated in a row
    int stride = 0;                   ///< of its front
    std::vector<int> below = {};      ///< rows that its columns have further down, ascending
    std::vector<int> in_parent = {};  ///< where these stand in the front that comes next
    std::vector<int> children = {};
    std::size_t lower = 0, upper = 0;  ///< its columns and rows in the factors
    std::size_t first_entry = 0, end_entry = 0;
    std::size_t first_below = 0;  ///< in the list of all

    int rows() const { return static_cast<int>(below.size()); }
    int size() const { return columns + rows(); }
    std::size_t lower_entries() const;
    std::size_t upper_entries() const;
  };
  struct Entry {
    int value;  ///< of the pattern
    int row;
    std::size_t offset;  ///< in its front
  };

  int size() const { return static_cast<int>(order_.size()); }
  const std::vector<int>& order() const { return order_; }
  const std::vector<Supernode>& nodes() const { return nodes_; }
  const std::vector<Entry>& entries() const { return entries_; }  ///< by supernode
  /// Of all supernodes in a row, for those who go through them.
  const std::vector<int>& below() const { return below_; }
  std::size_t largest_front() const { return largest_; }
  std::size_t longest_column() const { return longest_; }
  std::size_t factors() const { return total_; }

 private:
  struct Elimination;

  void find_supernodes(const Elimination& elimination);
  void find_rows(const Elimination& elimination);
  void place_factors();
  void place_entries(const Pattern& pattern);
  void number_rows(const Supernode& node, std::vector<int>& local) const;

  std::vector<int> order_, place_, node_of_, below_;
  std::vector<Supernode> nodes_;
  std::vector<Entry> entries_;
  std::size_t largest_ = 0, longest_ = 0, total_ = 0;
};

class SparseFronts {
 public:
  explicit SparseFronts(std::shared_ptr<const FrontTree> tree,
                        InstructionSet set = best_instruction_set());

  /// Values in the order of the pattern. False: some front has no good pivots, so there are no
  /// factors; pivots outside of it may be better.
  bool factor(const double* values);
  void solve(double* x) const;

 private:
  using Supernode = FrontTree::Supernode;

  void assemble(const Supernode& node, const double* values);
  void keep(const Supernode& node);
  FrontColumns kept(const Supernode& node) const;

  std::shared_ptr<const FrontTree> tree_;
  FrontKernels kernels_;
  std::unique_ptr<double[]> front_memory_, factor_memory_;
  double* front_ = nullptr;
  double* factors_ = nullptr;
  std::vector<double> waiting_;  ///< Schur complements on their way to the next front
  std::vector<double> scale_;    ///< of the rows, so that the largest entry of each is 1
  std::vector<double> inverse_;
  std::vector<int> exchanged_;
  mutable std::vector<double> x_, local_memory_;
  double* local_ = nullptr;  ///< two columns
};

}  // namespace daedalus
