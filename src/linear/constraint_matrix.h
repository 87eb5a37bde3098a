#pragma once
// The matrix of constraints G with few rows, equilibrated and factored so that minimal solutions of
// G x = c are had where its rows are independent, nearly dependent, or dependent.
//   Gh = D^-1 G,  D_i = largest norm that row i ever had,
// so that a row that vanishes at a singular point is seen to vanish. Where the rows are far from
// dependent the Cholesky factors of Gh Gh^T serve, elsewhere Gh = U S V^T.
#include <algorithm>
#include <vector>

namespace daedalus {

class SavedState;

class ConstraintMatrix {
 public:
  /// Relative to the largest singular value met: below it the singular values are looked at.
  static constexpr double suspicious = 0.1;
  /// Below it a singular value is asked when it vanishes.
  static constexpr double in_sight = 0.5;

  ConstraintMatrix(int rows, int columns);

  int rows() const { return m_; }
  int columns() const { return n_; }
  /// Row i, contiguous, to be filled in before `factor`.
  double* row(int i) { return given_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  const double* row(int i) const { return given_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  /// Lets the scales grow by the rows filled in. Output between steps must not: values are to have
  /// the same bits whatever was asked before.
  void learn();
  /// Likewise the largest singular value, after `decompose`.
  void learn_reference();
  /// False: not finite.
  bool factor();
  /// The singular values whatever the pivots say.
  bool decompose();

  bool is_decomposed() const { return decomposed_; }
  /// About the smallest singular value over the largest one met.
  double health() const { return health_; }
  double scale(int i) const { return scale_[i]; }
  double reference() const { return reference_; }
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
    if (!decomposed_) return solve(c, x, drop_below);
    std::fill(x, x + n_, 0.0);
    for (int i = 0; i < m_; ++i) {
      if (sigma_[i] == 0 || relative_sigma(i) < drop_below) continue;
      const double size = left(i, c) / sigma_[i];
      for (int k = 0; k < n_; ++k) turn_[k] = size * right(i)[k];
      if (relative_sigma(i) < suspicious && !keep(turn_.data(), relative_sigma(i))) continue;
      for (int k = 0; k < n_; ++k) x[k] += turn_[k];
    }
  }
  /// y of least norm (in scaled rows) with G^T y = G^+ c: multipliers.
  void multipliers(const double* c, double* y, double drop_below);

  /// How left singular vector i turns the rows, w = u_i^T D^-1 d/dt G, for the rates of all rows,
  /// and its part `free` outside of the right singular vectors of at least `determined`.
  void turning(int i, const double* rates, double determined, double* w, double* free) const;
  /// t - t* of the nearest time at which a singular value vanishes, from the rates of the rows;
  /// infinite: none. Rows that turn slower than `slowest` are dependent all the time.
  double since_crossing(const double* rates, double slowest);

  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory);

 private:
  double* scaled(int i) { return v_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  bool scale_rows();
  bool cholesky();
  void forward_and_back(double* c) const;

  int m_, n_;
  std::vector<double> given_, scale_;
  std::vector<double> v_;      ///< scaled rows; after a decomposition the right singular vectors
  std::vector<double> u_;      ///< columns: left singular vectors
  std::vector<double> lower_;  ///< Cholesky factor of Gh Gh^T, by rows
  std::vector<double> sigma_, work_, turn_, free_;
  double reference_ = 0, health_ = 1;
  bool decomposed_ = false;
};

}  // namespace daedalus
