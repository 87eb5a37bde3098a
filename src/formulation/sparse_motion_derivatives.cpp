// da/dq and da/dv of a sparse motion with constant masses, exactly: the derivatives of
//   M a + G^T lambda = f,   G a + gamma = 0
// have the same matrix on the left,
//   M da + G^T dlambda = df - (sum_k lambda_k g_k,qq) dq,   G da = -d(G a + gamma)|a,
// and the constraints differentiated twice are G a + gamma, whatever a is. All 2n columns are
// solved at once, by rows.
#include <cmath>

#include "formulation/force_derivatives.h"
#include "formulation/sparse_motion.h"

namespace daedalus {

class SparseMotionDerivatives {
 public:
  explicit SparseMotionDerivatives(const SparseMotion& motion)
      : n_(motion.n_),
        m_(motion.m_),
        sets_(motion.linearization_->of(motion.level_[0], motion.level_[1],
                                        motion.force_function_ ? nullptr : &motion.force_set_)),
        slope_(static_cast<std::size_t>(2 * n_)),
        curvature_values_(sets_.curvature.entries().size()),
        bending_values_(sets_.bending.entries().size()),
        column_(static_cast<std::size_t>(n_)),
        rows_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(2 * n_)),
        right_side_(static_cast<std::size_t>(m_) * static_cast<std::size_t>(2 * n_)) {
    if (motion.force_function_)
      force_function_ = ForceDerivatives(motion.force_function_, n_);
    else
      force_values_.resize(sets_.force->entries().size());
  }

  bool find(SparseMotion& motion, double t, const double* x, double* da_dq, double* da_dv) {
    const double *q = x, *v = x + n_;
    if (!motion.slope_by_matrices(t, x, slope_.data()) || motion.dense_) return false;
    find_right_sides(motion, t, q, v);
    scale_forces(motion);
    const int width = 2 * n_;
    for (int i = 0; i < m_; ++i)
      for (int k = motion.start_[i]; k < motion.start_[i + 1]; ++k)
        add(right_side(i), motion.rows_[k], row(motion.column_[k]));
    motion.gram_.solve_rows(right_side_.data(), width);
    for (int i = 0; i < m_; ++i)
      for (int k = motion.start_[i]; k < motion.start_[i + 1]; ++k)
        add(row(motion.column_[k]), -motion.rows_[k], right_side(i));
    unscale_motion(motion);
    return transpose(da_dq, da_dv);
  }

 private:
  double* row(int i) { return rows_.data() + static_cast<std::ptrdiff_t>(i) * 2 * n_; }
  double* right_side(int i) { return right_side_.data() + static_cast<std::ptrdiff_t>(i) * 2 * n_; }
  void add(double* to, double factor, const double* what) const {
    for (int j = 0; j < 2 * n_; ++j) to[j] += factor * what[j];
  }
  int column_of(int variable, int order) const { return order * n_ + variable; }

  void find_right_sides(SparseMotion& motion, double t, const double* q, const double* v) {
    Point here = motion.point(t, q, v);
    if (sets_.force) {
      std::fill(rows_.begin(), rows_.end(), 0.0);
      sets_.force->evaluate(here, force_values_.data());
      for (std::size_t k = 0; k < force_values_.size(); ++k) {
        const auto& e = sets_.force->entries()[k];
        row(e.row)[column_of(e.variable, e.order)] += force_values_[k];
      }
    } else {
      force_function_.evaluate(t, q, v, rows_.data());
    }
    sets_.bending.evaluate(here, bending_values_.data());
    for (std::size_t k = 0; k < bending_values_.size(); ++k) {
      const auto& e = sets_.bending.entries()[k];
      row(e.first)[e.second] -= motion.lambda_[e.row] * bending_values_[k];
    }
    motion.tables_[2] = slope_.data() + n_;
    std::fill(right_side_.begin(), right_side_.end(), 0.0);
    sets_.curvature.evaluate(here, curvature_values_.data());
    for (std::size_t k = 0; k < curvature_values_.size(); ++k) {
      const auto& e = sets_.curvature.entries()[k];
      right_side(e.row)[column_of(e.variable, e.order)] += curvature_values_[k];
    }
  }

  template <class Change>
  void by_columns(Change change) {
    for (int j = 0; j < 2 * n_; ++j) {
      for (int i = 0; i < n_; ++i) column_[i] = row(i)[j];
      change(column_.data());
      for (int i = 0; i < n_; ++i) row(i)[j] = column_[i];
    }
  }
  void scale(const double* factor) {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < 2 * n_; ++j) row(i)[j] *= factor[i];
  }
  void scale_forces(const SparseMotion& motion) {
    if (motion.mass_.is_diagonal()) return scale(motion.mass_.inverse_root());
    by_columns([&](double* x) { motion.mass_.to_scaled_force(x); });
  }
  void unscale_motion(const SparseMotion& motion) {
    if (motion.mass_.is_diagonal()) return scale(motion.mass_.inverse_root());
    by_columns([&](double* x) { motion.mass_.from_scaled_motion(x); });
  }

  bool transpose(double* da_dq, double* da_dv) {
    double sum = 0;
    constexpr int block = 8;
    for (int first = 0; first < n_; first += block) {
      const int last = std::min(first + block, n_);
      for (int j = 0; j < n_; ++j)
        for (int i = first; i < last; ++i) {
          da_dq[i + j * n_] = row(i)[j], da_dv[i + j * n_] = row(i)[n_ + j];
          sum += row(i)[j] + row(i)[n_ + j];
        }
    }
    return std::isfinite(sum);
  }

  int n_, m_;
  MotionLinearization::Sets sets_;
  ForceDerivatives force_function_;
  std::vector<double> slope_, curvature_values_, bending_values_, force_values_, column_;
  std::vector<double> rows_, right_side_;
};

bool SparseMotion::acceleration_derivatives(double t, const double* x, double* da_dq,
                                            double* da_dv) {
  if (dense_) return dense_->acceleration_derivatives(t, x, da_dq, da_dv);
  if (!mass_entries_.constant) return ProjectedField::acceleration_derivatives(t, x, da_dq, da_dv);
  if (!derivatives_) derivatives_ = std::make_shared<SparseMotionDerivatives>(*this);
  if (derivatives_->find(*this, t, x, da_dq, da_dv)) return true;
  return dense_ && dense_->acceleration_derivatives(t, x, da_dq, da_dv);
}

/// Forces that are recorded have as many derivatives as terms, functions an eighth of the columns
/// as duals of eight directions.
double SparseMotion::slopes_for_derivatives() const {
  if (dense_ || !mass_entries_.constant) return ProjectedField::slopes_for_derivatives();
  return force_function_ ? 10 + n_ / 3.0 : 10 + n_ / 8.0;
}

}  // namespace daedalus
