#pragma once
// A mass matrix that falls into small blocks along the diagonal, one for each body:
// M = L L^T block by block, for right sides and for rows of sparse matrices.
#include <vector>

namespace daedalus {

class MassBlocks {
 public:
  struct Entry {
    int row, column;
  };
  MassBlocks() = default;
  /// Coordinates that share an entry belong to one block.
  MassBlocks(int size, const std::vector<Entry>& entries);

  int largest() const { return largest_; }
  bool is_diagonal() const { return largest_ == 1; }
  /// Of a diagonal matrix: 1 / L_jj, by coordinate.
  const double* inverse_root() const { return inverse_.data(); }
  /// The block of a coordinate, and the coordinates of a block.
  int block_of(int coordinate) const { return block_[static_cast<std::size_t>(coordinate)]; }
  int begin(int block) const { return start_[static_cast<std::size_t>(block)]; }
  int size(int block) const { return begin(block + 1) - begin(block); }
  int member(int block, int k) const { return member_[static_cast<std::size_t>(begin(block) + k)]; }
  /// The place of a coordinate in its block.
  int within(int coordinate) const { return within_[static_cast<std::size_t>(coordinate)]; }

  /// For the values of the entries. False: not positive definite.
  bool factor(const double* values);
  void to_scaled_force(double* x) const;     ///< x = L^-1 x
  void from_scaled_motion(double* x) const;  ///< x = L^-T x
  /// The same as the first for the part of a vector in one block.
  void to_scaled_force(int block, double* part) const;
  double size_of(const double* x) const;  ///< |L^T x|

 private:
  double* root(int block) { return l_.data() + l_start_[static_cast<std::size_t>(block)]; }
  const double* root(int block) const {
    return l_.data() + l_start_[static_cast<std::size_t>(block)];
  }

  std::vector<int> block_, start_, member_, within_;
  std::vector<int> slot_;             ///< of each entry in l_
  std::vector<std::size_t> l_start_;  ///< blocks by rows
  std::vector<double> l_, inverse_;
  mutable std::vector<double> part_;
  int largest_ = 0;
  bool identity_ = false;
};

}  // namespace daedalus
