#pragma once
// Factors of S = A A^T for a sparse A of fixed pattern, given by rows: one analysis, then
// P S P^T = L D L^T for any values. [AmestoyDavisDuff1996], [Davis2005]
#include <vector>

namespace daedalus {

class GramFactors {
 public:
  GramFactors() = default;
  /// Row i of A has the columns column[start[i]] .. column[start[i + 1] - 1].
  GramFactors(int columns, const std::vector<int>& start, const std::vector<int>& column);

  int size() const { return static_cast<int>(order_.size()); }
  /// Entries of L below its diagonal.
  int fill() const { return size() == 0 ? 0 : l_start_.back(); }

  /// For the values of A. False: a pivot is not positive. Rows of zeros may count as if they had a
  /// column of their own.
  bool factor(const double* values, bool fill_zero_rows = false);
  /// Row i of A less its part in the rows before it (in the order of elimination): its square.
  double pivot(int i) const { return d_[static_cast<std::size_t>(place_[i])]; }
  /// Its whole square.
  double square(int i) const { return s_[static_cast<std::size_t>(s_start_[place_[i] + 1]) - 1]; }
  /// c = S^-1 c.
  void solve(double* c) const;
  /// The same for all columns of a matrix given by rows of this width.
  void solve_rows(double* c, int width) const;

 private:
  struct Product {
    int slot, a, b;  ///< s[slot] has the term value[a] value[b]
  };
  bool diagonal_ = false;             ///< rows share no column
  std::vector<int> order_, place_;    ///< row eliminated k-th, and the other way round
  std::vector<Product> products_;     ///< by slots
  std::vector<int> products_start_;   ///< of each slot
  std::vector<int> s_start_, s_row_;  ///< upper half of P S P^T, by columns
  std::vector<double> s_;
  std::vector<int> l_start_, l_row_, parent_, count_, flag_, pattern_;
  std::vector<double> l_, d_, y_;
  mutable std::vector<double> permuted_;
};

}  // namespace daedalus
