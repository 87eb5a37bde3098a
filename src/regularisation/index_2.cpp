// Index 2: x' = f - B y, 0 = g.
#include "regularisation/carrier.h"
#include "regularisation/formulations.h"

namespace daedalus {
namespace {

/// (eps I + alpha_1 E G B) y = eps y_before + E (alpha_1 (G f + g_t) + alpha_2 g):
/// [AscherLin1997, (2.4)-(2.5)]; alpha_1 = 1 is (2.12), alpha_1 = 0 is (2.15), with products
/// carried (3.2); eps = 0 is Baumgarte's stabilisation (2.13).
class Combination2 final : public RegularisedOde {
 public:
  Combination2(std::unique_ptr<FirstOrderEquations> equations, const Regularisation& settings)
      : at_(std::move(equations)),
        alpha_1_(settings.alpha_1),
        alpha_2_(settings.alpha_2),
        carrier_(settings, static_cast<int>(at_->g.size())),
        before_(at_->g.size()),
        combination_(at_->g.size()),
        y_(at_->g.size()) {
    set_sizes(at_->f.size(), carrier_.size(at_->f.size()));
  }

  void evaluate(double t, const Vector& x, const Vector& before, Vector& rate,
                Vector& after) override {
    at_->evaluate(t, x);
    carrier_.set(at_->G, at_->B);
    carrier_.unpack(at_->G, before, before_);
    combination_ = alpha_2_ * at_->g;
    if (alpha_1_ != 0) {
      combination_ += alpha_1_ * at_->g_t;
      combination_.noalias() += alpha_1_ * (at_->G * at_->f);
    }
    carrier_.weight.multiplier(before_, combination_, y_);
    carrier_.pack(at_->B, y_, after);
    rate = at_->f;
    rate.noalias() -= at_->B * y_;
  }

  Vector constraints(double t, const Vector& x) override {
    at_->evaluate(t, x);
    return at_->g;
  }

  void stabilise(double t, Vector& x) override {
    at_->evaluate(t, x);
    carrier_.set(at_->G, at_->B);
    carrier_.weight.solve_product(at_->g, y_);
    x.noalias() -= at_->B * y_;
  }

 private:
  std::unique_ptr<FirstOrderEquations> at_;
  double alpha_1_, alpha_2_;
  Carrier carrier_;
  Vector before_, combination_, y_;
};

/// x' = f - B y,  eps y' = G x' + g_t: y = (1/eps) g differentiated once.  [ParkChiou1988]
class Staggered2 final : public RegularisedOde {
 public:
  Staggered2(std::unique_ptr<FirstOrderEquations> equations, const Regularisation& settings)
      : at_(std::move(equations)), eps_(settings.eps), x_(at_->f.size()) {
    set_sizes(at_->f.size() + at_->g.size(), at_->g.size());
  }

  void evaluate(double t, const Vector& state, const Vector&, Vector& rate,
                Vector& after) override {
    const auto n = at_->f.size(), m = at_->g.size();
    x_ = state.head(n);
    at_->evaluate(t, x_);
    after = state.tail(m);
    rate.head(n) = at_->f;
    rate.head(n).noalias() -= at_->B * after;
    rate.tail(m) = at_->g_t;
    rate.tail(m).noalias() += at_->G * rate.head(n);
    rate.tail(m) /= eps_;
  }

  Vector constraints(double t, const Vector& state) override {
    x_ = state.head(at_->f.size());
    at_->evaluate(t, x_);
    return at_->g;
  }

 private:
  std::unique_ptr<FirstOrderEquations> at_;
  double eps_;
  Vector x_;
};

}  // namespace

std::unique_ptr<RegularisedOde> regularised_index_2(std::unique_ptr<FirstOrderEquations> equations,
                                                    const Regularisation& settings) {
  if (settings.pull == Pull::staggered)
    return std::make_unique<Staggered2>(std::move(equations), settings);
  return std::make_unique<Combination2>(std::move(equations), settings);
}

}  // namespace daedalus
