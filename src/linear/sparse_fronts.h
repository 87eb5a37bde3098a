#pragma once
// Multifrontal LU of a real sparse matrix: unknowns that have the same neighbours when they are
// eliminated form a dense front, so that nearly all operations are products of dense matrices,
// which keep the vector registers busy. Pivots are sought within their front. [DuffReid1983]
#include <cstddef>
#include <vector>

#include "linear/front_kernels.h"
#include "linear/pencil.h"

namespace daedalus {

class SparseFronts {
 public:
  SparseFronts(const Pattern& pattern, const std::vector<int>& order,
               InstructionSet set = best_instruction_set());

  /// Values in the order of the pattern. False: some front has no good pivots, so there are no
  /// factors; pivots outside of it may be better.
  bool factor(const double* values);
  void solve(double* x) const;

 private:
  struct Supernode {
    int first, columns;               ///< eliminated in a row
    int stride = 0;                   ///< of its front
    std::vector<int> below = {};      ///< rows that its columns have further down, ascending
    std::vector<int> in_parent = {};  ///< where these stand in the front that comes next
    std::vector<int> children = {};
    std::size_t lower = 0, right = 0;  ///< its columns, and its rows right of them, in `factors_`
    std::size_t first_entry = 0, end_entry = 0;

    int rows() const { return static_cast<int>(below.size()); }
    int size() const { return columns + rows(); }
  };
  struct Entry {
    int value;  ///< of the pattern
    int row;
    std::size_t offset;  ///< in its front
  };
  struct Tree;

  void find_supernodes(const Tree& tree);
  void find_rows(const Tree& tree);
  void place_entries(const Pattern& pattern);
  void number_rows(const Supernode& node, std::vector<int>& local) const;
  void assemble(const Supernode& node, const double* values);
  void keep(const Supernode& node);

  int n_;
  std::vector<int> order_, place_;
  std::vector<Supernode> nodes_;
  std::vector<int> node_of_;
  std::vector<Entry> entries_;  ///< by supernode
  FrontKernel factor_front_;
  std::vector<double> front_memory_, factor_memory_;
  double* front_ = nullptr;
  double* factors_ = nullptr;
  std::vector<double> waiting_;  ///< Schur complements on their way to the next front
  std::vector<double> scale_;    ///< of the rows, so that the largest entry of each is 1
  std::vector<double> inverse_;
  std::vector<int> exchanged_;
  mutable std::vector<double> x_, local_;
};

}  // namespace daedalus
