#pragma once
// M y' = f(t, y) as other codes want it: values, exact Jacobians by groups of columns, a constant
// matrix, a consistent start. What they call is as direct as the interface of Daedalus allows, so
// that their times are theirs.
#include <vector>

#include "reproduce/testset.h"

namespace daedalus::peers {

class FirstOrderSystem {
 public:
  explicit FirstOrderSystem(const reproduce::Statement& statement);

  int size() const { return size_; }
  bool is_banded() const { return statement_.lower >= 0; }
  int lower() const { return statement_.lower; }
  int upper() const { return statement_.upper; }
  const reproduce::Statement& statement() const { return statement_; }
  const std::vector<Mass::Entry>& mass() const { return mass_; }
  /// Largest distance of an entry of M from the diagonal.
  int mass_bandwidth() const;
  const Vector& start() const { return start_; }
  /// The shortest y' with M y' = f at the start.
  Vector start_slope() const;
  /// Variables whose errors BDF codes control: those of index 1 that have a derivative. With those
  /// of index 2 and 3 their step sizes collapse.
  std::vector<char> is_controlled() const;
  /// y_i' = y_{i + shift} for all i < count: what RADAU5 calls M1 and M2.
  struct TrivialRows {
    int count = 0, shift = 0;
  };
  const TrivialRows& trivial_rows() const { return trivial_; }

  void f(double t, const double* y, double* out) const {
    f_(t, {Input(y, size_)}, Output(out, size_));
  }
  /// add(row, column, value) for each entry of the pattern of df/dy.
  template <class Add>
  void jacobian(double t, const double* y, Add add) {
    for (int i = 0; i < size_; ++i) point_[static_cast<std::size_t>(i)] = Dual(y[i]);
    for (std::size_t first = 0; first < groups_.size(); first += dual_directions) {
      const std::size_t count = std::min<std::size_t>(dual_directions, groups_.size() - first);
      for (std::size_t k = 0; k < count; ++k)
        for (const Column& c : groups_[first + k])
          point_[static_cast<std::size_t>(c.column)].d[k] = 1;
      f_(Dual(t), {InputOf<Dual>(point_.data(), size_)}, OutputOf<Dual>(slope_.data(), size_));
      for (std::size_t k = 0; k < count; ++k) {
        for (const Column& c : groups_[first + k]) {
          point_[static_cast<std::size_t>(c.column)].d[k] = 0;
          for (int e = c.begin; e < c.end; ++e) {
            const int row = rows_[static_cast<std::size_t>(e)];
            add(row, c.column, slope_[static_cast<std::size_t>(row)].d[k]);
          }
        }
      }
    }
  }
  /// Rows of each column, one column after the other; column j begins at column_begin()[j].
  const std::vector<int>& pattern_rows() const { return rows_; }
  const std::vector<int>& column_begin() const { return begin_; }

 private:
  struct Column {
    int column, begin, end;  ///< entries in rows_
  };
  void find_pattern();
  void group_columns();
  void find_trivial_rows();
  Matrix dense_jacobian(double t, const Vector& y) const;

  reproduce::Statement statement_;
  int size_;
  Function<1> f_;
  std::vector<Mass::Entry> mass_;
  Vector start_;
  TrivialRows trivial_;
  std::vector<int> rows_, begin_;
  std::vector<std::vector<Column>> groups_;  ///< columns without a common row
  std::vector<Dual> point_, slope_;
};

}  // namespace daedalus::peers
