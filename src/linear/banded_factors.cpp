// Banded LU of a pencil with partial pivoting. Entry (i, j) lies at [lower + upper + i - j] of
// column j; the first `lower` places of a column are room for the fill that row interchanges make
// (the layout of LAPACK's gbtrf). Complex systems keep real and imaginary parts apart. Columns
// and rows of zeros after the last let every loop run over the full band.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "linear/factors.h"

namespace daedalus {
namespace {

struct Split {
  double re = 0;
  double im = 0;
};
Split operator-(Split x, Split y) {
  return {x.re - y.re, x.im - y.im};
}
Split operator*(Split x, Split y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
bool is_zero(double x) {
  return x == 0;
}
bool is_zero(Split x) {
  return x.re == 0 && x.im == 0;
}
double size(double x) {
  return std::abs(x);
}
double size(Split x) {
  return std::abs(x.re) + std::abs(x.im);
}
double inverse(double x) {
  return 1 / x;
}
Split inverse(Split x) {
  const double scale = 1 / size(x);  // |x|^2 may overflow, that of the scaled number cannot
  const double re = x.re * scale, im = x.im * scale;
  const double t = scale / (re * re + im * im);
  return {re * t, -im * t};
}

/// A column or vector addressed by row; the parts of complex numbers are apart.
template <class Number>
struct Rows;

template <>
struct Rows<double> {
  double* re;
  double operator[](std::ptrdiff_t i) const { return re[i]; }
  void set(std::ptrdiff_t i, double x) const { re[i] = x; }
  Rows from(std::ptrdiff_t i) const { return {re + i}; }
};

template <>
struct Rows<Split> {
  double* re;
  double* im;
  Split operator[](std::ptrdiff_t i) const { return {re[i], im[i]}; }
  void set(std::ptrdiff_t i, Split x) const { re[i] = x.re, im[i] = x.im; }
  Rows from(std::ptrdiff_t i) const { return {re + i, im + i}; }
};

/// Narrow bands run with their width known to the compiler and with the part of the solution that
/// is in use in registers: a store and a load would take longer than the arithmetic.
template <class Number>
class BandedLu {
 public:
  explicit BandedLu(const Pattern& pattern) : n_(pattern.size), pivot_(n_) {
    const Bandwidth width = bandwidth(pattern);
    lower_ = width.lower;
    reach_ = width.lower + width.upper;  // of U, interchanges included
    stride_ = lower_ + reach_ + 1;
    place_.reserve(pattern.row.size());
    for (int j = 0; j < n_; ++j)
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
        place_.push_back(static_cast<std::size_t>(j) * stride_ + reach_ + pattern.row[k] - j);
    entries_ = static_cast<std::size_t>(n_ + reach_) * stride_;
    const std::size_t vector = n_ + lower_ + 1;
    memory_.assign(parts * (entries_ + 2 * vector), 0.0);
    matrix = part(0, entries_);
    inverse_ = part(parts * entries_, vector);
    x = part(parts * (entries_ + vector), vector);
  }

  int size() const { return n_; }
  const std::vector<std::size_t>& places() const { return place_; }
  void clear() { std::fill_n(memory_.begin(), parts * entries_, 0.0); }

  /// Factors `matrix`; returns the singular column or -1.
  int factor() {
    switch (lower_) {
      case 1:
        return factor<1>();
      case 2:
        return factor<2>();
      case 3:
        return factor<3>();
      case 4:
        return factor<4>();
      default:
        return factor<0>();
    }
  }

  /// Solves for `x` in place.
  void solve() const {
    switch (lower_) {
      case 0:
        break;
      case 1:
        forward<1>();
        break;
      case 2:
        forward<2>();
        break;
      case 3:
        forward<3>();
        break;
      case 4:
        forward<4>();
        break;
      default:
        forward_wide();
    }
    switch (reach_) {
      case 1:
        backward<1>();
        break;
      case 2:
        backward<2>();
        break;
      case 3:
        backward<3>();
        break;
      case 4:
        backward<4>();
        break;
      case 5:
        backward<5>();
        break;
      case 6:
        backward<6>();
        break;
      case 7:
        backward<7>();
        break;
      case 8:
        backward<8>();
        break;
      default:
        backward_wide();
    }
  }

  Rows<Number> matrix;  ///< by place
  Rows<Number> x;       ///< n rows, and zeros

 private:
  static constexpr int parts = sizeof(Number) / sizeof(double);

  Rows<Number> part(std::size_t start, std::size_t length) {
    if constexpr (parts == 1)
      return {memory_.data() + start};
    else
      return {memory_.data() + start, memory_.data() + start + length};
  }

  /// Column j, addressed by row.
  Rows<Number> column(int j) const {
    return matrix.from(static_cast<std::ptrdiff_t>(j) * (stride_ - 1) + reach_);
  }

  /// `width`: lower_ if that is known at compile time, else 0.
  template <int width>
  int factor() {
    const int lower = width > 0 ? width : lower_;
    int last = 0;  // column that U has reached so far
    for (int k = 0; k < n_; ++k) {
      const Rows<Number> l = column(k).from(k);
      int p = 0;
      double largest = daedalus::size(l[0]);
      for (int i = 1; i <= lower; ++i)
        if (daedalus::size(l[i]) > largest) largest = daedalus::size(l[i]), p = i;
      pivot_[k] = p;
      const Number t = inverse(l[p]);
      if (!(daedalus::size(t) > 0 && std::isfinite(daedalus::size(t)))) return k;
      inverse_.set(k, t);
      if (p != 0) exchange(l, p);
      scale<width>(l, t);
      last = std::max(last, std::min(k + p + reach_ - lower, n_ - 1));
      for (int j = k + 1; j <= last; ++j) {
        const Rows<Number> y = column(j).from(k);
        if (p != 0) exchange(y, p);
        if (!is_zero(y[0])) subtract<width>(y, y[0], l);
      }
    }
    return -1;
  }

  static void exchange(Rows<Number> y, int p) {
    const Number t = y[0];
    y.set(0, y[p]);
    y.set(p, t);
  }

  template <int width>
  void scale(Rows<Number> l, Number t) const {
    const int lower = width > 0 ? width : lower_;
#pragma GCC ivdep
    for (int i = 1; i <= lower; ++i) l.set(i, l[i] * t);
  }

  template <int width>
  void subtract(Rows<Number> y, Number u, Rows<Number> l) const {
    const int lower = width > 0 ? width : lower_;
#pragma GCC ivdep
    for (int i = 1; i <= lower; ++i) y.set(i, y[i] - u * l[i]);
  }

  template <int width>
  void forward() const {
    std::array<Number, width + 1> window;
    for (int i = 0; i <= width; ++i) window[i] = x[i];
    for (int k = 0; k < n_; ++k) {
      const Rows<Number> l = column(k).from(k);
      Number t = window[0];
      if (pivot_[k] != 0) {
#pragma GCC unroll 4
        for (int i = 1; i <= width; ++i)
          if (pivot_[k] == i) std::swap(t, window[i]);
      }
      x.set(k, t);
#pragma GCC unroll 4
      for (int i = 1; i <= width; ++i) window[i - 1] = window[i] - t * l[i];
      window[width] = k + width + 1 < n_ ? x[k + width + 1] : Number{};
    }
  }

  void forward_wide() const {
    for (int k = 0; k < n_; ++k) {
      const Rows<Number> y = x.from(k);
      if (pivot_[k] != 0) exchange(y, pivot_[k]);
      const Rows<Number> l = column(k).from(k);
      const Number t = y[0];
      const int end = std::min(lower_, n_ - 1 - k);
#pragma GCC ivdep
      for (int i = 1; i <= end; ++i) y.set(i, y[i] - t * l[i]);
    }
  }

  template <int width>
  void backward() const {
    std::array<Number, width> window{};  // rows k + 1, k + 2, ... of the solution
    for (int k = n_ - 1; k >= 0; --k) {
      Number t = x[k];
      // The row that came last enters last, so that only one product waits for it.
#pragma GCC unroll 8
      for (int m = width; m >= 1; --m) t = t - window[m - 1] * column(k + m)[k];
      t = t * inverse_[k];
      x.set(k, t);
#pragma GCC unroll 8
      for (int m = width - 1; m >= 1; --m) window[m] = window[m - 1];
      window[0] = t;
    }
  }

  void backward_wide() const {
    for (int k = n_ - 1; k >= 0; --k) {
      const Rows<Number> u = column(k);
      const Number t = x[k] * inverse_[k];
      x.set(k, t);
#pragma GCC ivdep
      for (int i = std::max(0, k - reach_); i < k; ++i) x.set(i, x[i] - t * u[i]);
    }
  }

  int n_, lower_, reach_, stride_;
  std::vector<std::size_t> place_;  // of every entry of the pattern
  std::size_t entries_;
  std::vector<double> memory_;
  Rows<Number> inverse_;    // of the pivots
  std::vector<int> pivot_;  // how many rows below the diagonal
};

class BandedRealFactors final : public RealFactors {
 public:
  explicit BandedRealFactors(const Pencil& pencil) : lu_(pencil.pattern) {}

  bool factor(const Pencil& pencil, double shift) override {
    lu_.clear();
    for (std::size_t i = 0; i < lu_.places().size(); ++i)
      lu_.matrix.set(lu_.places()[i], shift * pencil.e[i] + pencil.a[i]);
    singular_column_ = lu_.factor();
    return singular_column_ < 0;
  }

  void solve(double* x) const override {
    std::copy_n(x, lu_.size(), lu_.x.re);
    lu_.solve();
    std::copy_n(lu_.x.re, lu_.size(), x);
  }

 private:
  BandedLu<double> lu_;
};

class BandedComplexFactors final : public ComplexFactors {
 public:
  explicit BandedComplexFactors(const Pencil& pencil) : lu_(pencil.pattern) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    lu_.clear();
    for (std::size_t i = 0; i < lu_.places().size(); ++i)
      lu_.matrix.set(lu_.places()[i], {re * pencil.e[i] + pencil.a[i], im * pencil.e[i]});
    singular_column_ = lu_.factor();
    return singular_column_ < 0;
  }

  void solve(double* re, double* im) const override {
    std::copy_n(re, lu_.size(), lu_.x.re);
    std::copy_n(im, lu_.size(), lu_.x.im);
    lu_.solve();
    std::copy_n(lu_.x.re, lu_.size(), re);
    std::copy_n(lu_.x.im, lu_.size(), im);
  }

 private:
  BandedLu<Split> lu_;
};

}  // namespace

std::unique_ptr<RealFactors> make_banded_real_factors(const Pencil& pencil) {
  return std::make_unique<BandedRealFactors>(pencil);
}

std::unique_ptr<ComplexFactors> make_banded_complex_factors(const Pencil& pencil) {
  return std::make_unique<BandedComplexFactors>(pencil);
}

}  // namespace daedalus
