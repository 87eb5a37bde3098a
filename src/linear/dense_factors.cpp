// Dense LU of a pencil with partial pivoting; complex systems keep real and imaginary parts apart.
#include <cmath>
#include <utility>
#include <vector>

#include "linear/factors.h"

namespace daedalus {
namespace {

class DenseRealFactors final : public RealFactors {
 public:
  explicit DenseRealFactors(int n)
      : n_(n), a_(static_cast<std::size_t>(n) * n), inverse_(n), pivot_(n) {}

  bool factor(const Pencil& pencil, double shift) override {
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = shift * pencil.e[i] + pencil.a[i];
    for (int k = 0; k < n_; ++k) {
      double* column = a_.data() + static_cast<std::size_t>(k) * n_;
      int p = k;
      for (int i = k + 1; i < n_; ++i)
        if (std::abs(column[i]) > std::abs(column[p])) p = i;
      pivot_[k] = p;
      inverse_[k] = 1 / column[p];
      if (!(std::abs(inverse_[k]) > 0 && std::isfinite(inverse_[k]))) {
        singular_column_ = k;
        return false;
      }
      std::swap(column[k], column[p]);
      for (int i = k + 1; i < n_; ++i) column[i] *= inverse_[k];
      for (int j = k + 1; j < n_; ++j) {
        double* other = a_.data() + static_cast<std::size_t>(j) * n_;
        const double u = other[p];
        other[p] = other[k];
        other[k] = u;
        if (u == 0) continue;
        for (int i = k + 1; i < n_; ++i) other[i] -= u * column[i];
      }
    }
    singular_column_ = -1;
    return true;
  }

  void solve(double* x) const override {
    for (int k = 0; k < n_; ++k) {
      const double* column = a_.data() + static_cast<std::size_t>(k) * n_;
      std::swap(x[k], x[pivot_[k]]);
      // The multipliers of later interchanges are not moved, so the rows are: as in LINPACK.
      for (int i = k + 1; i < n_; ++i) x[i] -= x[k] * column[i];
    }
    for (int k = n_ - 1; k >= 0; --k) {
      const double* column = a_.data() + static_cast<std::size_t>(k) * n_;
      x[k] *= inverse_[k];
      for (int i = 0; i < k; ++i) x[i] -= x[k] * column[i];
    }
  }

 private:
  int n_;
  std::vector<double> a_, inverse_;
  std::vector<int> pivot_;
};

class DenseComplexFactors final : public ComplexFactors {
 public:
  explicit DenseComplexFactors(int n)
      : n_(n),
        re_(static_cast<std::size_t>(n) * n),
        im_(re_.size()),
        inverse_re_(n),
        inverse_im_(n),
        pivot_(n) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    for (std::size_t i = 0; i < re_.size(); ++i) {
      re_[i] = re * pencil.e[i] + pencil.a[i];
      im_[i] = im * pencil.e[i];
    }
    for (int k = 0; k < n_; ++k) {
      double* lr = re_.data() + static_cast<std::size_t>(k) * n_;
      double* li = im_.data() + static_cast<std::size_t>(k) * n_;
      int p = k;
      for (int i = k + 1; i < n_; ++i)
        if (std::abs(lr[i]) + std::abs(li[i]) > std::abs(lr[p]) + std::abs(li[p])) p = i;
      pivot_[k] = p;
      const double scale = 1 / (std::abs(lr[p]) + std::abs(li[p]));
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
      for (int i = k + 1; i < n_; ++i) {
        const double r = lr[i] * tr - li[i] * ti;
        li[i] = lr[i] * ti + li[i] * tr;
        lr[i] = r;
      }
      for (int j = k + 1; j < n_; ++j) {
        double* xr = re_.data() + static_cast<std::size_t>(j) * n_;
        double* xi = im_.data() + static_cast<std::size_t>(j) * n_;
        const double ur = xr[p], ui = xi[p];
        xr[p] = xr[k], xi[p] = xi[k];
        xr[k] = ur, xi[k] = ui;
        if (ur == 0 && ui == 0) continue;
        for (int i = k + 1; i < n_; ++i) {
          xr[i] -= ur * lr[i] - ui * li[i];
          xi[i] -= ur * li[i] + ui * lr[i];
        }
      }
    }
    singular_column_ = -1;
    return true;
  }

  void solve(double* xr, double* xi) const override {
    for (int k = 0; k < n_; ++k) {
      std::swap(xr[k], xr[pivot_[k]]);
      std::swap(xi[k], xi[pivot_[k]]);
      subtract_column(k, k + 1, n_, xr, xi);
    }
    for (int k = n_ - 1; k >= 0; --k) {
      const double r = xr[k] * inverse_re_[k] - xi[k] * inverse_im_[k];
      xi[k] = xr[k] * inverse_im_[k] + xi[k] * inverse_re_[k];
      xr[k] = r;
      subtract_column(k, 0, k, xr, xi);
    }
  }

 private:
  void subtract_column(int k, int first, int last, double* xr, double* xi) const {
    const double* lr = re_.data() + static_cast<std::size_t>(k) * n_;
    const double* li = im_.data() + static_cast<std::size_t>(k) * n_;
    const double r = xr[k], s = xi[k];
    for (int i = first; i < last; ++i) {
      xr[i] -= r * lr[i] - s * li[i];
      xi[i] -= r * li[i] + s * lr[i];
    }
  }

  int n_;
  std::vector<double> re_, im_, inverse_re_, inverse_im_;
  std::vector<int> pivot_;
};

}  // namespace

std::unique_ptr<RealFactors> make_dense_real_factors(const Pencil& pencil) {
  return std::make_unique<DenseRealFactors>(pencil.size());
}

std::unique_ptr<ComplexFactors> make_dense_complex_factors(const Pencil& pencil) {
  return std::make_unique<DenseComplexFactors>(pencil.size());
}

}  // namespace daedalus
