#pragma once
// The numbers of a Condensation for one shift, real (T = double) or complex (T = Split): the matrix
// of the rows that remain, and what leads from their solution to that of all rows.
#include <cmath>
#include <cstddef>
#include <vector>

#include "linear/condensation.h"
#include "linear/dense_kernels.h"

namespace daedalus {

/// A complex number without the special cases of std::complex.
struct Split {
  double re = 0, im = 0;

  Split() = default;
  Split(double re) : re(re) {}
  Split(double re, double im) : re(re), im(im) {}
  Split& operator-=(Split x) { return re -= x.re, im -= x.im, *this; }
  friend Split operator*(Split x, Split y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
};

inline double size(double x) {
  return std::abs(x);
}
inline double size(Split x) {
  return std::abs(x.re) + std::abs(x.im);
}
inline double inverse(double x) {
  return 1 / x;
}
inline Split inverse(Split x) {
  const double t = 1 / (x.re * x.re + x.im * x.im);
  return {x.re * t, -x.im * t};
}

template <class T>
class CondensedRows {
 public:
  static constexpr bool is_complex = sizeof(T) > sizeof(double);

  /// The matrix of what remains goes to `re` (and `im`), without gaps. False: a pivot lost its
  /// leading part to cancellation or is too small beside others, as with very long steps, and the
  /// whole matrix has to be factored, with pivots of its own.
  bool form(const Condensation& from, int n, const double* e, const double* a, T shift, double* re,
            double* im);
  int remaining() const { return r_; }
  int stride() const { return stride_; }
  /// Right-hand side of what remains, in its own place, imaginary parts `stride` behind.
  double* reduce(const DenseKernels& kernels, const double* re, const double* im);
  /// Takes the solution of what remains from there.
  void expand(double* re, double* im);

 private:
  struct Row {
    int row, column, first_term, last_term, first_weight, last_weight;
    std::size_t pivot;  ///< place in the matrix
    int felt;           ///< which column of C; -1: nothing feels it
    T inverse;
  };
  struct Term {
    int eliminated;
    std::size_t place;  ///< in the matrix
    int weight;         ///< -1: what it stands for is eliminated
    T value;            ///< over the pivot
  };
  struct Weight {
    int column;
    T value;
  };
  /// By column of what remains: whose weights these are.
  struct Use {
    int row, weight;
  };

  void copy_places(const Condensation& from, int n);

  int r_ = 0, stride_ = 0;
  const Condensation* from_ = nullptr;
  long choice_ = -1;
  bool has_imaginary_c_ = false;
  std::vector<Row> rows_;
  std::vector<Term> terms_;
  std::vector<Weight> weights_;
  std::vector<int> kept_row_, kept_column_;
  std::vector<Use> uses_;
  std::vector<int> first_use_;
  std::vector<double> c_, c_imaginary_;  ///< felt columns, `stride_` rows each
  std::vector<double> felt_;             ///< what c is multiplied by, imaginary parts behind
  std::vector<T> given_;                 ///< U^-1 b
  std::vector<double> b_;
};

}  // namespace daedalus
