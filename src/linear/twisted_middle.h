#pragma once
// LU with partial pivoting of the few rows where both eliminations of a twisted band meet. Both
// halves of every number are the same.
#include <array>
#include <cmath>
#include <utility>

#include "linear/twisted_numbers.h"

namespace daedalus {
namespace twisted {

template <class Number>
bool usable(Number inverse) {
  const Halves s = size(inverse);
  return s[0] > 0 && s[1] > 0 && std::isfinite(s[0] + s[1]);
}

}  // namespace twisted

template <class Number>
class TwistedMiddle {
 public:
  static constexpr int widest = 3;  ///< band
  static constexpr int most = 2 * widest + 1;

  void clear() {
    for (auto& row : matrix_)
      for (Number& entry : row) entry = Number{};
  }
  Number& entry(int i, int j) { return matrix_[i][j]; }

  /// Of m rows; returns the singular column or -1.
  int factor(int m) {
    for (int k = 0; k < m; ++k) {
      int p = k;
      for (int i = k + 1; i < m; ++i)
        if (twisted::size(matrix_[i][k])[0] > twisted::size(matrix_[p][k])[0]) p = i;
      std::swap(matrix_[k], matrix_[p]);
      pivot_[k] = p;
      const Number t = twisted::inverse(matrix_[k][k]);
      if (!twisted::usable(t)) return k;
      matrix_[k][k] = t;
      for (int i = k + 1; i < m; ++i) {
        matrix_[i][k] = matrix_[i][k] * t;
        for (int j = k + 1; j < m; ++j)
          matrix_[i][j] = matrix_[i][j] - matrix_[i][k] * matrix_[k][j];
      }
    }
    return -1;
  }

  void solve(int m, std::array<Number, most>& x) const {
    for (int k = 0; k < m; ++k) std::swap(x[k], x[pivot_[k]]);  // multipliers went along
    for (int k = 0; k < m; ++k)
      for (int i = k + 1; i < m; ++i) x[i] = x[i] - matrix_[i][k] * x[k];
    for (int k = m - 1; k >= 0; --k) {
      for (int j = k + 1; j < m; ++j) x[k] = x[k] - matrix_[k][j] * x[j];
      x[k] = x[k] * matrix_[k][k];
    }
  }

 private:
  std::array<std::array<Number, most>, most> matrix_;
  std::array<int, most> pivot_{};
};

}  // namespace daedalus
