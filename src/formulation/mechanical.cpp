// Mechanical systems in their formulations, with G = dg/dq, K = d(velocity_constraint)/dv:
//   q' = v (- G^T nu),  M v' = f - G^T lambda - K^T mu
//   index 3: 0 = g(t, q);   index 2: 0 = d/dt g;   index 1: 0 = d^2/dt^2 g (v' as it occurs);
//   stabilized index 2: 0 = d/dt g and 0 = g, with nu;  [GearGuptaLeimkuhler1985]
//   Baumgarte: 0 = (d/dt + rate)^2 g, 0 = (d/dt + rate) of the nonholonomic rows. [Baumgarte1972]
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <fmt/format.h>

#include "problem/system_of.h"
#include "problem/total_derivative.h"

namespace daedalus {
namespace {

/// v' occurs in the rows of the constraints.
bool at_acceleration_level(Formulation formulation) {
  return formulation == Formulation::index_1 || formulation == Formulation::baumgarte;
}

struct Sizes {
  int q, lambda, mu, nu;
  int v() const { return q; }
  int multipliers() const { return 2 * q; }
  int total() const { return 2 * q + lambda + mu + nu; }
};

struct MechanicalEquations {
  Sizes n;
  Formulation formulation;
  double rate;
  Mass mass;
  Function<2> force;
  Differentiated<1> g;
  Differentiated<2> rolling;
  std::vector<Mass::Entry> constant_mass;
  Scratch matrix;  ///< q x q for M, then lambda x q for G, then mu x q for K
  Scratch vector;
  Scratch lower;  ///< constraints of a lower level

  template <class S>
  void add_mass_times(const S& t, const S* q, const S* a, S* r) const {
    if (mass.is_constant()) {
      for (const Mass::Entry& e : constant_mass) r[e.row] += e.value * a[e.column];
      return;
    }
    S* m = matrix.of<S>();
    std::fill(m, m + n.q * n.q, S(0));
    mass.function()(t, {InputOf<S>(q, n.q)}, MatrixOutputOf<S>(m, n.q, n.q));
    for (int j = 0; j < n.q; ++j)
      for (int i = 0; i < n.q; ++i) r[i] += m[i + j * n.q] * a[j];
  }

  /// r += J^T x for a column-major J with `rows` rows.
  template <class S>
  static void add_transposed(const S* jacobian, int rows, int columns, const S* x, S* r) {
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) r[j] += jacobian[i + j * rows] * x[i];
  }

  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    const S *q = y, *v = y + n.q, *lambda = y + 2 * n.q, *mu = lambda + n.lambda, *nu = mu + n.mu;
    S* constraint = r + 2 * n.q;
    for (int i = 0; i < n.q; ++i) r[i] = yp[i] - v[i];
    force(t, {InputOf<S>(q, n.q), InputOf<S>(v, n.q)}, OutputOf<S>(r + n.q, n.q));
    for (int i = n.q; i < 2 * n.q; ++i) r[i] = -r[i];
    add_mass_times(t, q, yp + n.q, r + n.q);
    if (n.lambda > 0) {
      S* jacobian = matrix.of<S>() + n.q * n.q;
      g.jacobian(t, {q}, 0, jacobian);
      add_transposed(jacobian, n.lambda, n.q, lambda, r + n.q);
      if (n.nu > 0) add_transposed(jacobian, n.lambda, n.q, nu, r);
      holonomic_rows(t, q, v, yp + n.q, constraint, constraint + n.lambda + n.mu);
    }
    if (n.mu > 0) {
      S* jacobian = matrix.of<S>() + n.q * n.q + n.lambda * n.q;
      rolling.jacobian(t, {q, v}, 1, jacobian);
      add_transposed(jacobian, n.mu, n.q, mu, r + n.q);
      if (at_acceleration_level(formulation))
        rolling.template first<S>(t, {q, v}, {v, yp + n.q}, constraint + n.lambda);
      else
        rolling.template value<S>(t, {q, v}, constraint + n.lambda);
      if (formulation == Formulation::baumgarte) {
        S* value = lower.of<S>();
        rolling.template value<S>(t, {q, v}, value);
        for (int i = 0; i < n.mu; ++i) constraint[n.lambda + i] += rate * value[i];
      }
    }
  }

  template <class S>
  void holonomic_rows(const S& t, const S* q, const S* v, const S* a, S* rows, S* extra) const {
    switch (formulation) {
      case Formulation::index_2:
      case Formulation::projected:
        g.template first<S>(t, {q}, {v}, rows);
        break;
      case Formulation::index_1:
        second_derivative(t, q, v, a, rows);
        break;
      case Formulation::baumgarte: {
        second_derivative(t, q, v, a, rows);
        S* value = lower.of<S>();
        g.template first<S>(t, {q}, {v}, value);
        for (int i = 0; i < n.lambda; ++i) rows[i] += 2 * rate * value[i];
        g.template value<S>(t, {q}, value);
        for (int i = 0; i < n.lambda; ++i) rows[i] += rate * rate * value[i];
        break;
      }
      case Formulation::stabilized_index_2:
        g.template first<S>(t, {q}, {v}, rows);
        g.template value<S>(t, {q}, extra);
        break;
      default:
        g.template value<S>(t, {q}, rows);
    }
  }

  void second_derivative(double t, const double* q, const double* v, const double* a,
                         double* rows) const {
    g.second(t, {q}, {v}, {a}, rows);
  }

  /// G a is differentiated exactly; the curvature term gamma(t, q, v) = d^2/dt^2 g at a = 0 would
  /// need a third nesting, so its derivatives, which only steer Newton, are differences.
  void second_derivative(const Dual& t, const Dual* q, const Dual* v, const Dual* a,
                         Dual* rows) const {
    g.along<Dual>(t, {q}, {a}, rows);
    double* base = vector.of<double>();
    double *q0 = base, *v0 = base + n.q, *plus = v0 + n.q, *minus = plus + n.lambda;
    double size = 1;
    for (int i = 0; i < n.q; ++i)
      size = std::max({size, std::abs(q[i].value), std::abs(v[i].value)});
    const double s = 1e-5 * size;
    for (int k = 0; k < dual_directions; ++k) {
      bool moves = t.d[k] != 0;
      for (int i = 0; i < n.q; ++i) moves = moves || q[i].d[k] != 0 || v[i].d[k] != 0;
      if (!moves) continue;
      for (double* out : {plus, minus}) {
        const double e = out == plus ? s : -s;
        for (int i = 0; i < n.q; ++i)
          q0[i] = q[i].value + e * q[i].d[k], v0[i] = v[i].value + e * v[i].d[k];
        g.second(t.value + e * t.d[k], {q0}, {v0}, out);
      }
      for (int i = 0; i < n.lambda; ++i) rows[i].d[k] += (plus[i] - minus[i]) / (2 * s);
    }
    for (int i = 0; i < n.q; ++i) q0[i] = q[i].value, v0[i] = v[i].value;
    g.second(t.value, {q0}, {v0}, plus);
    for (int i = 0; i < n.lambda; ++i) rows[i].value += plus[i];
  }
};

/// Residuals of g, its derivatives, and the nonholonomic rows, at each level.
struct MechanicalLevels {
  std::shared_ptr<MechanicalEquations> e;
  std::vector<double> acceleration, jacobian, zero;
  Matrix m;
  Eigen::LDLT<Matrix> factors;

  explicit MechanicalLevels(std::shared_ptr<MechanicalEquations> equations)
      : e(std::move(equations)), acceleration(e->n.q), zero(e->n.q) {}

  void position(double t, const double* y, double* r) { e->g.value<double>(t, {y}, r); }

  void velocity(double t, const double* y, double* r) {
    const Sizes& n = e->n;
    if (n.lambda > 0) e->g.first<double>(t, {y}, {y + n.q}, r);
    if (n.mu > 0) e->rolling.value<double>(t, {y, y + n.q}, r + n.lambda);
  }

  /// a = M^-1 (f - G^T lambda - K^T mu), then the second derivatives along (v, a).
  void acceleration_level(double t, const double* y, double* r) {
    const Sizes& n = e->n;
    const double *q = y, *v = y + n.q, *lambda = y + 2 * n.q, *mu = lambda + n.lambda;
    jacobian.resize(static_cast<std::size_t>(n.q) * (n.lambda + n.mu + 1));
    e->force(t, {Input(q, n.q), Input(v, n.q)}, Output(acceleration.data(), n.q));
    Eigen::Map<Vector> a(acceleration.data(), n.q);
    if (n.lambda > 0) {
      e->g.jacobian<double>(t, {q}, 0, jacobian.data());
      a.noalias() -=
          Eigen::Map<Matrix>(jacobian.data(), n.lambda, n.q).transpose() * Input(lambda, n.lambda);
    }
    if (n.mu > 0) {
      e->rolling.jacobian<double>(t, {q, v}, 1, jacobian.data());
      a.noalias() -= Eigen::Map<Matrix>(jacobian.data(), n.mu, n.q).transpose() * Input(mu, n.mu);
    }
    if (!e->mass.is_identity()) {
      m.resize(n.q, n.q);
      for (int j = 0; j < n.q; ++j) {
        zero.assign(n.q, 0.0), zero[j] = 1;
        m.col(j).setZero();
        e->add_mass_times(t, q, zero.data(), m.col(j).data());
      }
      factors.compute(m);
      factors.solveInPlace(a);
    }
    if (n.lambda > 0) e->g.second(t, {q}, {v}, {acceleration.data()}, r);
    if (n.mu > 0) e->rolling.first<double>(t, {q, v}, {v, acceleration.data()}, r + n.lambda);
  }
};

Names prefixed(const char* prefix, const Names& names, int begin, int count) {
  Names list;
  list.reserve(static_cast<std::size_t>(count));
  for (int i = begin; i < begin + count; ++i) list.push_back(prefix + names[i]);
  return list;
}

/// Massless coordinates are allowed where constraints carry them; M^-1 then does not exist.
bool has_inverse(const MechanicalEquations& equations, const Problem& problem) {
  if (!equations.mass.is_constant()) {
    const int n = equations.n.q;
    Vector q = Vector::Zero(n);
    for (int j = 0; j < std::min(n, static_cast<int>(problem.start.size())); ++j)
      q[j] = problem.start[j];
    Matrix m = Matrix::Zero(n, n);
    equations.mass.function()(problem.t_span.begin, {Input(q.data(), n)},
                              MatrixOutput(m.data(), n, n));
    return !m.allFinite() || m.fullPivLu().isInvertible();
  }
  const auto& entries = equations.constant_mass;
  const bool diagonal = std::all_of(entries.begin(), entries.end(),
                                    [](const Mass::Entry& e) { return e.row == e.column; });
  if (diagonal) {
    Vector m = Vector::Zero(equations.n.q);
    for (const Mass::Entry& e : entries) m[e.row] += e.value;
    return (m.array() != 0).all();
  }
  Matrix m = Matrix::Zero(equations.n.q, equations.n.q);
  for (const Mass::Entry& e : entries) m(e.row, e.column) += e.value;
  return m.fullPivLu().isInvertible();
}

void add_levels(System& system, std::shared_ptr<MechanicalEquations> equations,
                const Problem& problem) {
  const Sizes n = equations->n;
  if (n.lambda + n.mu == 0) return;
  // Fields keep it by construction.
  const bool with_acceleration =
      equations->formulation != Formulation::manifold && has_inverse(*equations, problem);
  auto levels = std::make_shared<MechanicalLevels>(std::move(equations));
  const Names& names = system.equations;
  if (n.lambda > 0)
    system.levels.push_back(
        {"position", prefixed("", names, 2 * n.q, n.lambda),
         [levels](double t, const double* y, double* r) { levels->position(t, y, r); }});
  Names velocity = prefixed("d/dt ", names, 2 * n.q, n.lambda);
  Names acceleration = prefixed("d2/dt2 ", names, 2 * n.q, n.lambda);
  for (const std::string& name : prefixed("", names, 2 * n.q + n.lambda, n.mu)) {
    velocity.push_back(name);
    acceleration.push_back("d/dt " + name);
  }
  system.levels.push_back(
      {"velocity", std::move(velocity),
       [levels](double t, const double* y, double* r) { levels->velocity(t, y, r); }});
  if (!with_acceleration) return;
  system.levels.push_back(
      {"acceleration", acceleration,
       [levels](double t, const double* y, double* r) { levels->acceleration_level(t, y, r); }});
}

void set_variables(System& system, const Sizes& n, Formulation formulation) {
  append_numbered(system.variables, "q", n.q);
  append_numbered(system.variables, "v", n.q);
  append_numbered(system.variables, "lambda", n.lambda);
  append_numbered(system.variables, "mu", n.mu);
  append_numbered(system.variables, "stabilizing multiplier ", n.nu);
  system.visible = n.total() - n.nu;
  const int base = 2 * n.q;
  const bool direct = formulation == Formulation::direct && n.lambda > 0;
  if (n.lambda > 0) std::fill_n(system.velocity_variable.begin() + n.q, n.q, 1);
  if (direct) std::fill_n(system.variable_index.begin() + n.q, n.q, 2);
  // Index 1 has v' in two sets of rows, E(q) v': with frozen E the first increments of lambda are
  // of the size of those of v, as in B(y) y' = a(y), and must be weighed like index 2 for Newton's
  // iteration to look as convergent as it is. [HairerLubichRoche1989, section 7]
  mark_algebraic_variables(system, base, base + n.lambda, direct ? 3 : 2);
  mark_algebraic_variables(system, base + n.lambda, n.total(), 2);
}

Names equation_names(const Problem& problem, const Sizes& n) {
  Names defaults;
  append_numbered(defaults, "q' = v, row ", n.q);
  append_numbered(defaults, "motion ", n.q);
  append_numbered(defaults, "constraint ", n.lambda);
  append_numbered(defaults, "velocity constraint ", n.mu);
  Names names = names_or(problem.equations, std::move(defaults), "equations");
  for (int i = 0; i < n.nu; ++i) names.push_back(names[2 * n.q + i] + " (stabilised)");
  return names;
}

}  // namespace

std::shared_ptr<System> make_mechanical(const Problem& problem, const Mechanical& form,
                                        Formulation formulation, double baumgarte_rate) {
  require(form.coordinates > 0, "form.coordinates = {}, must be positive", form.coordinates);
  require(form.holonomic >= 0 && form.nonholonomic >= 0 &&
              form.holonomic + form.nonholonomic <= form.coordinates,
          "form.holonomic = {} and form.nonholonomic = {}: at most {} constraints for "
          "{} coordinates",
          form.holonomic, form.nonholonomic, form.coordinates, form.coordinates);
  require(bool(form.force), "form.force is missing");
  require(form.holonomic == 0 || bool(form.constraint), "form.constraint is missing");
  require(form.nonholonomic == 0 || bool(form.velocity_constraint),
          "form.velocity_constraint is missing");
  const int nq = form.coordinates;
  require_mass(form.mass, nq);
  const bool stabilized = formulation == Formulation::stabilized_index_2;
  const Sizes n{nq, form.holonomic, form.nonholonomic, stabilized ? form.holonomic : 0};
  const bool differentiable = form.force.is_differentiable() &&
                              (n.lambda == 0 || form.constraint.is_time_differentiable()) &&
                              (n.mu == 0 || form.velocity_constraint.is_time_differentiable()) &&
                              (form.mass.is_constant() || form.mass.function().is_differentiable());

  MechanicalEquations equations{
      n,
      formulation,
      baumgarte_rate,
      form.mass,
      form.force,
      n.lambda > 0 ? Differentiated<1>(form.constraint, {nq}, n.lambda) : Differentiated<1>(),
      n.mu > 0 ? Differentiated<2>(form.velocity_constraint, {nq, nq}, n.mu) : Differentiated<2>(),
      form.mass.is_constant() ? form.mass.entries(nq) : std::vector<Mass::Entry>(),
      Scratch(static_cast<std::size_t>(nq) * (nq + n.lambda + n.mu)),
      Scratch(2 * static_cast<std::size_t>(nq + n.lambda)),
      Scratch(static_cast<std::size_t>(n.lambda + n.mu))};
  auto shared = std::make_shared<MechanicalEquations>(equations);
  auto system = std::make_shared<SystemOf<MechanicalEquations>>(std::move(equations));
  set_size(*system, n.total(), equation_names(problem, n));
  system->differentiable = differentiable;
  system->time_differentiable =
      differentiable && form.force.is_time_differentiable() &&
      (form.mass.is_constant() || form.mass.function().is_time_differentiable());
  system->constant_mass = form.mass.is_constant() && !at_acceleration_level(formulation);
  set_variables(*system, n, formulation);
  if (!at_acceleration_level(formulation)) mark_algebraic_rows(*system, 2 * nq, n.total());
  add_levels(*system, shared, problem);
  system->project_steps = formulation == Formulation::projected && n.lambda > 0;
  return system;
}

}  // namespace daedalus
