// Collocation: k_j = F(t + c_j h, x_s + h sum_l a_jl k_l, w_{s-1,j}) with w_{s-1,j} at the same
// stage of iterate s-1, solved by Newton's iteration with differences for dF/dx. eps may be much
// smaller than h where the method damps (Radau).  [AscherLin1996, (4.3) and (4.8)]
#include <cmath>

#include <Eigen/LU>

#include "regularisation/march.h"

namespace daedalus {
namespace {

class ImplicitSteps final : public IterateSteps {
 public:
  ImplicitSteps(RegularisedOde& ode, const Tableau& method, const Regularisation& settings)
      : IterateSteps(ode, settings,
                     std::vector<double>(method.c.begin(), method.c.begin() + method.stages)),
        ode_(ode),
        method_(method),
        settings_(settings),
        n_(ode.size()),
        size_(n_ * method.stages),
        slopes_(settings.iterations, Vector(size_)),
        residual_(size_),
        change_(size_),
        matrix_(size_, size_),
        factors_(size_),
        rate_jacobian_(n_, n_),
        stage_(n_),
        rate_(n_),
        moved_(n_),
        before_(Vector::Zero(ode.carried())),
        after_(ode.carried()) {}

  void start(double t, const Vector& x) override {
    before_.setZero();
    guess(t);
    for (int s = 0; s < settings_.iterations; ++s) {
      x_.col(s) = x;
      ode_.evaluate(t, x, before_, rate_, after_);
      before_ = after_;
      for (int j = 0; j < method_.stages; ++j) slopes_[s].segment(j * n_, n_) = rate_;
      for (Matrix& carried : carried_) carried.col(s) = after_;
    }
  }

  bool step(double t, double t_next) override {
    const double h = t_next - t;
    for (int s = 0; s < settings_.iterations; ++s) {
      if (!solve_stages(t, h, s)) return false;
      for (int j = 0; j < method_.stages; ++j) {
        evaluate(t, h, s, j);
        carried_[j].col(s) = after_;
      }
      for (int j = 0; j < method_.stages; ++j)
        x_.col(s) += h * method_.b[j] * slopes_[s].segment(j * n_, n_);
      if (settings_.post_stabilisations == 0) continue;
      moved_ = x_.col(s);
      for (int k = 0; k < settings_.post_stabilisations; ++k) ode_.stabilise(t_next, moved_);
      x_.col(s) = moved_;
    }
    return true;
  }

 private:
  static constexpr int most_iterations = 20;

  void guess(double t) {
    if (settings_.guess) settings_.guess(t, Output(before_.data(), before_.size()));
  }

  /// Stage j of iterate s into stage_, its rate into rate_, what it carries into after_.
  void evaluate(double t, double h, int s, int j) {
    stage_ = x_.col(s);
    for (int l = 0; l < method_.stages; ++l)
      stage_ += h * method_.a[j][l] * slopes_[s].segment(l * n_, n_);
    const double time = t + method_.c[j] * h;
    if (s > 0) {
      before_ = carried_[j].col(s - 1);
    } else {
      before_.setZero();
      guess(time);
    }
    ode_.evaluate(time, stage_, before_, rate_, after_);
  }

  /// dF/dx at the stage that was evaluated last, by central differences.
  void differentiate(double time) {
    for (int i = 0; i < n_; ++i) {
      const double value = stage_[i], d = 1e-6 * std::max(1.0, std::abs(value));
      stage_[i] = value + d;
      ode_.evaluate(time, stage_, before_, rate_, after_);
      stage_[i] = value - d;
      ode_.evaluate(time, stage_, before_, moved_, after_);
      stage_[i] = value;
      rate_jacobian_.col(i) = (rate_ - moved_) / (2 * d);
    }
  }

  /// Newton's iteration for the slopes, from those of the step before. It ends where the states
  /// no longer change but for rounding, which F amplifies by 1 / eps and the factors undo.
  bool solve_stages(double t, double h, int s) {
    double last = 0;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      matrix_.setIdentity();
      for (int j = 0; j < method_.stages; ++j) {
        evaluate(t, h, s, j);
        residual_.segment(j * n_, n_) = slopes_[s].segment(j * n_, n_) - rate_;
        differentiate(t + method_.c[j] * h);
        for (int l = 0; l < method_.stages; ++l)
          matrix_.block(j * n_, l * n_, n_, n_) -= h * method_.a[j][l] * rate_jacobian_;
      }
      factors_.compute(matrix_);
      change_.noalias() = factors_.solve(residual_);
      if (!change_.allFinite()) return false;
      slopes_[s] -= change_;
      const double size = std::abs(h) * change_.lpNorm<Eigen::Infinity>() /
                          (1 + x_.col(s).lpNorm<Eigen::Infinity>());
      if (size < 1e-14 || (iteration > 0 && size < 1e-10 && size > 0.5 * last)) return true;
      last = size;
    }
    return false;
  }

  RegularisedOde& ode_;
  const Tableau& method_;
  const Regularisation& settings_;
  int n_, size_;
  std::vector<Vector> slopes_;  ///< by iterate, stage below stage
  Vector residual_, change_;
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> factors_;
  Matrix rate_jacobian_;
  Vector stage_, rate_, moved_, before_, after_;
};

}  // namespace

std::unique_ptr<IterateSteps> implicit_steps(RegularisedOde& ode, const Tableau& method,
                                             const Regularisation& settings) {
  return std::make_unique<ImplicitSteps>(ode, method, settings);
}

}  // namespace daedalus
