// Linear problems of index 2: explicit schemes march, collocation solves the whole interval once
// per iterate, so that conditions may stand at both ends.  [AscherLin1996, 4.1 and 4.2]
#include <cmath>

#include <Eigen/LU>
#include <Eigen/QR>
#include <fmt/format.h>

#include "daedalus/error.h"
#include "regularisation/affine_ode.h"
#include "regularisation/linear_terms.h"
#include "regularisation/march.h"
#include "regularisation/schemes.h"

namespace daedalus {
namespace {

/// One iterate as an ordinary differential equation, for explicit steps.
class LinearRegularised final : public RegularisedOde {
 public:
  LinearRegularised(const LinearTerms& terms, int size, int carried) : terms_(terms) {
    set_sizes(size, carried);
  }

  void evaluate(double t, const Vector& x, const Vector& before, Vector& rate,
                Vector& after) override {
    terms_.evaluate(t);
    after.noalias() = terms_.S * before - terms_.V * (terms_.K * x + terms_.k);
    rate.noalias() = terms_.A * x + terms_.Q * after + terms_.q;
  }

  Vector constraints(double t, const Vector& x) override {
    terms_.evaluate_constraint(t);
    return terms_.C * x + terms_.r;
  }

 private:
  LinearTerms terms_;
};

/// The problem's own conditions, completed by 0 = C x + r at the begin.
EndConditions end_conditions(const LinearIndex2& problem, LinearTerms& terms, double t_begin) {
  const int n = problem.differential;
  const auto given = problem.values.size();
  EndConditions conditions{Matrix::Zero(n, n), Matrix(), Vector(n)};
  conditions.begin.topRows(given) = problem.at_begin;
  conditions.values.head(given) = problem.values;
  if (problem.at_end.size() > 0) {
    conditions.end = Matrix::Zero(n, n);
    conditions.end.topRows(given) = problem.at_end;
  }
  if (given < n) {
    terms.evaluate_constraint(t_begin);
    conditions.begin.bottomRows(n - given) = terms.C;
    conditions.values.tail(n - given) = -terms.r;
  }
  return conditions;
}

void set_message(RegularisedRun& run) {
  run.finite_until = run.mesh.back();
  for (const RegularisedIterate& iterate : run.iterates) {
    if (iterate.x.allFinite()) continue;
    run.finite_until = run.mesh.front();
    run.message = "the linear system of a step or of the boundary conditions is singular";
  }
}

/// The first guess at every node.
Matrix guess_at(const std::vector<double>& nodes, const Regularisation& settings, int size) {
  Matrix guess = Matrix::Zero(size, nodes.size());
  if (settings.guess)
    for (std::size_t k = 0; k < nodes.size(); ++k)
      settings.guess(nodes[k], Output(guess.col(k).data(), size));
  return guess;
}

RegularisedRun collocate(const Tableau& method, const EndConditions& conditions, LinearTerms& terms,
                         const Regularisation& settings, const std::vector<double>& mesh,
                         int carried) {
  RegularisedRun run;
  run.mesh = mesh;
  run.nodes = stage_times(method, mesh);
  Matrix before = guess_at(run.nodes, settings, carried);
  const AffineOde ode = [&](double, int node, AffineRate& rate) {
    terms.evaluate(run.nodes[node]);
    rate.L = terms.A - terms.Q * terms.V * terms.K;
    rate.l = terms.Q * (terms.S * before.col(node) - terms.V * terms.k) + terms.q;
  };
  for (int s = 0; s < settings.iterations; ++s) {
    const AffineSolution solution =
        solve_affine(ode, static_cast<int>(conditions.begin.rows()), conditions, method, mesh);
    for (std::size_t k = 0; k < run.nodes.size(); ++k) {
      terms.evaluate(run.nodes[k]);
      before.col(k) =
          (terms.S * before.col(k) - terms.V * (terms.K * solution.stages.col(k) + terms.k)).eval();
    }
    run.iterates.push_back({solution.u, before});
  }
  return run;
}

/// x' = A x + B y + q,  eps y' + C B y = -(C A + C') x - C q - r'.  [AscherLin1996, (3.5a), (3.7)]
RegularisedRun staggered(const Tableau& method, const EndConditions& conditions, LinearTerms& terms,
                         const Regularisation& settings, double eps,
                         const std::vector<double>& mesh) {
  const auto n = terms.B.rows(), m = terms.B.cols();
  const std::vector<double> nodes = stage_times(method, mesh);
  const AffineOde ode = [&](double, int node, AffineRate& rate) {
    terms.evaluate(nodes[node]);
    rate.L.topRows(n) << terms.A, terms.B;
    rate.L.bottomRows(m) << -(terms.C * terms.A + terms.C_dot), -terms.C * terms.B;
    rate.l << terms.q, -(terms.C * terms.q + terms.r_dot);
    rate.L.bottomRows(m) /= eps;
    rate.l.tail(m) /= eps;
  };
  EndConditions all{Matrix::Identity(n + m, n + m), Matrix(), Vector(n + m)};
  all.begin.topLeftCorner(n, n) = conditions.begin;
  if (conditions.end.size() > 0) {
    all.end = Matrix::Zero(n + m, n + m);
    all.end.topLeftCorner(n, n) = conditions.end;
  }
  all.values << conditions.values, guess_at({mesh.front()}, settings, static_cast<int>(m));
  const AffineSolution solution = solve_affine(ode, static_cast<int>(n + m), all, method, mesh);
  RegularisedRun run;
  run.mesh = run.nodes = mesh;
  run.iterates.push_back({solution.u, solution.u.bottomRows(m)});
  return run;
}

}  // namespace

RegularisedRun regularise(const LinearIndex2& problem, const Regularisation& settings,
                          const std::vector<double>& mesh) {
  require_problem(problem);
  require_settings(settings, mesh);
  if (settings.pull != Pull::combination && settings.pull != Pull::staggered)
    throw InvalidInput("pull: a linear problem takes Pull::combination or Pull::staggered");
  if (settings.post_stabilisations > 0)
    throw InvalidInput("post_stabilisations: not for linear problems");
  const double direction = mesh.back() > mesh.front() ? 1 : -1;
  LinearTerms terms(problem, settings, direction);
  const EndConditions conditions = end_conditions(problem, terms, mesh.front());
  const Tableau& method = scheme(settings.scheme);
  const int carried =
      settings.carried == Carried::product ? problem.differential : problem.algebraic;
  RegularisedRun run;
  if (settings.pull == Pull::staggered) {
    run = staggered(method, conditions, terms, settings, direction * settings.eps, mesh);
  } else if (is_explicit(method)) {
    if (conditions.end.size() > 0)
      throw InvalidInput(
          fmt::format("scheme = '{}' needs all conditions at the begin", method.name));
    LinearRegularised ode(terms, problem.differential, carried);
    return march(ode, conditions.begin.partialPivLu().solve(conditions.values), settings, mesh, {});
  } else {
    run = collocate(method, conditions, terms, settings, mesh, carried);
  }
  set_message(run);
  return run;
}

Vector multiplier(const LinearIndex2& problem, double t, const Vector& product) {
  require_problem(problem);
  LinearTerms terms(problem, {.pull = Pull::staggered}, 1);
  terms.evaluate(t);
  return terms.B.householderQr().solve(product);
}

Vector hidden_multiplier(const LinearIndex2& problem, double t, const Vector& x) {
  require_problem(problem);
  LinearTerms terms(problem, {.pull = Pull::staggered}, 1);
  terms.evaluate(t);
  const Vector rest = (terms.C_dot + terms.C * terms.A) * x + terms.C * terms.q + terms.r_dot;
  return -(terms.C * terms.B).partialPivLu().solve(rest);
}

std::vector<double> off_singularities(std::vector<double> mesh, const LinearIndex2& problem,
                                      double threshold) {
  require_problem(problem);
  LinearTerms terms(problem, {.pull = Pull::staggered}, 1);
  std::vector<double> pivots;
  for (const double t : mesh) {
    terms.evaluate(t);
    const Matrix product = terms.C * terms.B;
    pivots.push_back(Eigen::FullPivLU<Matrix>(product).matrixLU().diagonal().cwiseAbs().minCoeff());
  }
  const double largest = *std::max_element(pivots.begin(), pivots.end());
  for (std::size_t i = 1; i + 1 < mesh.size(); ++i)
    if (!(pivots[i] > threshold * largest)) mesh[i] += (mesh[i + 1] - mesh[i]) / 2;
  return mesh;
}

}  // namespace daedalus
