// Index 3: q'' = f - B y, 0 = g, as first-order equations of (q, v).
#include <array>

#include "regularisation/carrier.h"
#include "regularisation/formulations.h"

namespace daedalus {
namespace {

/// What the formulations share: the equations at (q, v), and post-stabilisation of both levels with
/// F = B (G B)^-1.  [AscherLin1997, (5.2)]
class SecondOrderOde : public RegularisedOde {
 public:
  SecondOrderOde(std::unique_ptr<SecondOrderEquations> equations, const Regularisation& settings)
      : at_(std::move(equations)),
        n_(at_->f.size()),
        m_(at_->g.size()),
        carrier_(settings, static_cast<int>(m_)),
        q_(n_),
        v_(n_),
        y_(m_) {
    set_sizes(2 * n_, carrier_.size(n_));
  }

  Vector constraints(double t, const Vector& x) override {
    move_to(t, x, false);
    Vector both(2 * m_);
    both << at_->g, at_->g_dot;
    return both;
  }

  void stabilise(double t, Vector& x) override {
    move_to(t, x, false);
    carrier_.weight.solve_product(at_->g, y_);
    x.head(n_).noalias() -= at_->B * y_;
    carrier_.weight.solve_product(at_->g_dot, y_);
    x.segment(n_, n_).noalias() -= at_->B * y_;
  }

 protected:
  void move_to(double t, const Vector& x, bool with_curvature) {
    q_ = x.head(n_);
    v_ = x.segment(n_, n_);
    at_->evaluate(t, q_, v_, with_curvature);
    carrier_.set(at_->G, at_->B);
  }

  std::unique_ptr<SecondOrderEquations> at_;
  Eigen::Index n_, m_;
  Carrier carrier_;
  Vector q_, v_, y_;
};

/// (eps I + alpha_1 E G B) y = eps y_before + E (alpha_1 (G f + curvature) + alpha_2 g' + alpha_3
/// g): [AscherLin1997, (4.4)-(4.5)]; eps = 0 is Baumgarte's stabilisation.
class Combination3 final : public SecondOrderOde {
 public:
  Combination3(std::unique_ptr<SecondOrderEquations> equations, const Regularisation& settings)
      : SecondOrderOde(std::move(equations), settings),
        alpha_{settings.alpha_1, settings.alpha_2, settings.alpha_3},
        before_(m_),
        combination_(m_) {}

  void evaluate(double t, const Vector& x, const Vector& before, Vector& rate,
                Vector& after) override {
    move_to(t, x, alpha_[0] != 0);
    carrier_.unpack(at_->G, before, before_);
    combination_ = alpha_[1] * at_->g_dot + alpha_[2] * at_->g;
    if (alpha_[0] != 0) {
      combination_ += alpha_[0] * at_->curvature;
      combination_.noalias() += alpha_[0] * (at_->G * at_->f);
    }
    carrier_.weight.multiplier(before_, combination_, y_);
    carrier_.pack(at_->B, y_, after);
    rate.head(n_) = v_;
    rate.tail(n_) = at_->f;
    rate.tail(n_).noalias() -= at_->B * y_;
  }

 private:
  std::array<double, 3> alpha_;
  Vector before_, combination_;
};

/// q' = v - (1/eps) B E g,  v' = f - B y,  y = y_before + (1/eps) E g':
/// [AscherLin1997, (4.14)-(4.16), (5.3)-(5.4)]; with products carried (4.23) and (5.5)-(5.6).
class Levels3 final : public SecondOrderOde {
 public:
  Levels3(std::unique_ptr<SecondOrderEquations> equations, const Regularisation& settings)
      : SecondOrderOde(std::move(equations), settings), eps_(settings.eps), weighed_(m_) {}

  void evaluate(double t, const Vector& x, const Vector& before, Vector& rate,
                Vector& after) override {
    move_to(t, x, false);
    carrier_.unpack(at_->G, before, y_);
    carrier_.weight.weigh(at_->g_dot, weighed_);
    y_ += weighed_ / eps_;
    carrier_.pack(at_->B, y_, after);
    rate.tail(n_) = at_->f;
    rate.tail(n_).noalias() -= at_->B * y_;
    carrier_.weight.weigh(at_->g, weighed_);
    weighed_ /= eps_;
    rate.head(n_) = v_;
    rate.head(n_).noalias() -= at_->B * weighed_;
  }

 private:
  double eps_;
  Vector weighed_;
};

/// y eliminated: (q, v)' = (v, a) - (G^T zeta_1, G^T zeta_2) with a = f - B (G B)^-1 (G f +
/// curvature) and zeta = zeta_before + (1/eps) E (g, g'), where E weighs G G^T. The exact zeta is
/// 0. [AscherLin1997, (4.11)-(4.12)]
class Invariants3 final : public SecondOrderOde {
 public:
  Invariants3(std::unique_ptr<SecondOrderEquations> equations, const Regularisation& settings)
      : SecondOrderOde(std::move(equations), with_product(settings)),
        eps_(settings.eps),
        weight_(settings, static_cast<int>(m_)),
        gram_(m_, m_),
        weighed_(m_),
        acceleration_(m_) {
    set_sizes(2 * n_, 2 * m_);
  }

  void evaluate(double t, const Vector& x, const Vector& before, Vector& rate,
                Vector& after) override {
    move_to(t, x, true);
    gram_.noalias() = at_->G * at_->G.transpose();
    weight_.set_product(gram_);
    weight_.weigh(at_->g, weighed_);
    after.head(m_) = before.head(m_) + weighed_ / eps_;
    weight_.weigh(at_->g_dot, weighed_);
    after.tail(m_) = before.tail(m_) + weighed_ / eps_;
    acceleration_ = at_->curvature;
    acceleration_.noalias() += at_->G * at_->f;
    carrier_.weight.solve_product(acceleration_, y_);
    rate.head(n_) = v_;
    rate.head(n_).noalias() -= at_->G.transpose() * after.head(m_);
    rate.tail(n_) = at_->f;
    rate.tail(n_).noalias() -= at_->B * y_;
    rate.tail(n_).noalias() -= at_->G.transpose() * after.tail(m_);
  }

 private:
  /// Eliminating y takes (G B)^-1, whatever weighs the invariants.
  static Regularisation with_product(Regularisation settings) {
    settings.weight = Weight::inverse;
    return settings;
  }

  double eps_;
  WeightedMultiplier weight_;
  Matrix gram_;
  Vector weighed_, acceleration_;
};

/// q' = v,  v' = f - B y,  eps y' = G v' + curvature.
class Staggered3 final : public SecondOrderOde {
 public:
  Staggered3(std::unique_ptr<SecondOrderEquations> equations, const Regularisation& settings)
      : SecondOrderOde(std::move(equations), settings), eps_(settings.eps) {
    set_sizes(2 * n_ + m_, m_);
  }

  void evaluate(double t, const Vector& x, const Vector&, Vector& rate, Vector& after) override {
    move_to(t, x, true);
    after = x.tail(m_);
    rate.head(n_) = v_;
    rate.segment(n_, n_) = at_->f;
    rate.segment(n_, n_).noalias() -= at_->B * after;
    rate.tail(m_) = at_->curvature;
    rate.tail(m_).noalias() += at_->G * rate.segment(n_, n_);
    rate.tail(m_) /= eps_;
  }

 private:
  double eps_;
};

}  // namespace

std::unique_ptr<RegularisedOde> regularised_index_3(std::unique_ptr<SecondOrderEquations> equations,
                                                    const Regularisation& settings) {
  switch (settings.pull) {
    case Pull::combination:
      return std::make_unique<Combination3>(std::move(equations), settings);
    case Pull::levels:
      return std::make_unique<Levels3>(std::move(equations), settings);
    case Pull::invariants:
      return std::make_unique<Invariants3>(std::move(equations), settings);
    case Pull::staggered:
      return std::make_unique<Staggered3>(std::move(equations), settings);
  }
  return nullptr;
}

}  // namespace daedalus
