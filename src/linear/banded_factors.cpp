// Banded LU of a pencil with partial pivoting. Entry (i, j) lies at [lower + upper + i - j] of
// column j; the first `lower` places of a column are room for the fill that row interchanges make
// (the layout of LAPACK's gbtrf). Complex systems keep real and imaginary parts apart.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linear/factors.h"

namespace daedalus {
namespace {

struct Band {
  int n, lower, reach;  ///< reach: how far U extends right of the diagonal, interchanges included
  int stride;
  std::vector<int> place;  ///< of every entry of the pattern

  explicit Band(const Pattern& pattern) : n(pattern.size) {
    const Bandwidth width = bandwidth(pattern);
    lower = width.lower;
    reach = width.lower + width.upper;
    stride = lower + reach + 1;
    place.reserve(pattern.row.size());
    for (int j = 0; j < n; ++j)
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
        place.push_back(j * stride + reach + pattern.row[k] - j);
  }
  std::size_t entries() const { return static_cast<std::size_t>(n) * stride; }
  /// Column j, addressed by row: column(j)[i] is entry (i, j).
  std::ptrdiff_t column(int j) const {
    return static_cast<std::ptrdiff_t>(j) * (stride - 1) + reach;
  }
  int below(int k) const { return std::min(lower, n - 1 - k); }
};

class BandedRealFactors final : public RealFactors {
 public:
  explicit BandedRealFactors(const Pencil& pencil)
      : band_(pencil.pattern), a_(band_.entries()), inverse_(band_.n), pivot_(band_.n) {}

  bool factor(const Pencil& pencil, double shift) override {
    std::fill(a_.begin(), a_.end(), 0.0);
    for (std::size_t i = 0; i < band_.place.size(); ++i)
      a_[band_.place[i]] = shift * pencil.e[i] + pencil.a[i];
    int last = 0;  // column that U has reached so far
    for (int k = 0; k < band_.n; ++k) {
      double* column = a_.data() + band_.column(k);
      const int end = k + band_.below(k);
      int p = k;
      for (int i = k + 1; i <= end; ++i)
        if (std::abs(column[i]) > std::abs(column[p])) p = i;
      pivot_[k] = p;
      const double inverse = inverse_[k] = 1 / column[p];
      if (!(std::abs(inverse) > 0 && std::isfinite(inverse))) {
        singular_column_ = k;
        return false;
      }
      std::swap(column[k], column[p]);
      for (int i = k + 1; i <= end; ++i) column[i] *= inverse;
      last = std::max(last, std::min(p + band_.reach - band_.lower, band_.n - 1));
      for (int j = k + 1; j <= last; ++j) {
        double* other = a_.data() + band_.column(j);
        const double u = other[p];
        other[p] = other[k];
        other[k] = u;
        if (u == 0) continue;
        for (int i = k + 1; i <= end; ++i) other[i] -= u * column[i];
      }
    }
    singular_column_ = -1;
    return true;
  }

  void solve(double* x) const override {
    for (int k = 0; k < band_.n; ++k) {
      const double* column = a_.data() + band_.column(k);
      const int end = k + band_.below(k);
      std::swap(x[k], x[pivot_[k]]);
      const double t = x[k];
      for (int i = k + 1; i <= end; ++i) x[i] -= t * column[i];
    }
    for (int k = band_.n - 1; k >= 0; --k) {
      const double* column = a_.data() + band_.column(k);
      const double t = x[k] *= inverse_[k];
      for (int i = std::max(0, k - band_.reach); i < k; ++i) x[i] -= t * column[i];
    }
  }

 private:
  Band band_;
  std::vector<double> a_, inverse_;
  std::vector<int> pivot_;
};

class BandedComplexFactors final : public ComplexFactors {
 public:
  explicit BandedComplexFactors(const Pencil& pencil)
      : band_(pencil.pattern),
        re_(band_.entries()),
        im_(band_.entries()),
        inverse_re_(band_.n),
        inverse_im_(band_.n),
        pivot_(band_.n) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    std::fill(re_.begin(), re_.end(), 0.0);
    std::fill(im_.begin(), im_.end(), 0.0);
    for (std::size_t i = 0; i < band_.place.size(); ++i) {
      re_[band_.place[i]] = re * pencil.e[i] + pencil.a[i];
      im_[band_.place[i]] = im * pencil.e[i];
    }
    int last = 0;
    for (int k = 0; k < band_.n; ++k) {
      double* lr = re_.data() + band_.column(k);
      double* li = im_.data() + band_.column(k);
      const int end = k + band_.below(k);
      int p = k;
      double largest = std::abs(lr[k]) + std::abs(li[k]);
      for (int i = k + 1; i <= end; ++i) {
        const double size = std::abs(lr[i]) + std::abs(li[i]);
        if (size > largest) largest = size, p = i;
      }
      pivot_[k] = p;
      const double scale = 1 / largest;  // |pivot|^2 may overflow, that of the scaled one cannot
      const double pr = lr[p] * scale, pi = li[p] * scale;
      const double t = scale / (pr * pr + pi * pi);
      if (!(t > 0 && std::isfinite(t))) {
        singular_column_ = k;
        return false;
      }
      const double tr = inverse_re_[k] = pr * t;
      const double ti = inverse_im_[k] = -pi * t;
      std::swap(lr[k], lr[p]);
      std::swap(li[k], li[p]);
      for (int i = k + 1; i <= end; ++i) {
        const double r = lr[i] * tr - li[i] * ti;
        li[i] = lr[i] * ti + li[i] * tr;
        lr[i] = r;
      }
      last = std::max(last, std::min(p + band_.reach - band_.lower, band_.n - 1));
      for (int j = k + 1; j <= last; ++j) {
        double* xr = re_.data() + band_.column(j);
        double* xi = im_.data() + band_.column(j);
        const double ur = xr[p], ui = xi[p];
        xr[p] = xr[k], xi[p] = xi[k];
        xr[k] = ur, xi[k] = ui;
        if (ur != 0 || ui != 0) subtract(lr, li, ur, ui, k + 1, end + 1, xr, xi);
      }
    }
    singular_column_ = -1;
    return true;
  }

  void solve(double* xr, double* xi) const override {
    for (int k = 0; k < band_.n; ++k) {
      std::swap(xr[k], xr[pivot_[k]]);
      std::swap(xi[k], xi[pivot_[k]]);
      subtract(re_.data() + band_.column(k), im_.data() + band_.column(k), xr[k], xi[k], k + 1,
               k + band_.below(k) + 1, xr, xi);
    }
    for (int k = band_.n - 1; k >= 0; --k) {
      const double r = xr[k] * inverse_re_[k] - xi[k] * inverse_im_[k];
      xi[k] = xr[k] * inverse_im_[k] + xi[k] * inverse_re_[k];
      xr[k] = r;
      subtract(re_.data() + band_.column(k), im_.data() + band_.column(k), xr[k], xi[k],
               std::max(0, k - band_.reach), k, xr, xi);
    }
  }

 private:
  static void subtract(const double* lr, const double* li, double r, double s, int first, int last,
                       double* xr, double* xi) {
    for (int i = first; i < last; ++i) {
      xr[i] -= r * lr[i] - s * li[i];
      xi[i] -= r * li[i] + s * lr[i];
    }
  }

  Band band_;
  std::vector<double> re_, im_, inverse_re_, inverse_im_;
  std::vector<int> pivot_;
};

}  // namespace

std::unique_ptr<RealFactors> make_banded_real_factors(const Pencil& pencil) {
  return std::make_unique<BandedRealFactors>(pencil);
}

std::unique_ptr<ComplexFactors> make_banded_complex_factors(const Pencil& pencil) {
  return std::make_unique<BandedComplexFactors>(pencil);
}

}  // namespace daedalus
