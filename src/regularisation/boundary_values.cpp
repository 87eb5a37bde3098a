// Nonlinear problems with conditions at both ends: each iterate is a boundary value problem
//     x_s' = F(t, x_s, w_{s-1}),  at_begin x(t_0) + at_end x(t_N) = values,  0 = g(t_0, x(t_0)),
// solved on the whole interval by quasilinearisation and collocation.  [AscherLin1997, (2.2)-(2.5)]
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "regularisation/affine_ode.h"
#include "regularisation/formulations.h"
#include "regularisation/schemes.h"

namespace daedalus {
namespace {

double difference_step(double value) {
  return 1e-6 * std::max(1.0, std::abs(value));
}

/// One iterate after another on the same mesh.
class BoundaryIterates {
 public:
  BoundaryIterates(RegularisedOde& ode, const EndValues& ends, const Regularisation& settings,
                   const std::vector<double>& mesh)
      : ode_(ode),
        ends_(ends),
        method_(scheme(settings.scheme)),
        mesh_(mesh),
        nodes_(stage_times(method_, mesh)),
        stages_(ode.size(), nodes_.size()),
        before_(Matrix::Zero(ode.carried(), nodes_.size())),
        begin_(ode.size()) {
    ends.guess(mesh.front(), Output(begin_.data(), begin_.size()));
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      ends.guess(nodes_[k], Output(stages_.col(k).data(), ode.size()));
      if (settings.guess) settings.guess(nodes_[k], Output(before_.col(k).data(), ode.carried()));
    }
  }

  const std::vector<double>& nodes() const { return nodes_; }
  const Matrix& carried() const { return before_; }

  /// The next iterate at mesh points; empty if quasilinearisation does not converge.
  Matrix next() {
    constexpr int most_iterations = 30;
    double last = 0;
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      const AffineSolution solution =
          solve_affine([this](double, int node, AffineRate& rate) { linearise(node, rate); },
                       ode_.size(), end_conditions(), method_, mesh_);
      if (!solution.u.allFinite()) return {};
      const double change = (solution.stages - stages_).cwiseAbs().maxCoeff() /
                            (1 + solution.stages.cwiseAbs().maxCoeff());
      stages_ = solution.stages;
      begin_ = solution.u.col(0);
      // Quadratic until rounding, which differences and 1/eps make larger than that of the state.
      if (change < 1e-13 || (change < 1e-9 && change > 0.5 * last)) {
        carry();
        return solution.u;
      }
      last = change;
    }
    return {};
  }

 private:
  /// F(x) + F_x (u - x) at a node.
  void linearise(int node, AffineRate& rate) {
    const int n = ode_.size();
    Vector x = stages_.col(node), f(n), plus(n), minus(n), after(ode_.carried());
    const Vector before = before_.col(node);
    const double t = nodes_[node];
    ode_.evaluate(t, x, before, f, after);
    for (int i = 0; i < n; ++i) {
      const double value = x[i], d = difference_step(value);
      x[i] = value + d;
      ode_.evaluate(t, x, before, plus, after);
      x[i] = value - d;
      ode_.evaluate(t, x, before, minus, after);
      x[i] = value;
      rate.L.col(i) = (plus - minus) / (2 * d);
    }
    rate.l = f - rate.L * x;
  }

  /// The given conditions and, if they are too few, g + g_x (u - x) = 0 at the begin.
  EndConditions end_conditions() {
    const int n = ode_.size();
    const auto given = ends_.values.size();
    EndConditions conditions{Matrix::Zero(n, n), Matrix::Zero(n, n), Vector(n)};
    conditions.begin.topRows(given) = ends_.at_begin;
    conditions.end.topRows(given) = ends_.at_end;
    conditions.values.head(given) = ends_.values;
    if (given == n) return conditions;
    const double t = mesh_.front();
    Vector x = begin_;
    const Vector g = ode_.constraints(t, x);
    auto rows = conditions.begin.bottomRows(n - given);
    for (int i = 0; i < n; ++i) {
      const double value = x[i], d = difference_step(value);
      x[i] = value + d;
      rows.col(i) = ode_.constraints(t, x);
      x[i] = value - d;
      rows.col(i) = (rows.col(i) - ode_.constraints(t, x)) / (2 * d);
      x[i] = value;
    }
    conditions.values.tail(n - given) = rows * x - g;
    return conditions;
  }

  /// w_s at the nodes.
  void carry() {
    Vector rate(ode_.size()), after(ode_.carried());
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      ode_.evaluate(nodes_[k], stages_.col(k), before_.col(k), rate, after);
      before_.col(k) = after;
    }
  }

  RegularisedOde& ode_;
  const EndValues& ends_;
  const Tableau& method_;
  const std::vector<double>& mesh_;
  std::vector<double> nodes_;
  Matrix stages_, before_;
  Vector begin_;
};

void require_ends(const EndValues& ends, const RegularisedOde& ode, int constraints) {
  const auto rows = ends.values.size();
  const int n = ode.size();
  if (rows != n && rows != n - constraints)
    throw InvalidInput(
        fmt::format("values: {} conditions, {} or {} are needed", rows, n - constraints, n));
  if (ends.at_begin.rows() != rows || ends.at_begin.cols() != n || ends.at_end.rows() != rows ||
      ends.at_end.cols() != n)
    throw InvalidInput(fmt::format("at_begin and at_end must be {} x {}", rows, n));
  if (!ends.guess) throw InvalidInput("guess: a first approximation of x is needed");
}

}  // namespace

RegularisedRun regularise(const Problem& problem, const EndValues& ends,
                          const Regularisation& settings, const std::vector<double>& mesh) {
  require_settings(settings, mesh);
  if (mesh.back() < mesh.front()) throw InvalidInput("mesh runs backwards");
  if (settings.post_stabilisations > 0)
    throw InvalidInput("post_stabilisations: not with conditions at both ends");
  if (settings.pull == Pull::staggered)
    throw InvalidInput("pull: staggered stabilisation takes initial values");
  if (is_explicit(scheme(settings.scheme)))
    throw InvalidInput(
        fmt::format("scheme = '{}' needs all conditions at the begin", settings.scheme));
  const std::unique_ptr<RegularisedOde> ode = regularised_ode(problem, settings);
  const Vector zero = Vector::Zero(ode->size());
  require_ends(ends, *ode, static_cast<int>(ode->constraints(mesh.front(), zero).size()));
  BoundaryIterates iterates(*ode, ends, settings, mesh);
  RegularisedRun run;
  run.mesh = mesh;
  run.nodes = iterates.nodes();
  run.finite_until = mesh.back();
  for (int s = 0; s < settings.iterations; ++s) {
    const Matrix x = iterates.next();
    if (x.size() == 0) {
      run.finite_until = mesh.front();
      run.message = fmt::format("quasilinearisation of iterate {} did not converge", s + 1);
      return run;
    }
    run.iterates.push_back({x, iterates.carried()});
  }
  return run;
}

}  // namespace daedalus
