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
#include "linear/ordering.h"
#include "linear/twisted_factors.h"

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

/// Narrow bands are solved with their width known to the compiler and with the part of the solution
/// that is in use in registers: a store and a load would take longer than the arithmetic.
template <class Number>
class BandedLu {
 public:
  BandedLu(const Pattern& pattern, Bandwidth width, const std::vector<int>& order)
      : n_(pattern.size), order_(order), pivot_(n_) {
    std::vector<int> at(static_cast<std::size_t>(n_));
    for (int k = 0; k < n_; ++k) at[unknown(k)] = k;
    lower_ = width.lower;
    reach_ = width.lower + width.upper;  // of U, interchanges included
    stride_ = lower_ + reach_ + 1;
    place_.reserve(pattern.row.size());
    for (int j = 0; j < n_; ++j)
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
        place_.push_back(static_cast<std::size_t>(at[j]) * stride_ + reach_ + at[pattern.row[k]] -
                         at[j]);
    entries_ = static_cast<std::size_t>(n_ + reach_) * stride_;
    const std::size_t vector = n_ + lower_ + 1;
    memory_.assign(parts * (entries_ + 2 * vector), 0.0);
    matrix = part(0, entries_);
    inverse_ = part(parts * entries_, vector);
    x_ = part(parts * (entries_ + vector), vector);
  }

  /// Which one comes at place k of the band.
  int unknown(int k) const { return order_.empty() ? k : order_[k]; }
  const std::vector<std::size_t>& places() const { return place_; }
  void clear() { std::fill_n(memory_.begin(), parts * entries_, 0.0); }

  /// Factors `matrix`; returns the singular column or -1.
  int factor() {
    const int column = eliminate();
    return column < 0 ? column : unknown(column);
  }

  /// In place, in the order of the caller.
  void solve(Rows<Number> given) const {
    // The window at the beginning reads so many rows.
    const bool here = order_.empty() && n_ > lower_;
    if (!here) load(given);
    solve_in_order(here ? given : x_);
    if (!here) store(given);
  }

  Rows<Number> matrix;  ///< by place

 private:
  static constexpr int parts = sizeof(Number) / sizeof(double);

  void load(Rows<Number> from) const {
    for (int k = 0; k < n_; ++k) x_.set(k, from[unknown(k)]);
  }
  void store(Rows<Number> to) const {
    for (int k = 0; k < n_; ++k) to.set(unknown(k), x_[k]);
  }

  void solve_in_order(Rows<Number> x) const {
    switch (lower_) {
      case 0:
        break;
      case 1:
        forward<1>(x);
        break;
      case 2:
        forward<2>(x);
        break;
      case 3:
        forward<3>(x);
        break;
      case 4:
        forward<4>(x);
        break;
      default:
        forward_wide(x);
    }
    switch (reach_) {
      case 1:
        backward<1>(x);
        break;
      case 2:
        backward<2>(x);
        break;
      case 3:
        backward<3>(x);
        break;
      case 4:
        backward<4>(x);
        break;
      case 5:
        backward<5>(x);
        break;
      case 6:
        backward<6>(x);
        break;
      case 7:
        backward<7>(x);
        break;
      case 8:
        backward<8>(x);
        break;
      default:
        backward_wide(x);
    }
  }

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

  int eliminate() {
    int last = 0;  // column that U has reached so far
    for (int k = 0; k < n_; ++k) {
      const Rows<Number> l = column(k).from(k);
      int p = 0;
      double largest = daedalus::size(l[0]);
      for (int i = 1; i <= lower_; ++i)
        if (daedalus::size(l[i]) > largest) largest = daedalus::size(l[i]), p = i;
      const Number t = inverse(l[p]);
      if (!is_pivot(k, p, t)) return k;
      if (p != 0) exchange(l, p);
#pragma GCC ivdep
      for (int i = 1; i <= lower_; ++i) l.set(i, l[i] * t);
      last = std::max(last, std::min(k + p + reach_ - lower_, n_ - 1));
      for (int j = k + 1; j <= last; ++j) {
        const Rows<Number> y = column(j).from(k);
        if (p != 0) exchange(y, p);
        const Number u = y[0];
        if (is_zero(u)) continue;
#pragma GCC ivdep
        for (int i = 1; i <= lower_; ++i) y.set(i, y[i] - u * l[i]);
      }
    }
    return -1;
  }

  bool is_pivot(int k, int below, Number inverse) {
    pivot_[k] = below;
    inverse_.set(k, inverse);
    return daedalus::size(inverse) > 0 && std::isfinite(daedalus::size(inverse));
  }

  static void exchange(Rows<Number> y, int p) {
    const Number t = y[0];
    y.set(0, y[p]);
    y.set(p, t);
  }

  template <int width>
  void forward(Rows<Number> x) const {
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

  void forward_wide(Rows<Number> x) const {
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
  void backward(Rows<Number> x) const {
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

  void backward_wide(Rows<Number> x) const {
    for (int k = n_ - 1; k >= 0; --k) {
      const Rows<Number> u = column(k);
      const Number t = x[k] * inverse_[k];
      x.set(k, t);
#pragma GCC ivdep
      for (int i = std::max(0, k - reach_); i < k; ++i) x.set(i, x[i] - t * u[i]);
    }
  }

  int n_;
  std::vector<int> order_;          // of the unknowns along the band; empty: their own
  std::vector<std::size_t> place_;  // of every entry of the pattern
  int lower_ = 0, reach_ = 0, stride_ = 0;
  std::size_t entries_ = 0;
  std::vector<double> memory_;
  Rows<Number> inverse_;    // of the pivots
  Rows<Number> x_;          // n rows, and zeros: a solution in this order
  std::vector<int> pivot_;  // how many rows below the diagonal
};

class BandedRealFactors final : public RealFactors {
 public:
  BandedRealFactors(const Pattern& pattern, Bandwidth width, const std::vector<int>& order)
      : lu_(pattern, width, order) {}

  bool factor(const Pencil& pencil, double shift) override {
    lu_.clear();
    for (std::size_t i = 0; i < lu_.places().size(); ++i)
      lu_.matrix.set(lu_.places()[i], shift * pencil.e[i] + pencil.a[i]);
    singular_column_ = lu_.factor();
    return singular_column_ < 0;
  }

  void solve(double* x) const override { lu_.solve({x}); }

 private:
  BandedLu<double> lu_;
};

class BandedComplexFactors final : public ComplexFactors {
 public:
  BandedComplexFactors(const Pattern& pattern, Bandwidth width, const std::vector<int>& order)
      : lu_(pattern, width, order) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    lu_.clear();
    for (std::size_t i = 0; i < lu_.places().size(); ++i)
      lu_.matrix.set(lu_.places()[i], {re * pencil.e[i] + pencil.a[i], im * pencil.e[i]});
    singular_column_ = lu_.factor();
    return singular_column_ < 0;
  }

  void solve(double* re, double* im) const override { lu_.solve({re, im}); }

 private:
  BandedLu<Split> lu_;
};

template <class Factors, class Banded>
std::unique_ptr<Factors> choose(const Pattern& pattern,
                                std::unique_ptr<Factors> (*make_twisted)(const Pattern&, Bandwidth,
                                                                         const std::vector<int>&)) {
  const std::vector<int> order = band_order(pattern);
  const Bandwidth width = order.empty() ? bandwidth(pattern) : bandwidth(pattern, order);
  if (auto twisted = make_twisted(pattern, width, order)) return twisted;
  return std::make_unique<Banded>(pattern, width, order);
}

}  // namespace

std::unique_ptr<RealFactors> make_banded_real_factors(const Pencil& pencil) {
  return choose<RealFactors, BandedRealFactors>(pencil.pattern, make_twisted_real_factors);
}

std::unique_ptr<ComplexFactors> make_banded_complex_factors(const Pencil& pencil) {
  return choose<ComplexFactors, BandedComplexFactors>(pencil.pattern, make_twisted_complex_factors);
}

}  // namespace daedalus
