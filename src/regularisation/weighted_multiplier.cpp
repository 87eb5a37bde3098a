#include "regularisation/weighted_multiplier.h"

namespace daedalus {

WeightedMultiplier::WeightedMultiplier(const Regularisation& settings, int size)
    : weight_(settings.weight),
      eps_(settings.eps),
      alpha_1_(settings.pull == Pull::combination ? settings.alpha_1 : 0),
      delta_(settings.delta),
      needs_product_(weight_ != Weight::identity || settings.carried == Carried::product ||
                     alpha_1_ != 0 || settings.post_stabilisations > 0),
      gb_(size, size),
      shifted_(size, size),
      normal_(size, size),
      product_(size),
      weight_factors_(size),
      normal_factors_(size),
      weighed_(size) {}

void WeightedMultiplier::set_product(const Matrix& gb) {
  gb_ = gb;
  product_.compute(gb_);
  if (weight_ == Weight::shifted_inverse) {
    shifted_ = gb_;
    shifted_.diagonal().array() += delta_;
    weight_factors_.compute(shifted_);
  }
  // With the inverse, E G B = I and eps + alpha_1 is a number.
  if (alpha_1_ == 0 || weight_ == Weight::inverse) return;
  if (weight_ == Weight::identity) normal_ = gb_;
  if (weight_ == Weight::transposed) normal_.noalias() = gb_.transpose() * gb_;
  if (weight_ == Weight::shifted_inverse) normal_ = weight_factors_.solve(gb_);
  normal_ *= alpha_1_;
  normal_.diagonal().array() += eps_;
  normal_factors_.compute(normal_);
}

void WeightedMultiplier::solve_product(const Vector& v, Vector& out) const {
  out.noalias() = product_.solve(v);
}

void WeightedMultiplier::weigh(const Vector& v, Vector& out) const {
  switch (weight_) {
    case Weight::identity:
      out = v;
      return;
    case Weight::inverse:
      out.noalias() = product_.solve(v);
      return;
    case Weight::transposed:
      out.noalias() = gb_.transpose() * v;
      return;
    case Weight::shifted_inverse:
      out.noalias() = weight_factors_.solve(v);
  }
}

void WeightedMultiplier::multiplier(const Vector& before, const Vector& combination, Vector& y) {
  weigh(combination, weighed_);
  if (alpha_1_ == 0) {
    y = before + weighed_ / eps_;
    return;
  }
  weighed_ += eps_ * before;
  if (weight_ == Weight::inverse)
    y = weighed_ / (eps_ + alpha_1_);
  else
    y.noalias() = normal_factors_.solve(weighed_);
}

Matrix WeightedMultiplier::weight_matrix() const {
  const Matrix identity = Matrix::Identity(gb_.rows(), gb_.rows());
  switch (weight_) {
    case Weight::identity:
      return identity;
    case Weight::inverse:
      return product_.solve(identity);
    case Weight::transposed:
      return gb_.transpose();
    case Weight::shifted_inverse:
      return weight_factors_.solve(identity);
  }
  return identity;
}

Matrix WeightedMultiplier::gain() const {
  if (alpha_1_ == 0) return weight_matrix() / eps_;
  if (weight_ == Weight::inverse) return weight_matrix() / (eps_ + alpha_1_);
  return normal_factors_.solve(weight_matrix());
}

}  // namespace daedalus
