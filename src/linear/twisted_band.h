#pragma once
// LU with partial pivoting of a band that is as wide below the diagonal as above, and narrow:
// column after column from both ends to the middle. Elimination of a narrow band waits for each
// pivot; two that do not meet before the middle wait together, as the halves of a vector register.
// Every column finds its pivot among all rows that have an entry in it, so nothing of stability is
// given up. [Babuska1972] twists a tridiagonal matrix in this way.
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "linear/pencil.h"

namespace daedalus {

/// First half: of the elimination from the first column on; second: from the last column back.
using Halves = double __attribute__((vector_size(16)));

/// Copied part by part: as a block the compiler moves it in pieces that vector loads wait for.
struct SplitHalves {
  Halves re{}, im{};

  SplitHalves() = default;
  SplitHalves(Halves real, Halves imaginary) : re(real), im(imaginary) {}
  SplitHalves(const SplitHalves& x) : re(x.re), im(x.im) {}
  SplitHalves& operator=(const SplitHalves& x) {
    re = x.re, im = x.im;
    return *this;
  }
};
inline SplitHalves operator-(SplitHalves x, SplitHalves y) {
  return {x.re - y.re, x.im - y.im};
}
inline SplitHalves operator*(SplitHalves x, SplitHalves y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

namespace twisted {

using Mask = decltype(Halves{} < Halves{});

inline Halves choose(Mask mask, Halves yes, Halves no) {
  return mask ? yes : no;
}
inline SplitHalves choose(Mask mask, SplitHalves yes, SplitHalves no) {
  return {choose(mask, yes.re, no.re), choose(mask, yes.im, no.im)};
}
inline Halves size(Halves x) {
  return choose(x < 0, -x, x);
}
inline Halves size(SplitHalves x) {
  return size(x.re) + size(x.im);
}
inline Halves inverse(Halves x) {
  return 1 / x;
}
inline SplitHalves inverse(SplitHalves x) {
  const Halves s = size(x);
  constexpr double tiny = 1e-140,
                   huge = 1e140;  // between them |x|^2 neither vanishes nor overflows
  if (s[0] > tiny && s[1] > tiny && s[0] < huge && s[1] < huge) {
    const Halves t = 1 / (x.re * x.re + x.im * x.im);
    return {x.re * t, -x.im * t};
  }
  const Halves scale = 1 / s;
  const Halves re = x.re * scale, im = x.im * scale;
  const Halves t = scale / (re * re + im * im);
  return {re * t, -im * t};
}

}  // namespace twisted

/// `Number`: Halves or SplitHalves.
template <class Number>
class TwistedBand {
 public:
  static constexpr int widest = 3;
  static constexpr int parts = sizeof(Number) / sizeof(Halves);
  static bool fits(int size, Bandwidth band) {
    return band.lower == band.upper && band.lower >= 1 && band.lower <= widest &&
           size >= 4 * band.lower + 2;
  }

  TwistedBand(const Pattern& pattern, int band, const std::vector<int>& order)
      : n_(pattern.size), band_(band), steps_((n_ - 2 * band) / 2), order_(order) {
    const int width = 2 * band + 1;
    rows_.resize(static_cast<std::size_t>(steps_ + band + 1) * width);
    upper_.resize(static_cast<std::size_t>(steps_) * width);
    lower_.resize(static_cast<std::size_t>(steps_) * band);
    pivot_.resize(static_cast<std::size_t>(steps_));
    for (auto& x : x_) x.resize(order.empty() ? 0 : static_cast<std::size_t>(n_));
    std::vector<int> at(static_cast<std::size_t>(n_));
    for (int k = 0; k < n_; ++k) at[unknown(k)] = k;
    place_.reserve(pattern.row.size());
    const int last_of_first = n_ - steps_ - band - 1;
    for (int j = 0; j < n_; ++j)
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        const int row = at[pattern.row[k]], right = at[j] - row;
        const bool first = row <= last_of_first;
        const int entry =
            first ? row * width + band + right : (n_ - 1 - row) * width + band - right;
        place_.push_back(2 * parts * entry + (first ? 0 : 1));
      }
  }

  /// Where the entries of the pattern stand, real parts; imaginary ones come two places later.
  const std::vector<int>& places() const { return place_; }
  double* entries() { return reinterpret_cast<double*>(rows_.data()); }

  /// Factors `entries`; returns the singular column or -1.
  int factor() {
    const int column = band_ == 1   ? factor_all<1>()
                       : band_ == 2 ? factor_all<2>()
                                    : factor_all<3>();
    return column < 0 ? column : unknown(column);
  }

  /// In place; `im` is not used where numbers are real.
  void solve(double* re, double* im) const {
    if (order_.empty()) return solve_in_order(re, im);
    for (int k = 0; k < n_; ++k) {
      x_[0][k] = re[order_[k]];
      if constexpr (parts == 2) x_[1][k] = im[order_[k]];
    }
    solve_in_order(x_[0].data(), x_[1].data());
    for (int k = 0; k < n_; ++k) {
      re[order_[k]] = x_[0][k];
      if constexpr (parts == 2) im[order_[k]] = x_[1][k];
    }
  }

 private:
  static constexpr int most_middle = 2 * widest + 1;

  int unknown(int k) const { return order_.empty() ? k : order_[k]; }
  int middle() const { return n_ - 2 * steps_; }

  void solve_in_order(double* re, double* im) const {
    if (band_ == 1)
      solve_all<1>(re, im);
    else if (band_ == 2)
      solve_all<2>(re, im);
    else
      solve_all<3>(re, im);
  }

  /// Rows k of both halves.
  Number load(const double* re, const double* im, int k) const {
    if constexpr (parts == 1) {
      (void)im;
      return Halves{re[k], re[n_ - 1 - k]};
    } else {
      return {Halves{re[k], re[n_ - 1 - k]}, Halves{im[k], im[n_ - 1 - k]}};
    }
  }
  void store(double* re, double* im, int k, Number x) const {
    if constexpr (parts == 1) {
      (void)im;
      re[k] = x[0], re[n_ - 1 - k] = x[1];
    } else {
      re[k] = x.re[0], re[n_ - 1 - k] = x.re[1];
      im[k] = x.im[0], im[n_ - 1 - k] = x.im[1];
    }
  }
  /// Both halves hold what one of them holds, so that the middle needs no other arithmetic.
  static Number both(Number x, int half) {
    if constexpr (parts == 1)
      return Halves{x[half], x[half]};
    else
      return {Halves{x.re[half], x.re[half]}, Halves{x.im[half], x.im[half]}};
  }
  static Number join(Number first, Number second) {
    return twisted::choose(Halves{1, 0} > Halves{}, first, second);
  }
  static bool usable(Number inverse) {
    const Halves s = twisted::size(inverse);
    return s[0] > 0 && s[1] > 0 && std::isfinite(s[0] + s[1]);
  }

  /// A window of `band` + 1 rows and 2 `band` + 1 columns moves along the diagonal.
  template <int band>
  int factor_all() {
    constexpr int width = 2 * band + 1;
    std::array<std::array<Number, band + 1>, width> window;  // by columns
    for (int j = 0; j < width; ++j)
      for (int i = 0; i <= band; ++i)
        window[j][i] = j <= i + band ? rows_[i * width + j - i + band] : Number{};
    for (int k = 0; k < steps_; ++k) {
      Halves pivot = {}, largest = twisted::size(window[0][0]);
#pragma GCC unroll 4
      for (int i = 1; i <= band; ++i) {
        const Halves candidate = twisted::size(window[0][i]);
        const twisted::Mask larger = candidate > largest;
        largest = twisted::choose(larger, candidate, largest);
        pivot = twisted::choose(larger, Halves{} + i, pivot);
      }
      pivot_[k] = pivot;
      if (pivot[0] + pivot[1] != 0) {
#pragma GCC unroll 4
        for (int i = 1; i <= band; ++i) {
          const twisted::Mask here = pivot == Halves{} + i;
#pragma GCC unroll 8
          for (int j = 0; j < width; ++j) {
            const Number top = window[j][0];
            window[j][0] = twisted::choose(here, window[j][i], top);
            window[j][i] = twisted::choose(here, top, window[j][i]);
          }
        }
      }
      const Number t = twisted::inverse(window[0][0]);
      if (!usable(t)) return singular(t, k);
      Number* const u = upper_.data() + static_cast<std::ptrdiff_t>(k) * width;
      Number* const below = lower_.data() + static_cast<std::ptrdiff_t>(k) * band;
      std::array<Number, band + 1> l;
      u[0] = t;
#pragma GCC unroll 4
      for (int i = 1; i <= band; ++i) below[i - 1] = l[i] = window[0][i] * t;
#pragma GCC unroll 8
      for (int j = 1; j < width; ++j) {
        const Number right = window[j][0];
        u[j] = right * t;
#pragma GCC unroll 4
        for (int i = 1; i <= band; ++i) window[j - 1][i - 1] = window[j][i] - right * l[i];
      }
      // The row that comes into sight; the last one is of the middle, or of none.
      const Number* const next = rows_.data() + static_cast<std::ptrdiff_t>(k + 1 + band) * width;
#pragma GCC unroll 8
      for (int j = 0; j < width; ++j) window[j][band] = next[j];
#pragma GCC unroll 4
      for (int i = 0; i < band; ++i) window[width - 1][i] = Number{};
    }
    const int m = middle();
    for (auto& row : middle_)
      for (Number& entry : row) entry = Number{};
    for (int i = 0; i < band; ++i)
      for (int j = 0; j < 2 * band; ++j) {
        middle_[i][j] = both(window[j][i], 0);
        middle_[band + i][m - 1 - j] = both(window[j][i], 1);
      }
    if (m > 2 * band)
      for (int j = 0; j < width; ++j) middle_[2 * band][j] = both(window[j][band], 0);
    return factor_middle(m);
  }

  int singular(Number inverse, int k) const {
    const double s = twisted::size(inverse)[0];
    return s > 0 && std::isfinite(s) ? n_ - 1 - k : k;
  }

  int factor_middle(int m) {
    for (int k = 0; k < m; ++k) {
      int p = k;
      for (int i = k + 1; i < m; ++i)
        if (twisted::size(middle_[i][k])[0] > twisted::size(middle_[p][k])[0]) p = i;
      std::swap(middle_[k], middle_[p]);
      middle_pivot_[k] = p;
      const Number t = twisted::inverse(middle_[k][k]);
      if (!usable(t)) return steps_ + k;
      middle_[k][k] = t;
      for (int i = k + 1; i < m; ++i) {
        middle_[i][k] = middle_[i][k] * t;
        for (int j = k + 1; j < m; ++j)
          middle_[i][j] = middle_[i][j] - middle_[i][k] * middle_[k][j];
      }
    }
    return -1;
  }

  void solve_middle(std::array<Number, most_middle>& x) const {
    const int m = middle();
    for (int k = 0; k < m; ++k) std::swap(x[k], x[middle_pivot_[k]]);  // multipliers went along
    for (int k = 0; k < m; ++k)
      for (int i = k + 1; i < m; ++i) x[i] = x[i] - middle_[i][k] * x[k];
    for (int k = m - 1; k >= 0; --k) {
      for (int j = k + 1; j < m; ++j) x[k] = x[k] - middle_[k][j] * x[j];
      x[k] = x[k] * middle_[k][k];
    }
  }

  template <int band>
  void solve_all(double* re, double* im) const {
    constexpr int width = 2 * band + 1;
    std::array<Number, band + 1> ahead;
    for (int i = 0; i <= band; ++i) ahead[i] = load(re, im, i);
    for (int k = 0; k < steps_; ++k) {
      const Number* const l = lower_.data() + static_cast<std::ptrdiff_t>(k) * band;
      Number t = ahead[0];
      if (const Halves pivot = pivot_[k]; pivot[0] + pivot[1] != 0) {
#pragma GCC unroll 4
        for (int i = 1; i <= band; ++i) {
          const twisted::Mask here = pivot == Halves{} + i;
          const Number other = ahead[i];
          ahead[i] = twisted::choose(here, ahead[0], other);
          t = twisted::choose(here, other, t);
        }
      }
      store(re, im, k, t);
#pragma GCC unroll 4
      for (int i = 1; i <= band; ++i) ahead[i - 1] = ahead[i] - t * l[i - 1];
      ahead[band] = load(re, im, k + 1 + band);
    }
    const int m = middle();
    std::array<Number, most_middle> centre;
    for (int i = 0; i < band; ++i)
      centre[i] = both(ahead[i], 0), centre[band + i] = both(ahead[i], 1);
    if (m > 2 * band) centre[2 * band] = both(ahead[band], 0);
    solve_middle(centre);
    for (int j = 0; j < m; ++j) store(re, im, steps_ + j, join(centre[j], centre[m - 1 - j]));
    std::array<Number, width - 1> known;  // rows k + 1, k + 2, ... of the solution
    for (int j = 0; j < width - 1; ++j) known[j] = join(centre[j], centre[m - 1 - j]);
    for (int k = steps_ - 1; k >= 0; --k) {
      const Number* const u = upper_.data() + static_cast<std::ptrdiff_t>(k) * width;
      Number t = load(re, im, k) * u[0];
      // The row that came last enters last, so that only one product waits for it.
#pragma GCC unroll 8
      for (int j = width - 1; j >= 1; --j) t = t - known[j - 1] * u[j];
      store(re, im, k, t);
#pragma GCC unroll 8
      for (int j = width - 2; j >= 1; --j) known[j] = known[j - 1];
      known[0] = t;
    }
  }

  int n_, band_;
  int steps_;               // columns that each half eliminates
  std::vector<int> order_;  // of the unknowns along the band; empty: their own
  std::vector<int> place_;  // of every entry of the pattern
  std::vector<Number>
      rows_;  // of the matrix, 2 band + 1 entries each, those of the second half reversed
  std::vector<Number> upper_,
      lower_;                  // rows divided by their pivot, its inverse first; multipliers
  std::vector<Halves> pivot_;  // how many rows further
  std::array<std::array<Number, most_middle>, most_middle> middle_;
  std::array<int, most_middle> middle_pivot_{};
  mutable std::array<std::vector<double>, 2> x_;
};

}  // namespace daedalus
