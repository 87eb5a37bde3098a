// Solutions by GMRES with incomplete factors as preconditioner, in the norm in which errors count:
//   W M^-1 A W^-1 (W x) = W M^-1 b.  [BrownHindmarshPetzold1994]
// Nobody knows beforehand whether iterations are few. Both ways are priced from what happens, and
// where factors proper would have been cheaper, or iterations do not get there, these take over.
#include <cmath>
#include <vector>

#include "linear/factors.h"
#include "linear/gmres.h"
#include "linear/incomplete_factors.h"

namespace daedalus {
namespace {

constexpr int space = 30, most_restarts = 3;
// Newton's iteration repeats what is left over: two digits more with each of its solutions.
constexpr double for_newton = 0.01;
// Where nothing is known of the use of a solution.
constexpr double for_anybody = 1e-11;
// Iterations may cost so much more than factors before these take over.
constexpr double patience = 1.5, matrices_at_least = 4;

class KrylovFactors final : public RealFactors {
 public:
  explicit KrylovFactors(const Pencil& pencil)
      : pattern_(pencil.pattern),
        work_(pencil.work),
        incomplete_(pattern_),
        gmres_(pencil.size(), space),
        matrix_(pattern_.row.size()),
        residual_(static_cast<std::size_t>(pencil.size())),
        step_(residual_),
        correction_(residual_),
        product_(residual_),
        right_(residual_) {}

  bool factor(const Pencil& pencil, double shift) override {
    if (!direct_) {
      for (std::size_t k = 0; k < matrix_.size(); ++k)
        matrix_[k] = shift * pencil.e[k] + pencil.a[k];
      if (costs_more() || !incomplete_.factor(matrix_)) {
        direct_ = make_sparse_real_factors(pencil);
      } else {
        is_new_ = is_resumed_ ? is_new_ : true;
        is_resumed_ = false;
        return true;
      }
    }
    const bool regular = direct_->factor(pencil, shift);
    singular_column_ = direct_->singular_column();
    return regular;
  }

  void solve(double* x) const override {
    if (!direct_ && !iterate(x)) factor_after_all(), std::copy(right_.begin(), right_.end(), x);
    if (direct_) direct_->solve(x);
  }

  void set_accuracy(const double* weight, double negligible) override {
    weight_ = weight;
    negligible_ = negligible;
  }

  std::vector<double> pivots() const override {
    std::vector<double> state = {direct_ ? 1.0 : 0.0, is_new_ ? 1.0 : 0.0, spent_, saved_};
    if (direct_) {
      const std::vector<double> own = direct_->pivots();
      state.insert(state.end(), own.begin(), own.end());
    }
    return state;
  }

  void restore_pivots(const Pencil& pencil, const std::vector<double>& state) override {
    constexpr std::ptrdiff_t head = 4;
    if (std::ssize(state) < head) return;
    is_resumed_ = true;
    is_new_ = state[1] != 0, spent_ = state[2], saved_ = state[3];
    if (state[0] == 0) return;
    direct_ = make_sparse_real_factors(pencil);
    direct_->restore_pivots(pencil, {state.begin() + head, state.end()});
  }

 private:
  bool costs_more() const {
    return work_.entries > 0 &&
           spent_ > patience * saved_ + matrices_at_least * direct_factor_time(work_);
  }

  /// False: it does not converge; `right_` is what x was.
  bool iterate(double* x) const {
    const std::size_t n = residual_.size();
    std::copy(x, x + n, right_.begin());
    std::copy(x, x + n, residual_.begin());
    std::fill(x, x + n, 0.0);
    incomplete_.solve(residual_.data());
    weigh(residual_.data());
    const double first = long_norm(residual_.data(), n);
    if (!std::isfinite(first)) return false;
    const double target = std::max((weight_ ? for_newton : for_anybody) * first,
                                   negligible_ * std::sqrt(static_cast<double>(n)));
    const auto product = [&](const double* v, double* out) {
      for (std::size_t i = 0; i < n; ++i) product_[i] = weight_ ? v[i] / weight_[i] : v[i];
      incomplete_.multiply(product_.data(), out);
      incomplete_.solve(out);
      weigh(out);
    };
    double left = first;
    for (int cycle = 0; cycle < most_restarts && left > target; ++cycle) {
      const Gmres::Outcome outcome =
          gmres_.solve(product, residual_.data(), 0, step_.data(), target);
      spent_ += iterated_solve_time(pattern_, outcome.iterations);
      for (std::size_t i = 0; i < n; ++i) x[i] += weight_ ? step_[i] / weight_[i] : step_[i];
      left = outcome.residual;
      if (left <= target || !std::isfinite(left)) break;
      correction_.swap(step_);
      product(correction_.data(), step_.data());
      for (std::size_t i = 0; i < n; ++i) residual_[i] -= step_[i];
    }
    if (work_.entries > 0)
      saved_ += direct_solve_time(work_) + (is_new_ ? direct_factor_time(work_) : 0);
    is_new_ = false;
    return left <= target;
  }

  void weigh(double* x) const {
    if (!weight_) return;
    for (std::size_t i = 0; i < residual_.size(); ++i) x[i] *= weight_[i];
  }

  void factor_after_all() const {
    Pencil pencil(Storage::sparse, pattern_, work_);
    pencil.a = matrix_;
    direct_ = make_sparse_real_factors(pencil);
    direct_->factor(pencil, 0);
  }

  Pattern pattern_;
  SparseWork work_;
  IncompleteFactors incomplete_;
  mutable Gmres gmres_;
  std::vector<double> matrix_;
  mutable std::vector<double> residual_, step_, correction_, product_, right_;
  const double* weight_ = nullptr;
  double negligible_ = 0;
  mutable std::unique_ptr<RealFactors> direct_;  ///< not null: they have taken over
  mutable double spent_ = 0, saved_ = 0;         ///< by iterations, and of factors, nanoseconds
  mutable bool is_new_ = false;                  ///< no solution with this matrix so far
  bool is_resumed_ = false;                      ///< the next matrix was factored before
};

}  // namespace

std::unique_ptr<RealFactors> make_krylov_factors(const Pencil& pencil) {
  return std::make_unique<KrylovFactors>(pencil);
}

}  // namespace daedalus
