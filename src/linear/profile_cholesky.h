#pragma once
// M = L L^T of a small dense matrix. Rows begin at their first entry that is not zero, and so do
// those of L: a mass matrix whose coordinates couple in groups costs what its groups do.
// [GeorgeLiu1981, 4]
#include <cmath>
#include <vector>

namespace daedalus {

class ProfileCholesky {
 public:
  explicit ProfileCholesky(int n)
      : n_(n),
        l_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)),
        first_(static_cast<std::size_t>(n)) {}

  /// Of a symmetric matrix by columns, of which the lower half is read. False: it is not positive
  /// definite, or only by rounding.
  bool factor(const double* m) {
    constexpr double rounding = 1e-13;
    for (int i = 0; i < n_; ++i) {
      double* l = row(i);
      const auto entry = [&](int j) { return m[i + static_cast<std::ptrdiff_t>(j) * n_]; };
      int j = 0;
      while (j < i && entry(j) == 0) ++j;
      first_[i] = j;
      for (; j <= i; ++j) {
        const double rest = entry(j) - product(l, row(j), first_[i] > first_[j] ? i : j, j);
        if (j < i) {
          l[j] = rest * row(j)[j];
        } else {
          if (!(rest > rounding * entry(i))) return false;
          l[i] = 1 / std::sqrt(rest);  // inverse pivots: solves multiply
        }
      }
    }
    return true;
  }
  /// x = L^-1 x.
  void forward(double* x) const {
    for (int i = 0; i < n_; ++i) {
      const double* l = row(i);
      double rest = x[i];
      for (int k = first_[i]; k < i; ++k) rest -= l[k] * x[k];
      x[i] = rest * l[i];
    }
  }
  /// x = L^-T x.
  void back(double* x) const {
    for (int i = n_ - 1; i >= 0; --i) {
      const double* l = row(i);
      x[i] *= l[i];
      for (int k = first_[i]; k < i; ++k) x[k] -= l[k] * x[i];
    }
  }

 private:
  double* row(int i) { return l_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  const double* row(int i) const { return l_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  /// Over the columns that both rows have before `end`; `later` is the row that begins later.
  double product(const double* a, const double* b, int later, int end) const {
    double sum = 0;
    for (int k = first_[later]; k < end; ++k) sum += a[k] * b[k];
    return sum;
  }

  int n_;
  std::vector<double> l_;  ///< by rows
  std::vector<int> first_;
};

}  // namespace daedalus
