// da/dq and da/dv of a sparse motion with constant masses, exactly: the derivatives of
//   M a + G^T lambda = f,   G a + gamma = 0
// have the same matrix on the left,
//   M da + G^T dlambda = df - (sum_k lambda_k g_k,qq) dq,   G da = -d(G a + gamma)|a,
// and the constraints differentiated twice are G a + gamma, whatever a is. All 2n columns are
// solved at once, by rows.
#include "formulation/force_derivatives.h"
#include "formulation/sparse_motion.h"
#include "linear/long_vectors.h"
#include "linear/sum_kernels.h"

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
        right_side_(static_cast<std::size_t>(m_) * static_cast<std::size_t>(2 * n_)),
        sum_(sum_kernels(best_instruction_set()).sum) {
    if (motion.force_function_)
      force_function_ = ForceDerivatives(motion.force_function_, n_);
    else
      force_values_.resize(sets_.force->entries().size());
    for (const int j : motion.column_) driven_.push_back(row(j));
    std::vector<std::vector<int>> pulls(static_cast<std::size_t>(n_)), of_row = pulls;
    for (int i = 0; i < m_; ++i)
      for (int k = motion.start_[i]; k < motion.start_[i + 1]; ++k)
        pulls[motion.column_[k]].push_back(k), of_row[motion.column_[k]].push_back(i);
    for (int j = 0; j < n_; ++j) {
      pull_start_.push_back(static_cast<int>(pulls_.size()));
      pulls_.insert(pulls_.end(), pulls[j].begin(), pulls[j].end());
      for (const int i : of_row[j]) held_.push_back(right_side(i));
    }
    pull_start_.push_back(static_cast<int>(pulls_.size()));
    pull_.resize(pulls_.size());
  }

  bool find(SparseMotion& motion, double t, const double* x, double* da_dq, double* da_dv) {
    const double *q = x, *v = x + n_;
    if (!motion.slope_by_matrices(t, x, slope_.data()) || motion.dense_) return false;
    find_right_sides(motion, t, q, v);
    scale_forces(motion);
    const int width = 2 * n_;
    for (int i = 0; i < m_; ++i) {
      const int first = motion.start_[i];
      sum_(width, motion.start_[i + 1] - first, motion.rows_.data() + first, driven_.data() + first,
           right_side(i), right_side(i));
    }
    motion.gram_.solve_rows(right_side_.data(), width);
    for (std::size_t k = 0; k < pulls_.size(); ++k) pull_[k] = -motion.rows_[pulls_[k]];
    for (int j = 0; j < n_; ++j) {
      const int first = pull_start_[j];
      sum_(width, pull_start_[j + 1] - first, pull_.data() + first, held_.data() + first, row(j),
           row(j));
    }
    unscale_motion(motion);
    return transpose(da_dq, da_dv);
  }

 private:
  double* row(int i) { return rows_.data() + static_cast<std::ptrdiff_t>(i) * 2 * n_; }
  double* right_side(int i) { return right_side_.data() + static_cast<std::ptrdiff_t>(i) * 2 * n_; }
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
    for (int i = 0; i < n_; ++i) {
      double* own = row(i);
      for (int j = 0; factor[i] != 1 && j < 2 * n_; ++j) own[j] *= factor[i];
    }
  }
  void scale_forces(const SparseMotion& motion) {
    if (motion.mass_.is_diagonal()) return scale(motion.mass_.inverse_root());
    by_columns([&](double* x) { motion.mass_.to_scaled_force(x); });
  }
  void unscale_motion(const SparseMotion& motion) {
    if (motion.mass_.is_diagonal()) return scale(motion.mass_.inverse_root());
    by_columns([&](double* x) { motion.mass_.from_scaled_motion(x); });
  }

  bool transpose(double* da_dq, double* da_dv) const {
    constexpr int block = 8;
    const int width = 2 * n_;
    for (int first = 0; first < n_; first += block) {
      const int count = std::min(block, n_ - first);
      const double* from = rows_.data() + static_cast<std::ptrdiff_t>(first) * width;
      for (int j = 0; j < n_; ++j) {
        double *q = da_dq + first + j * n_, *v = da_dv + first + j * n_;
        for (int i = 0; i < count; ++i) q[i] = from[i * width + j], v[i] = from[i * width + n_ + j];
      }
    }
    return are_finite(rows_.data(), rows_.size());
  }

  int n_, m_;
  MotionLinearization::Sets sets_;
  ForceDerivatives force_function_;
  std::vector<double> slope_, curvature_values_, bending_values_, force_values_, column_;
  std::vector<double> rows_, right_side_;
  decltype(SumKernels::sum) sum_;
  std::vector<const double*> driven_;    ///< rows_ along the rows of G
  std::vector<int> pull_start_, pulls_;  ///< the entries of G by coordinates
  std::vector<const double*> held_;      ///< right_side_ of each
  std::vector<double> pull_;             ///< their values, negative
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
