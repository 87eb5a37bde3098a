#pragma once
// The matrix of constraints G with few rows, equilibrated, and minimal solutions of G x = c where
// its rows are independent, nearly dependent, or dependent.
//   Gh = D^-1 G,  D_i = largest norm that row i ever had,
// so that a row that vanishes at a singular point is seen to vanish. Small singular values and
// their vectors are known one by one (`pairs`), the rest of the rows is solved at once: by factors
// (factored_constraints.h), or by products alone (iterated_constraints.h).
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace daedalus {

class SavedState;

class ConstraintMatrix {
 public:
  /// Relative to the largest singular value met: below it the singular values are looked at.
  static constexpr double suspicious = 0.1;
  /// Of rows that depend on each other rounding leaves a singular value of about 1e-16, and what it
  /// says of x is of the size of c but means nothing.
  static constexpr double lost_in_rounding = 1e-12;
  /// Below it a singular value is asked when it vanishes.
  static constexpr double in_sight = 0.5;

  ConstraintMatrix(int rows, int columns);
  virtual ~ConstraintMatrix() = default;
  virtual std::shared_ptr<ConstraintMatrix> copy() const = 0;

  int rows() const { return m_; }
  int columns() const { return n_; }
  /// Row i, contiguous, to be filled in before `factor`.
  double* row(int i) { return given_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  const double* row(int i) const { return given_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  /// Lets the scales grow by the rows filled in. Output between steps must not: values are to have
  /// the same bits whatever was asked before.
  void learn();
  /// Keeps the scales as they are, or goes back to those kept last. False: they have changed.
  bool settle(bool keep);
  /// Likewise the largest singular value, after `factor` or `decompose`.
  virtual void learn_reference() = 0;
  /// As it was made.
  virtual void forget();
  /// From now on results depend on the rows filled in alone.
  virtual void freeze() {}
  /// Makes solutions possible, and singular pairs known if there are suspicious ones. False: not
  /// finite.
  virtual bool factor() = 0;
  /// Rows that were factored elsewhere: the squares of their lengths, and those of their distances
  /// from rows before. Lets the scales grow if `learning`. True: independent rows, nothing to look
  /// at. The rows themselves are not known afterwards.
  virtual bool are_regular(const double* squares, const double* pivots, bool learning) {
    return (void)squares, (void)pivots, (void)learning, false;
  }
  /// In place of `suspicious`: of rows that are nearly dependent all along, and were looked at.
  /// False: of no use here.
  virtual bool suspect_below(double health) { return (void)health, false; }
  /// The singular pairs whatever the rows are.
  virtual bool decompose() = 0;
  /// Of solutions by iteration: how far they may be off, 0: by rounding.
  virtual void set_accuracy(double error) { (void)error; }
  std::int64_t factorizations = 0;
  std::int64_t iterations = 0;  ///< of multipliers, where nothing is factored

  bool is_decomposed() const { return decomposed_; }
  /// About the smallest singular value over the largest one met.
  double health() const { return health_; }
  void set_health(double known) { health_ = known; }
  double scale(int i) const { return scale_[i]; }
  double reference() const { return reference_; }
  /// Number of singular pairs known.
  int pairs() const { return pairs_; }
  double sigma(int i) const { return sigma_[i]; }
  double relative_sigma(int i) const { return sigma_[i] / reference_; }
  /// Component i of U^T D^-1 c.
  double left(int i, const double* c) const;
  /// Right singular vector i, where sigma(i) > 0.
  const double* right(int i) const { return v_.data() + static_cast<std::ptrdiff_t>(i) * n_; }

  /// x of least norm with G x = c, as far as singular values of at least `drop_below` allow.
  void solve(const double* c, double* x, double drop_below);
  /// The same, but components along singular values below `suspicious` only where `keep`, which
  /// sees the component and the relative singular value, agrees.
  template <class Keep>
  void solve_where(const double* c, double* x, double drop_below, Keep keep) {
    solve_rest(c, x, false);
    for (int i = 0; decomposed_ && i < pairs_; ++i) {
      if (relative_sigma(i) < std::max(drop_below, lost_in_rounding)) continue;
      const double size = (left(i, c) - coupling(i, x)) / sigma_[i];
      for (int k = 0; k < n_; ++k) turn_[k] = size * right(i)[k];
      if (relative_sigma(i) < suspicious && !keep(turn_.data(), relative_sigma(i))) continue;
      for (int k = 0; k < n_; ++k) x[k] += turn_[k];
    }
  }
  /// y of least norm (in scaled rows) with G^T y = G^+ c: multipliers.
  virtual void multipliers(const double* c, double* y, double drop_below) = 0;

  /// How left singular vector i turns the rows, w = u_i^T D^-1 d/dt G, for the rates of all rows,
  /// and its part `free` outside of the right singular vectors of at least `determined`.
  void turning(int i, const double* rates, double determined, double* w, double* free);
  /// x less its part in the right singular vectors of at least `determined`.
  void leave_free(double* x, double determined);
  /// t - t* of the nearest time at which a singular value vanishes, from the rates of the rows;
  /// infinite: none. Rows that turn slower than `slowest` are dependent all the time.
  double since_crossing(const double* rates, double slowest);

  virtual void save(std::vector<double>& memory) const;
  virtual void restore(SavedState& memory);

 protected:
  void learn(int i, double square) {
    if (square > largest_square_[static_cast<std::size_t>(i)]) learn_larger(i, square);
  }
  void learn_larger(int i, double square);
  void set_scale(int i, double scale);
  /// Into `to`, by rows. False: not finite.
  bool scale_rows(double* to);
  double scaled(int i, double c) const { return scale_[i] > 0 ? c / scale_[i] : c; }
  /// x of least norm with G x = c in the combinations of rows that are no known pair. `warm`: the
  /// last such solution is near.
  virtual void solve_rest(const double* c, double* x, bool warm) = 0;
  /// u_i^T Gh x for an x of `solve_rest`; zero for exact singular vectors.
  virtual double coupling(int i, const double* x) const { return (void)i, (void)x, 0.0; }
  /// x less its part in the rows that `solve_rest` takes care of.
  virtual void leave_rest(double* x) { (void)x; }

  int m_, n_, pairs_ = 0;
  std::vector<double> given_, scale_, inverse_scale_, inverse_square_, largest_square_,
      kept_square_;
  std::vector<double> v_;  ///< right singular vectors
  std::vector<double> u_;  ///< columns: left singular vectors
  std::vector<double> sigma_, turn_, free_;
  double reference_ = 0, health_ = 1;
  bool decomposed_ = false;
  bool has_learnt_ = true;  ///< scales since `settle`
};

inline std::size_t area(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace daedalus
