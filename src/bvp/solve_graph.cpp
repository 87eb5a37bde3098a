#include "bvp/solve_graph.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "bvp/mesh.h"
#include "bvp/newton.h"
#include "bvp/polynomial.h"
#include "bvp/prepared_boundary.h"
#include "bvp/stages.h"
#include "daedalus/error.h"

namespace daedalus {
namespace bvp {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

void check(const BoundaryOptions& options, Interval span) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw InvalidInput(message);
  };
  require(options.tolerance > 1e-14 && options.tolerance < 1,
          fmt::format("tolerance: {} is not between 1e-14 and 1", options.tolerance));
  require(options.elements >= 1 && options.elements <= options.max_elements,
          fmt::format("elements: {} is not between 1 and max_elements", options.elements));
  require(options.threads >= 1, fmt::format("threads: {} is too few", options.threads));
  if (options.mesh.empty()) return;
  require(options.mesh.size() >= 2 && options.mesh.front() == span.begin &&
              options.mesh.back() == span.end,
          "mesh: must begin and end with the interval");
  for (std::size_t i = 1; i < options.mesh.size(); ++i)
    require(options.mesh[i] > options.mesh[i - 1],
            fmt::format("mesh: {} is not larger than the point before it", options.mesh[i]));
}

class BoundaryRun {
 public:
  BoundaryRun(std::shared_ptr<const PreparedBoundary> prepared, const BoundaryGuess& guess,
              const BoundaryOptions& options)
      : prepared_(std::move(prepared)),
        graph_(*prepared_->graph),
        system_(prepared_->system),
        guess_(guess),
        options_(options),
        basis_(Basis::shared(options.points,
                             options.stages > 0
                                 ? options.stages
                                 : first_stages(options.tolerance, system_.highest()),
                             system_.highest())),
        conditions_(graph_, system_, prepared_->conditions),
        equations_(system_, basis_, conditions_, options),
        kernel_(equations_.kernel()),
        newton_(equations_, options_, statistics_),
        begin_(Clock::now()) {}

  BoundarySolution run(const BoundarySolution* before) {
    Iterate u = first_iterate(before);
    const IsWorthSolving suits = [&](const Iterate& v) {
      return !options_.adapt || is_suited(v, 1);
    };
    NewtonOutcome outcome = solve(u, suits);
    for (int refined = 0; !outcome.converged && refined < 3 && is_retried(outcome) &&
                          2 * u.elements() <= options_.max_elements && options_.adapt;
         ++refined) {
      u = before ? transferred(kernel_, basis_, first_iterate(before), halved(u.t))
                 : guessed(halved(u.t));
      outcome = solve(u, suits);
    }
    if (!outcome.converged) return failed(outcome, u);
    if (!options_.adapt) return finished(u, Vector::Zero(0));
    if (options_.stages == 0)
      if (std::optional<BoundarySolution> other = with_other_stages(u)) return *other;
    return adapt(std::move(u), outcome.is_rough);
  }

 private:
  static bool is_retried(const NewtonOutcome& outcome) {
    return outcome.reason == Reason::newton_failed || outcome.reason == Reason::singular_matrix;
  }

  Iterate guessed(const std::vector<double>& mesh) {
    const int n = system_.components(), d = system_.algebraic(), k = basis_.points();
    const int states = system_.states(), elements = static_cast<int>(mesh.size()) - 1;
    Iterate u;
    u.t = mesh;
    u.z.resize(states, elements + 1), u.w.resize(n * k, elements), u.y.resize(d * k, elements);
    Vector s(system_.slots());
    std::vector<double> values;
    const auto guess = [&](double t) { system_.guess(guess_, graph_.size(), t, s.data(), values); };
    for (int i = 0; i <= elements; ++i) {
      guess(mesh[at(i)]);
      u.z.col(i) = s.head(states);
    }
    for (int i = 0; i < elements; ++i)
      for (int j = 0; j < k; ++j) {
        if (d > 0) guess(u.left(i) + basis_.rho(j) * u.length(i));
        u.y.col(i).segment(j * d, d) = s.tail(d);
        for (int c = 0; c < n; ++c) {
          const int top = system_.offset[at(c)] + system_.order[at(c)] - 1;
          u.w(j * n + c, i) = (u.z(top, i + 1) - u.z(top, i)) / u.length(i);
        }
      }
    return u;
  }

  Iterate first_iterate(const BoundarySolution* before) {
    if (!before || !before->polynomial || !fits(*before->polynomial)) {
      return guessed(options_.mesh.empty()
                         ? equal_mesh(options_.elements, graph_.t_span, graph_.points)
                         : with_points(options_.mesh));
    }
    const PiecewisePolynomial& old = *before->polynomial;
    // The old mesh was halved for its estimate, and so will this one be.
    std::vector<double> mesh = options_.mesh;
    if (mesh.empty())
      for (std::size_t i = 0; i < old.iterate().t.size(); i += options_.adapt ? 2 : 1)
        mesh.push_back(old.iterate().t[i]);
    if (mesh.size() < 2) mesh = old.iterate().t;
    mesh.back() = graph_.t_span.end;
    Iterate u = guessed(with_points(mesh));
    Vector s(system_.slots());
    const int n = system_.components(), d = system_.algebraic();
    for (int i = 0; i <= u.elements(); ++i) {
      old.slots(u.t[at(i)], s.data());
      u.z.col(i) = s.head(system_.states());
    }
    for (int i = 0; i < u.elements(); ++i)
      for (int j = 0; j < basis_.points(); ++j) {
        old.slots(u.left(i) + basis_.rho(j) * u.length(i), s.data());
        u.w.col(i).segment(j * n, n) = s.segment(system_.states(), n);
        u.y.col(i).segment(j * d, d) = s.tail(d);
      }
    return u;
  }

  bool fits(const PiecewisePolynomial& old) const {
    return old.system().order == system_.order && old.system().algebraic() == system_.algebraic() &&
           old.iterate().t.front() == graph_.t_span.begin &&
           old.iterate().t.back() == graph_.t_span.end;
  }

  std::vector<double> with_points(std::vector<double> mesh) const {
    mesh.insert(mesh.end(), graph_.points.begin(), graph_.points.end());
    std::sort(mesh.begin(), mesh.end());
    mesh.erase(std::unique(mesh.begin(), mesh.end()), mesh.end());
    return mesh;
  }

  /// `is_worth_solving`: see newton.h.
  NewtonOutcome solve(Iterate& u, const IsWorthSolving& is_worth_solving = {}) {
    ++statistics_.meshes;
    // Without an estimate of the error nothing is gained by stopping early.
    const double wanted = options_.adapt ? std::max(0.01 * options_.tolerance, 1e-13)
                                         : std::max(2e-4 * options_.tolerance, 2e-15);
    return newton_.solve(u, wanted, is_worth_solving);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// The whole run with the number of points that u asks for, if that is another.
  std::optional<BoundarySolution> with_other_stages(const Iterate& u) {
    const Monitor need = monitor(system_, basis_, u, options_.tolerance);
    if (wanted_elements(need) <= u.elements()) return {};
    BoundaryOptions options = options_;
    options.stages =
        best_stages(system_, options_.tolerance, basis_.points(), wanted_elements(need));
    if (options.stages == basis_.points()) return {};
    options.mesh = spread(need, u.t, u.elements(), graph_.points);
    options.time_limit -= seconds();
    const BoundarySolution here = base(u);
    BoundarySolution there = BoundaryRun(prepared_, guess_, options).run(&here);
    if (!there.succeeded() && there.reason != Reason::interrupted) return {};
    there.statistics.meshes += statistics_.meshes;
    there.statistics.newton += statistics_.newton;
    there.statistics.factorizations += statistics_.factorizations;
    there.statistics.rejected += statistics_.rejected;
    there.statistics.elements += equations_.linearized_elements();
    there.statistics.evaluations += equations_.evaluations();
    there.statistics.wall_seconds = seconds();
    return there;
  }

  static constexpr double margin = 1.2;

  /// Of the mesh that is then halved for the result.
  static double wanted_elements(const Monitor& need) {
    return std::max(0.5 * margin * need.elements, 2.0);
  }

  /// The error of u by the solution on every second mesh point, where the first mesh was fine
  /// enough for that; nothing if it is too large.
  std::optional<Vector> error_by_coarser_mesh(const Iterate& u) {
    const Monitor need = monitor(system_, basis_, u, options_.tolerance);
    const int elements = u.elements() / 2;
    if (u.elements() % 2 == 1 || elements < 2 || !is_suited(2 * need.largest, 1)) return {};
    std::vector<double> mesh;
    for (int i = 0; i <= elements; ++i) mesh.push_back(u.t[at(2 * i)]);
    const std::vector<double> middles = halved(mesh);
    for (int i = 0; i < u.elements(); ++i)
      if (std::abs(middles[at(i)] - u.left(i)) > 1e-10 * u.length(i)) return {};
    if (with_points(mesh) != mesh) return {};
    Iterate coarse = transferred(kernel_, basis_, u, mesh);
    const NewtonOutcome outcome = solve(coarse);
    if (!outcome.converged || outcome.is_rough) return {};
    Vector error = estimate_error(kernel_, basis_, coarse, u);
    if (!(error.maxCoeff() <= options_.tolerance)) return {};
    return error;
  }

  /// Whether a mesh where so much is needed of one element may be halved for the result; else its
  /// solution only tells of a better one.
  static bool is_suited(double largest, double safety) {
    // Estimates of needs tend to be too large by that.
    constexpr double excess = 2;
    return safety * 0.5 * margin * largest <= excess;
  }
  bool is_suited(const Iterate& u, double safety) const {
    return is_suited(monitor(system_, basis_, u, options_.tolerance).largest, safety);
  }

  BoundarySolution adapt(Iterate u, bool is_rough) {
    constexpr int most_meshes = 60, most_spreads = 6;
    if (!is_rough)
      if (std::optional<Vector> error = error_by_coarser_mesh(u)) return finished(u, *error);
    int spreads = 0, most = u.elements();
    double safety = 1;  // of the number of elements, learnt from estimates
    for (;;) {
      if (seconds() > options_.time_limit) return out_of_time(u, "no estimate of the error yet");
      const Monitor need = monitor(system_, basis_, u, options_.tolerance);
      const double wanted = safety * wanted_elements(need);
      const int elements = u.elements();
      const bool is_good =
          is_suited(need.largest, safety) && elements <= std::max(3 * wanted, 12.0);
      if (!is_good && spreads < most_spreads) {
        // Coarser meshes are tried at first only: numbers must not go up and down for ever.
        const double next =
            std::clamp(wanted, spreads < 3 ? 0.5 * elements : 1.0 * elements, 3.0 * elements);
        if (next > 0.5 * options_.max_elements) return out_of_elements(u);
        Iterate v =
            transferred(kernel_, basis_, u,
                        spread(need, u.t, static_cast<int>(std::ceil(next)), graph_.points));
        ++spreads;
        if (v.elements() > 1.5 * most) spreads = 0;  // that is progress
        most = std::max(most, v.elements());
        const auto suits = [&](const Iterate& w) {
          return spreads >= most_spreads || is_suited(w, safety);
        };
        if (const NewtonOutcome outcome = solve(v, suits); outcome.converged) {
          u = std::move(v);
          continue;
        }
      }
      if (2 * elements > options_.max_elements) return out_of_elements(u);
      Iterate fine = transferred(kernel_, basis_, u, halved(u.t));
      const NewtonOutcome outcome = solve(fine);
      if (!outcome.converged) return failed(outcome, fine);
      const Vector error = estimate_error(kernel_, basis_, u, fine);
      const double largest = error.maxCoeff() / options_.tolerance;
      if (largest <= 1 && !outcome.is_rough) return finished(fine, error);
      error_ = error;
      if (statistics_.meshes > most_meshes || seconds() > options_.time_limit)
        return out_of_time(
            fine, fmt::format("the estimated error is {:.3g} times the tolerance", largest));
      safety =
          std::min(8.0, safety * std::clamp(std::pow(largest, 1.0 / basis_.points()), 1.1, 2.0));
      u = std::move(fine);
      spreads = 0;
    }
  }

  BoundarySolution base(const Iterate& u) {
    BoundarySolution solution;
    solution.variables = graph_.shown_names;
    solution.notes = conditions_.notes();
    solution.polynomial = std::make_shared<PiecewisePolynomial>(
        graph_, std::shared_ptr<const CollocationSystem>(prepared_, &system_), basis_, u);
    solution.t = u.t;
    std::vector<double> row(graph_.shown.size());
    for (const double t : u.t) {
      solution.polynomial->values(t, row.data());
      solution.values.insert(solution.values.end(), row.begin(), row.end());
    }
    for (int k = 0; k < static_cast<int>(graph_.shown.size()) && error_.size() > 0; ++k) {
      double error = 0;
      for (const int slot : solution.polynomial->shown_slots(k))
        error = std::max(error, error_[slot]);
      solution.error.push_back(error);
    }
    statistics_.stages = basis_.points();
    statistics_.elements = equations_.linearized_elements();
    statistics_.evaluations = equations_.evaluations();
    statistics_.wall_seconds = seconds();
    solution.statistics = statistics_;
    return solution;
  }

  BoundarySolution finished(const Iterate& u, const Vector& error) {
    error_ = error;
    BoundarySolution solution = base(u);
    solution.condition = equations_.condition();
    const std::string violated = equations_.violated_condition(u, options_.tolerance);
    if (violated.empty()) return solution;
    solution.status = Status::failed;
    solution.reason = Reason::inconsistent_start;
    solution.message = {"the boundary conditions contradict each other or the constraints",
                        violated,
                        "it was set aside because its derivative depends on the others, and the "
                        "solution of these does not satisfy it",
                        "remove or correct it"};
    return solution;
  }

  BoundarySolution failed(const NewtonOutcome& outcome, const Iterate& u) {
    BoundarySolution solution = base(u);
    solution.status = Status::failed;
    solution.reason = outcome.reason;
    solution.message = outcome.message;
    return solution;
  }

  BoundarySolution out_of_elements(const Iterate& u) {
    return failed({false,
                   Reason::max_steps,
                   {"the tolerance needs more elements than allowed",
                    fmt::format("with {} elements", u.elements()),
                    "the solution has layers that are too thin, or a singularity",
                    "a larger tolerance, more stages, or a larger number of elements"}},
                  u);
  }

  BoundarySolution out_of_time(const Iterate& u, const std::string& state) {
    return failed(
        {false,
         Reason::time_limit,
         {"the tolerance was not reached", fmt::format("with {} elements {}", u.elements(), state),
          "rounding errors of an ill-conditioned problem, or a time limit", "a larger tolerance"}},
        u);
  }

  std::shared_ptr<const PreparedBoundary> prepared_;
  const BoundaryGraph& graph_;
  const CollocationSystem& system_;
  const BoundaryGuess& guess_;
  BoundaryOptions options_;
  const Basis& basis_;
  Conditions conditions_;
  MeshEquations equations_;
  const ElementKernel& kernel_;
  BoundaryStatistics statistics_;
  Newton newton_;
  Clock::time_point begin_;
  Vector error_;
};

}  // namespace

BoundarySolution solve_graph(const std::shared_ptr<const BoundaryGraph>& graph,
                             const BoundaryGuess& guess, const Findings& findings,
                             const BoundaryOptions& options, const BoundarySolution* before) {
  check(options, graph->t_span);
  if (options.form != ConstraintForm::regularised) {
    const auto prepared = PreparedBoundary::of(graph, options.form, options.gamma, findings);
    return BoundaryRun(prepared, guess, options).run(before);
  }
  BoundaryOptions direct = options;
  direct.form = ConstraintForm::direct;
  BoundaryGraph with_guess = *graph;
  with_guess.guess = guess;
  const auto iterates = std::make_shared<const BoundaryGraph>(
      regularised(with_guess, options.eps, options.iterations));
  const auto prepared = PreparedBoundary::of(iterates, direct.form, direct.gamma, Findings::none());
  return BoundaryRun(prepared, iterates->guess, direct).run(before);
}

}  // namespace bvp

BoundarySolution solve_boundary(const BoundaryProblem& problem, const BoundaryOptions& options,
                                const BoundarySolution* before) {
  return bvp::solve_graph(bvp::recorded_graph(problem), bvp::guess_of(problem), problem.findings,
                          options, before);
}

}  // namespace daedalus
