#include "regularisation/linear_terms.h"

#include <fmt/format.h>

#include "problem/require.h"

namespace daedalus {
namespace {

Regularisation turned(Regularisation settings, double direction) {
  settings.eps *= direction;
  settings.alpha_1 *= direction;
  return settings;
}

/// A matrix function as a vector function, so that its time derivative is taken like any other.
Function<0> flattened(const MatrixFunction<0>& f, int rows, int columns) {
  if (!f.is_time_differentiable())
    return Function<0>([f, rows, columns](double t, Output out) {
      f(t, {}, MatrixOutput(out.data(), rows, columns));
    });
  return Function<0>([f, rows, columns](auto t, auto out) {
    using S = decltype(t);
    f(t, std::array<InputOf<S>, 0>{}, MatrixOutputOf<S>(out.data(), rows, columns));
  });
}

}  // namespace

void require_problem(const LinearIndex2& problem) {
  const int n = problem.differential, m = problem.algebraic;
  require(m > 0 && m <= n, "algebraic = {} for differential = {}", m, n);
  require(bool(problem.B) && bool(problem.C), "B and C are needed");
  const int rows = static_cast<int>(problem.values.size());
  require(rows == n || rows == n - m, "values: {} conditions, {} or {} are needed", rows, n - m, n);
  require(problem.at_begin.rows() == rows && problem.at_begin.cols() == n,
          "at_begin is not {} x {}", rows, n);
  require(
      problem.at_end.size() == 0 || (problem.at_end.rows() == rows && problem.at_end.cols() == n),
      "at_end is not {} x {}", rows, n);
}

LinearTerms::LinearTerms(const LinearIndex2& problem, const Regularisation& settings,
                         double direction)
    : A(Matrix::Zero(problem.differential, problem.differential)),
      B(Matrix::Zero(problem.differential, problem.algebraic)),
      C(Matrix::Zero(problem.algebraic, problem.differential)),
      C_dot(C),
      q(Vector::Zero(problem.differential)),
      r(Vector::Zero(problem.algebraic)),
      r_dot(r),
      problem_(problem),
      settings_(turned(settings, direction)),
      weight_(settings_, problem.algebraic),
      constraint_matrix_(flattened(problem.C, problem.algebraic, problem.differential), {},
                         problem.algebraic * problem.differential),
      with_derivatives_(settings.alpha_1 != 0 || settings.pull == Pull::staggered) {
  if (problem.r) constraint_shift_ = Differentiated<0>(problem.r, {}, problem.algebraic);
}

void LinearTerms::evaluate_constraint(double t) {
  problem_.C(t, {}, MatrixOutput(C.data(), C.rows(), C.cols()));
  if (problem_.r) problem_.r(t, {}, Output(r.data(), r.size()));
}

void LinearTerms::evaluate(double t) {
  evaluate_constraint(t);
  if (problem_.A) problem_.A(t, {}, MatrixOutput(A.data(), A.rows(), A.cols()));
  problem_.B(t, {}, MatrixOutput(B.data(), B.rows(), B.cols()));
  if (problem_.q) problem_.q(t, {}, Output(q.data(), q.size()));
  if (with_derivatives_) {
    constraint_matrix_.first<double>(t, {}, {}, C_dot.data());
    if (problem_.r) constraint_shift_.first<double>(t, {}, {}, r_dot.data());
  }
  if (settings_.pull == Pull::combination) evaluate_regularisation();
}

void LinearTerms::evaluate_regularisation() {
  weight_.set_product(C * B);
  const bool is_product = settings_.carried == Carried::product;
  if (is_product)
    Q.setIdentity(B.rows(), B.rows());
  else
    Q = B;
  V = is_product ? Matrix(B * weight_.gain()) : weight_.gain();
  K = settings_.alpha_2 * C;
  k = settings_.alpha_2 * r;
  S = Matrix::Identity(V.rows(), V.rows());
  if (settings_.alpha_1 == 0) return;
  K += settings_.alpha_1 * (C_dot + C * A);
  k += settings_.alpha_1 * (C * q + r_dot);
  S -= settings_.alpha_1 * V * (C * Q);
}

}  // namespace daedalus
