#include "regularisation/equations.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "problem/require.h"
#include "problem/total_derivative.h"

namespace daedalus {
namespace {

class Hessenberg2 final : public FirstOrderEquations {
 public:
  explicit Hessenberg2(const HessenbergIndex2& form)
      : FirstOrderEquations(form.differential, form.algebraic),
        f_(form.f, {form.differential, form.algebraic}, form.differential),
        g_(form.g, {form.differential}, form.algebraic),
        zero_(Vector::Zero(form.algebraic)) {}

  void evaluate(double t, const Vector& x) override {
    f_.value<double>(t, {x.data(), zero_.data()}, f.data());
    f_.jacobian<double>(t, {x.data(), zero_.data()}, 1, B.data());
    B = -B;
    g_.value<double>(t, {x.data()}, g.data());
    g_.jacobian<double>(t, {x.data()}, 0, G.data());
    g_.first<double>(t, {x.data()}, {nullptr}, g_t.data());
  }

 private:
  Differentiated<2> f_;
  Differentiated<1> g_;
  Vector zero_;
};

class Hessenberg3 final : public SecondOrderEquations {
 public:
  explicit Hessenberg3(const HessenbergIndex3& form)
      : SecondOrderEquations(form.position, form.algebraic),
        rate_(form.f, {form.position, form.velocity}, form.position),
        k_(form.k, {form.position, form.velocity, form.algebraic}, form.velocity),
        g_(form.g, {form.position}, form.algebraic),
        zero_(Vector::Zero(form.algebraic)),
        q_dot_(form.position) {}

  void evaluate(double t, const Vector& q, const Vector& v, bool with_curvature) override {
    rate_.value<double>(t, {q.data(), v.data()}, q_dot_.data());
    require(q_dot_ == v, "form.f must be y' = z: second-order equations are regularised");
    k_.value<double>(t, {q.data(), v.data(), zero_.data()}, f.data());
    k_.jacobian<double>(t, {q.data(), v.data(), zero_.data()}, 2, B.data());
    B = -B;
    g_.value<double>(t, {q.data()}, g.data());
    g_.jacobian<double>(t, {q.data()}, 0, G.data());
    g_.first<double>(t, {q.data()}, {v.data()}, g_dot.data());
    if (with_curvature) g_.second(t, {q.data()}, {v.data()}, curvature.data());
  }

 private:
  Differentiated<2> rate_;
  Differentiated<3> k_;
  Differentiated<1> g_;
  Vector zero_, q_dot_;
};

/// B = M^-1 G^T, f = M^-1 force.
class MechanicalMotion final : public SecondOrderEquations {
 public:
  explicit MechanicalMotion(const Mechanical& form)
      : SecondOrderEquations(form.coordinates, form.holonomic),
        mass_(form.mass),
        force_(form.force),
        g_(form.constraint, {form.coordinates}, form.holonomic),
        m_(Matrix::Zero(form.coordinates, form.coordinates)),
        factors_(form.coordinates) {
    if (!mass_.is_constant()) return;
    for (const Mass::Entry& entry : mass_.entries(form.coordinates))
      m_(entry.row, entry.column) += entry.value;
    factors_.compute(m_);
  }

  void evaluate(double t, const Vector& q, const Vector& v, bool with_curvature) override {
    const int n = static_cast<int>(q.size());
    force_(t, {Input(q.data(), n), Input(v.data(), n)}, Output(f.data(), n));
    g_.value<double>(t, {q.data()}, g.data());
    g_.jacobian<double>(t, {q.data()}, 0, G.data());
    g_.first<double>(t, {q.data()}, {v.data()}, g_dot.data());
    if (with_curvature) g_.second(t, {q.data()}, {v.data()}, curvature.data());
    B = G.transpose();
    if (mass_.is_identity()) return;
    if (!mass_.is_constant()) {
      m_.setZero();
      mass_.function()(t, {Input(q.data(), n)}, MatrixOutput(m_.data(), n, n));
      factors_.compute(m_);
    }
    factors_.solveInPlace(f);
    factors_.solveInPlace(B);
  }

 private:
  Mass mass_;
  Function<2> force_;
  Differentiated<1> g_;
  Matrix m_;
  Eigen::LLT<Matrix> factors_;
};

void require_sizes(int n, int m) {
  require(n > 0 && m > 0 && m <= n, "{} constraints for {} variables: between 1 and {} are needed",
          m, n, n);
}

}  // namespace

std::unique_ptr<FirstOrderEquations> first_order_equations(const HessenbergIndex2& form) {
  require_sizes(form.differential, form.algebraic);
  require(form.f && form.g, "form.f and form.g are needed");
  return std::make_unique<Hessenberg2>(form);
}

std::unique_ptr<SecondOrderEquations> second_order_equations(const HessenbergIndex3& form) {
  require_sizes(form.position, form.algebraic);
  require(form.f && form.k && form.g, "form.f, form.k and form.g are needed");
  require(form.position == form.velocity,
          "form.position = {} and form.velocity = {}: y' = z needs the same number", form.position,
          form.velocity);
  return std::make_unique<Hessenberg3>(form);
}

std::unique_ptr<SecondOrderEquations> second_order_equations(const Mechanical& form) {
  require_sizes(form.coordinates, form.holonomic);
  require(form.nonholonomic == 0, "form.nonholonomic: regularisation takes position constraints");
  require(form.force && form.constraint, "form.force and form.constraint are needed");
  return std::make_unique<MechanicalMotion>(form);
}

}  // namespace daedalus
