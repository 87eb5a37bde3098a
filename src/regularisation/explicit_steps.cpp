// k_j = F(t + c_j h, x_s + h sum_l a_jl k_l, w_{s-1}(t + c_j h)),  x_s += h sum_j b_j k_j, where
// w_{s-1} is taken from the accepted x_{s-1} at both ends, not from its stages: with eps = h the
// stages would make errors grow with s.
#include "regularisation/march.h"

namespace daedalus {
namespace {

class ExplicitSteps final : public IterateSteps {
 public:
  ExplicitSteps(RegularisedOde& ode, const Tableau& method, const Regularisation& settings)
      : IterateSteps(ode, settings, {1}),
        ode_(ode),
        method_(method),
        settings_(settings),
        m_(settings.iterations),
        state_(m_, Vector(ode.size())),
        rate_(m_, Vector::Zero(ode.size())),
        now_(m_ + 1, Vector::Zero(ode.carried())),
        next_(m_ + 1, Vector::Zero(ode.carried())),
        slope_(method.stages, Vector(ode.size())),
        stage_(ode.size()),
        between_(ode.carried()),
        unused_(ode.carried()) {}

  void start(double t, const Vector& x) override {
    guess(t);
    for (int s = 0; s < m_; ++s) {
      state_[s] = x;
      ode_.evaluate(t, x, next_[s], rate_[s], next_[s + 1]);
    }
    accept();
  }

  bool step(double t, double t_next) override {
    guess(t_next);
    for (int s = 0; s < m_; ++s) advance(t, t_next - t, s);
    accept();
    return true;
  }

 private:
  void guess(double t) {
    if (settings_.guess) settings_.guess(t, Output(next_[0].data(), next_[0].size()));
  }

  void advance(double t, double h, int s) {
    for (int j = 0; j < method_.stages; ++j) {
      const double c = method_.c[j];
      if (j == 0 && c == 0) {
        slope_[0] = rate_[s];  // known since the last step was accepted
        continue;
      }
      stage_ = state_[s];
      for (int l = 0; l < j; ++l) stage_ += h * method_.a[j][l] * slope_[l];
      between_ = (1 - c) * now_[s] + c * next_[s];
      ode_.evaluate(t + c * h, stage_, between_, slope_[j], unused_);
    }
    for (int j = 0; j < method_.stages; ++j) state_[s] += h * method_.b[j] * slope_[j];
    for (int k = 0; k < settings_.post_stabilisations; ++k) ode_.stabilise(t + h, state_[s]);
    ode_.evaluate(t + h, state_[s], next_[s], rate_[s], next_[s + 1]);
  }

  void accept() {
    now_.swap(next_);
    for (int s = 0; s < m_; ++s) {
      x_.col(s) = state_[s];
      carried_[0].col(s) = now_[s + 1];
    }
  }

  RegularisedOde& ode_;
  const Tableau& method_;
  const Regularisation& settings_;
  int m_;
  std::vector<Vector> state_, rate_;  ///< by iterate
  std::vector<Vector> now_, next_;    ///< w_0, ..., w_m at both ends of the step
  std::vector<Vector> slope_;
  Vector stage_, between_, unused_;
};

}  // namespace

std::unique_ptr<IterateSteps> explicit_steps(RegularisedOde& ode, const Tableau& method,
                                             const Regularisation& settings) {
  return std::make_unique<ExplicitSteps>(ode, method, settings);
}

}  // namespace daedalus
