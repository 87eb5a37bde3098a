#pragma once
// LU with partial pivoting of a band that is as wide below the diagonal as above, and narrow:
// column after column from both ends to the middle. Elimination of a narrow band waits for each
// pivot; two that do not meet before the middle wait together, as the halves of a vector register.
// Every column finds its pivot among all rows that have an entry in it, so nothing of stability is
// given up. [Babuska1972] twists a tridiagonal matrix in this way.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "linear/large_pages.h"
#include "linear/pencil.h"
#include "linear/twisted_middle.h"

namespace daedalus {

/// `Number`: Halves or SplitHalves.
template <class Number>
class TwistedBand {
 public:
  static constexpr int widest = TwistedMiddle<Number>::widest;
  static constexpr int parts = sizeof(Number) / sizeof(Halves);
  static bool fits(int size, Bandwidth band) {
    return band.lower == band.upper && band.lower >= 1 && band.lower <= widest &&
           size >= 4 * band.lower + 2;
  }

  TwistedBand(const Pattern& pattern, int band, const std::vector<int>& order)
      : n_(pattern.size), band_(band), steps_((n_ - 2 * band) / 2), order_(order) {
    const int width = 2 * band + 1;
    const std::size_t steps = static_cast<std::size_t>(steps_);
    upper_ = large_array<Stored>(steps * (band + 1));
    fill_ = large_array<Stored>(steps * band);
    lower_ = large_array<Stored>(steps * band);
    pivot_.resize(steps);
    for (auto& x : x_) x.resize(order.empty() ? 0 : static_cast<std::size_t>(n_));
    std::vector<int> at(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) at[order[k]] = static_cast<int>(k);
    const auto place = [&](int unknown) { return order.empty() ? unknown : at[unknown]; };
    source_.assign(2 * (steps + band + 1) * width, -1);
    const int last_of_first = n_ - steps_ - band - 1;
    for (int j = 0; j < n_; ++j)
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        const int row = place(pattern.row[k]), right = place(j) - row;
        const bool first = row <= last_of_first;
        const int entry =
            first ? row * width + band + right : (n_ - 1 - row) * width + band - right;
        source_[2 * static_cast<std::size_t>(entry) + (first ? 0 : 1)] = k;
      }
  }

  /// Factors (re + i im) E + A; returns the singular column or -1.
  int factor(const Pencil& pencil, double re, double im) {
    shifted_ = {pencil.e.data(), pencil.a.data(), re, im};
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

  /// A solution step by step, so that it may go along with another one: from the ends to the middle
  /// and back. Each row waits for the one before it, and two that wait together take no longer.
  template <int band>
  class Substitution {
   public:
    Substitution(const TwistedBand& lu, double* re, double* im) : lu_(lu), re_(re), im_(im) {
      for (int i = 0; i <= band; ++i) near_[i] = lu.load(re, im, i);
    }

    [[gnu::always_inline]] void forward(int k) {
      const Stored* const l = lu_.lower_.get() + static_cast<std::ptrdiff_t>(k) * band;
      Number t = near_[0];
      if (lu_.pivot_[k].exchange()) {
        const Halves pivot = lu_.pivot_[k].rows();
#pragma GCC unroll 4
        for (int i = 1; i <= band; ++i) {
          const twisted::Mask here = pivot == Halves{} + i;
          const Number other = near_[i];
          near_[i] = twisted::choose(here, near_[0], other);
          t = twisted::choose(here, other, t);
        }
      }
      lu_.store(re_, im_, k, t);
#pragma GCC unroll 4
      for (int i = 1; i <= band; ++i) near_[i - 1] = near_[i] - t * Number(l[i - 1]);
      near_[band] = lu_.load(re_, im_, k + 1 + band);
    }

    void turn() {
      const int m = lu_.middle();
      std::array<Number, TwistedMiddle<Number>::most> centre;
      for (int i = 0; i < band; ++i)
        centre[i] = both(near_[i], 0), centre[band + i] = both(near_[i], 1);
      if (m > 2 * band) centre[2 * band] = both(near_[band], 0);
      lu_.middle_.solve(m, centre);
      for (int j = 0; j < m; ++j)
        lu_.store(re_, im_, lu_.steps_ + j, join(centre[j], centre[m - 1 - j]));
      for (int j = 0; j < 2 * band; ++j) near_[j] = join(centre[j], centre[m - 1 - j]);
    }

    [[gnu::always_inline]] void back(int k) {
      const Stored* const u = lu_.upper_.get() + static_cast<std::ptrdiff_t>(k) * (band + 1);
      Number t = lu_.load(re_, im_, k) * Number(u[0]);
      if (lu_.pivot_[k].fill()) {
        const Stored* const beyond = lu_.fill_.get() + static_cast<std::ptrdiff_t>(k) * band;
#pragma GCC unroll 4
        for (int j = 2 * band; j > band; --j) t = t - near_[j - 1] * Number(beyond[j - band - 1]);
      }
      // The row that came last enters last, so that only one product waits for it.
#pragma GCC unroll 4
      for (int j = band; j >= 1; --j) t = t - near_[j - 1] * Number(u[j]);
      lu_.store(re_, im_, k, t);
#pragma GCC unroll 8
      for (int j = 2 * band - 1; j >= 1; --j) near_[j] = near_[j - 1];
      near_[0] = t;
    }

   private:
    const TwistedBand& lu_;
    double *re_, *im_;
    std::array<Number, 2 * band> near_;  // rows k, k + 1, ... ; then k + 1, ... of the solution
  };

  bool keeps_order() const {
    return order_.empty();
  }
  int band() const {
    return band_;
  }
  int steps() const {
    return steps_;
  }

 private:
  static constexpr int block = 32;  // rows of the matrix that are at hand
  static constexpr unsigned char filled = 64;

  /// Left as it is found until it is written.
  struct Stored {
    Halves part[parts];

    operator Number() const {
      if constexpr (parts == 1)
        return part[0];
      else
        return {part[0], part[1]};
    }
    Stored& operator=(Number x) {
      if constexpr (parts == 1)
        part[0] = x;
      else
        part[0] = x.re, part[1] = x.im;
      return *this;
    }
  };
  struct Shifted {
    const double *e, *a;
    double re, im;
  };
  /// How many rows further the pivots stand, and whether they reach beyond the band.
  struct Pivots {
    unsigned char of_first = 0, of_second = 0;

    bool exchange() const { return (of_first | of_second) % filled != 0; }
    bool fill() const { return of_first >= filled; }
    Halves rows() const {
      return Halves{static_cast<double>(of_first % filled), static_cast<double>(of_second)};
    }
  };

  int unknown(int k) const {
    return order_.empty() ? k : order_[k];
  }
  int middle() const {
    return n_ - 2 * steps_;
  }

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

  double real_part(int source) const {
    return source < 0 ? 0.0 : shifted_.re * shifted_.e[source] + shifted_.a[source];
  }
  double imaginary_part(int source) const {
    return source < 0 ? 0.0 : shifted_.im * shifted_.e[source];
  }

  /// Rows of the shifted matrix from `first` on, those of the second half reversed. They are made
  /// where they are needed: all of them at once would go to memory and come back from there.
  template <int width>
  void take_rows(int first, std::array<Number, block * width>& rows) const {
    const int count = std::min(block, steps_ + band_ + 1 - first) * width;
    const int* source = source_.data() + 2 * static_cast<std::ptrdiff_t>(first) * width;
    for (int i = 0; i < count; ++i, source += 2) {
      const Halves re = {real_part(source[0]), real_part(source[1])};
      if constexpr (parts == 1)
        rows[i] = re;
      else
        rows[i] = {re, Halves{imaginary_part(source[0]), imaginary_part(source[1])}};
    }
  }

  /// A window of `band` + 1 rows and 2 `band` + 1 columns moves along the diagonal.
  template <int band>
  int factor_all() {
    constexpr int width = 2 * band + 1;
    std::array<Number, block * width> rows;
    take_rows<width>(0, rows);
    std::array<std::array<Number, band + 1>, width> window;  // by columns
    for (int j = 0; j < width; ++j)
      for (int i = 0; i <= band; ++i)
        window[j][i] = j <= i + band ? rows[i * width + j - i + band] : Number{};
    int fill_end = 0;  // from there on no row reaches beyond the band
    for (int k = 0; k < steps_; ++k) {
      Halves pivot = {}, largest = twisted::size(window[0][0]);
#pragma GCC unroll 4
      for (int i = 1; i <= band; ++i) {
        const Halves candidate = twisted::size(window[0][i]);
        const twisted::Mask larger = candidate > largest;
        largest = twisted::choose(larger, candidate, largest);
        pivot = twisted::choose(larger, Halves{} + i, pivot);
      }
      if (pivot[0] + pivot[1] != 0) {
        fill_end = k + band;
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
      if (!twisted::usable(t)) return singular(t, k);
      const bool fill = k < fill_end;
      pivot_[k] = {static_cast<unsigned char>(pivot[0] + (fill ? filled : 0)),
                   static_cast<unsigned char>(pivot[1])};
      Stored* const u = upper_.get() + static_cast<std::ptrdiff_t>(k) * (band + 1);
      Stored* const below = lower_.get() + static_cast<std::ptrdiff_t>(k) * band;
      std::array<Number, band + 1> l;
      u[0] = t;
#pragma GCC unroll 4
      for (int i = 1; i <= band; ++i) below[i - 1] = l[i] = window[0][i] * t;
#pragma GCC unroll 8
      for (int j = 1; j <= band; ++j) {
        const Number right = window[j][0];
        u[j] = right * t;
#pragma GCC unroll 4
        for (int i = 1; i <= band; ++i) window[j - 1][i - 1] = window[j][i] - right * l[i];
      }
      if (fill) {
        Stored* const beyond = fill_.get() + static_cast<std::ptrdiff_t>(k) * band;
#pragma GCC unroll 4
        for (int j = band + 1; j < width; ++j) {
          const Number right = window[j][0];
          beyond[j - band - 1] = right * t;
#pragma GCC unroll 4
          for (int i = 1; i <= band; ++i) window[j - 1][i - 1] = window[j][i] - right * l[i];
        }
      } else {
#pragma GCC unroll 4
        for (int j = band + 1; j < width; ++j)
#pragma GCC unroll 4
          for (int i = 1; i <= band; ++i) window[j - 1][i - 1] = window[j][i];
      }
      // The row that comes into sight; the last one is of the middle, or of none.
      const int coming = k + 1 + band;
      if (coming % block == 0) take_rows<width>(coming, rows);
      const Number* const next = rows.data() + coming % block * width;
#pragma GCC unroll 8
      for (int j = 0; j < width; ++j) window[j][band] = next[j];
#pragma GCC unroll 4
      for (int i = 0; i < band; ++i) window[width - 1][i] = Number{};
    }
    const int m = middle();
    middle_.clear();
    for (int i = 0; i < band; ++i)
      for (int j = 0; j < 2 * band; ++j) {
        middle_.entry(i, j) = both(window[j][i], 0);
        middle_.entry(band + i, m - 1 - j) = both(window[j][i], 1);
      }
    if (m > 2 * band)
      for (int j = 0; j < width; ++j) middle_.entry(2 * band, j) = both(window[j][band], 0);
    const int column = middle_.factor(m);
    return column < 0 ? column : steps_ + column;
  }

  int singular(Number inverse, int k) const {
    const double s = twisted::size(inverse)[0];
    return s > 0 && std::isfinite(s) ? n_ - 1 - k : k;
  }

  template <int band>
  void solve_all(double* re, double* im) const {
    Substitution<band> x(*this, re, im);
    for (int k = 0; k < steps_; ++k) x.forward(k);
    x.turn();
    for (int k = steps_ - 1; k >= 0; --k) x.back(k);
  }

  int n_, band_;
  int steps_;               // columns that each half eliminates
  std::vector<int> order_;  // of the unknowns along the band; empty: their own
  /// For every row of both halves and 2 band + 1 places of it: which entry of the pattern, or -1.
  std::vector<int> source_;
  Shifted shifted_ = {};
  std::unique_ptr<Stored[]> upper_, fill_;  // rows divided by their pivot, its inverse first; the
                                            // part of them that exchanges bring
  std::unique_ptr<Stored[]> lower_;         // multipliers
  std::vector<Pivots> pivot_;
  TwistedMiddle<Number> middle_;
  mutable std::array<std::vector<double>, 2> x_;
};

/// Of the same pencil, a real solution beside a complex one, both in the order of the unknowns.
template <int band>
void solve_beside(const TwistedBand<Halves>& real, double* x,
                  const TwistedBand<SplitHalves>& complex, double* re, double* im) {
  TwistedBand<Halves>::Substitution<band> one(real, x, nullptr);
  TwistedBand<SplitHalves>::Substitution<band> other(complex, re, im);
  for (int k = 0; k < real.steps(); ++k) one.forward(k), other.forward(k);
  one.turn(), other.turn();
  for (int k = real.steps() - 1; k >= 0; --k) one.back(k), other.back(k);
}

}  // namespace daedalus
