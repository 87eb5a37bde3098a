#pragma once
// x' = A x + B y + q, 0 = C x + r at one time, and the gain of its regularisation. With Q = I where
// w = B y is carried and Q = B where w = y is, and N = eps I + alpha_1 E C B,
//     w_s = S w_{s-1} - V (K x + k),  x' = A x + Q w_s + q,
//     K = alpha_1 (C' + C A) + alpha_2 C,  k = alpha_1 (C q + r') + alpha_2 r,
//     V = N^-1 E (for y) or B N^-1 E (for B y),  S = I - alpha_1 V C Q,
// which is w_s = w_{s-1} - (1/eps) E (alpha_1 (C x + r)' + alpha_2 (C x + r)) solved for w_s.
#include "daedalus/regularisation.h"
#include "problem/total_derivative.h"
#include "regularisation/weighted_multiplier.h"

namespace daedalus {

class LinearTerms {
 public:
  /// `direction` is -1 on a mesh that runs backwards: eps and d/dt change their signs.
  LinearTerms(const LinearIndex2& problem, const Regularisation& settings, double direction);

  void evaluate(double t);
  /// C, r and with them the drift C x + r.
  void evaluate_constraint(double t);

  Matrix A, B, C, C_dot;
  Vector q, r, r_dot;
  Matrix Q, S, V, K;
  Vector k;

 private:
  void evaluate_regularisation();

  LinearIndex2 problem_;
  Regularisation settings_;
  WeightedMultiplier weight_;
  Differentiated<0> constraint_matrix_, constraint_shift_;
  bool with_derivatives_;
};

/// Sizes, missing functions, conditions.
void require_problem(const LinearIndex2& problem);

}  // namespace daedalus
