#include "bench/suite/hot_kernels.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulation/prepared_graph.h"
#include "formulation/projected_field.h"
#include "formulation/recorded_problem.h"
#include "ivp/validate.h"
#include "linear/dense_kernels.h"
#include "method/explicit.h"
#include "method/rosenbrock.h"
#include "problem/jacobian.h"
#include "stepper/explicit_stepper.h"
#include "stepper/stage_constants.h"
#include "stepper/stage_factors.h"

namespace daedalus::bench {
namespace {

template <class Once>
Calls repeated(Once once) {
  return [once](int calls) {
    for (int k = 0; k < calls; ++k) once();
  };
}

Problem prepared(const Problem& problem, const Options& options, bool on_manifold) {
  if (!std::holds_alternative<ExpressionGraph>(problem.form)) return problem;
  Problem result =
      prepared_graph(problem, on_manifold, options.formulation != Formulation::direct)->problem;
  result.t_span = problem.t_span, result.findings = problem.findings;
  return result;
}

/// Of all variables of the system: those that the run does not show are where they started.
std::vector<double> spread(const Names& names, const std::vector<double>& values,
                           const Problem& problem, const System& system) {
  std::vector<double> y(static_cast<std::size_t>(system.size));
  const Vector& start = problem.start;
  for (int j = 0; j < system.size; ++j) {
    const std::size_t k = static_cast<std::size_t>(j);
    const auto at = std::find(names.begin(), names.end(), system.variables[k]);
    if (at != names.end())
      y[k] = values[static_cast<std::size_t>(at - names.begin())];
    else if (j < start.size())
      y[k] = start[j];
  }
  return y;
}

/// What a step with implicit stages, a Rosenbrock or a backward difference formula works with.
struct ImplicitPieces {
  std::shared_ptr<System> system;
  double t, h;
  std::vector<double> y, yp, r;
  std::unique_ptr<Jacobian> jacobian;
  Pencil pencil;

  ImplicitPieces(const Problem& given, const Options& options, const RunToTell& run)
      : t(run.t), h(run.h) {
    const Problem problem = prepared(given, options, false);
    system = make_system(problem, chosen_formulation(problem, options.formulation, false),
                         options.baumgarte_rate);
    system->choose_evaluation(options.evaluation);
    y = spread(run.variables, run.values, problem, *system);
    yp.assign(y.size(), 0.0), r = yp;
    jacobian = std::make_unique<Jacobian>(*system, options.linear_algebra, t, y.data(), yp.data(),
                                          problem.findings);
    pencil = jacobian->make_pencil();
    jacobian->evaluate(t, y.data(), yp.data(), pencil);
  }
};

/// All matrices of one number of stages.
struct StageMatrices {
  const StageConstants& constants;
  StageFactors factors;
  StageMemory memory;
  std::size_t length;  ///< of the vectors of all stages
  double* vectors;     ///< from a cache line on, as the kernels want it
  NewtonStages stages = {};
  const double* weight = nullptr;

  StageMatrices(const StageConstants& given, const ImplicitPieces& pieces)
      : constants(given),
        factors(given.data, given.estimate_gamma, pieces.pencil),
        length(static_cast<std::size_t>(given.data.unknowns * padded(pieces.system->size))) {
    constexpr std::size_t most_vectors = 7;
    memory.hold(most_vectors * length + factors.doubles(), factors.row_numbers());
    vectors = memory.numbers();
    const auto vector = [&](std::size_t k) { return vectors + k * length; };
    factors.place(vector(most_vectors), memory.rows());
    factors.factor(pieces.pencil, pieces.h);
    std::fill(vector(0), vector(2), 1.0);
    stages = {given.t_inverse.data(),
              given.t.data(),
              given.w_t.data(),
              factors.real_then_complex(),
              pieces.y.data(),
              vector(0),
              vector(2),
              vector(3),
              vector(4),
              vector(5),
              vector(6)};
    if (pieces.system->knows_right_hand_side)
      stages.mass = {given.lambda.data(), nullptr, pieces.pencil.e.data()};
    weight = vector(1);
  }

  /// Of few unknowns this is one kernel with all else that corrects the stages.
  void solve(double h) const {
    if (const NewtonKernels& whole = factors.at_once(); whole && !constants.data.explicit_first) {
      whole.correct(stages, weight, 1 / h);
    } else {
      std::fill(vectors, vectors + length, 1.0);
      factors.solve(vectors);
    }
  }
};

HotKernels::Matrices stage_matrices(const StageConstants& constants,
                                    const std::shared_ptr<ImplicitPieces>& pieces) {
  const auto all = std::make_shared<StageMatrices>(constants, *pieces);
  return {constants.method.order, repeated([=] { all->factors.factor(pieces->pencil, pieces->h); }),
          repeated([=] { all->solve(pieces->h); })};
}

HotKernels::Matrices one_real_matrix(const std::shared_ptr<ImplicitPieces>& pieces) {
  const std::shared_ptr<RealFactors> factors = make_real_factors(pieces->pencil);
  const double shift = 2 / pieces->h;  // about that of every formula
  factors->factor(pieces->pencil, shift);
  return {0, repeated([=] { factors->factor(pieces->pencil, shift); }), repeated([=] {
            std::fill(pieces->r.begin(), pieces->r.end(), 1.0);
            factors->solve(pieces->r.data());
          })};
}

bool has_one_real_matrix(const std::string& method) {
  return method == "bdf" || method == "mebdf" || find_rosenbrock(method);
}

HotKernels implicit_kernels(const Problem& problem, const Options& options, const RunToTell& run) {
  const auto pieces = std::make_shared<ImplicitPieces>(problem, options, run);
  HotKernels kernels;
  kernels.unknowns = pieces->system->size;
  kernels.f =
      repeated([p = pieces] { p->system->residual(p->t, p->y.data(), p->yp.data(), p->r.data()); });
  kernels.jacobian =
      repeated([p = pieces] { p->jacobian->evaluate(p->t, p->y.data(), p->yp.data(), p->pencil); });
  if (has_one_real_matrix(run.method)) {
    kernels.matrices.push_back(one_real_matrix(pieces));
  } else if (run.method == "radau") {
    for (const int order : run.orders)
      kernels.matrices.push_back(
          stage_matrices(stage_constants(find_method(fmt::format("radau_iia_{}", order))), pieces));
  } else {
    const StageConstants& constants = stage_constants(find_method(run.method));
    kernels.matrices.push_back(constants.is_by_stages ? one_real_matrix(pieces)
                                                      : stage_matrices(constants, pieces));
    kernels.matrices.back().order = 0;
  }
  return kernels;
}

/// What explicit steps work with. Functions of higher index were recorded for them.
struct ManifoldPieces {
  std::shared_ptr<ProjectedField> field;
  double t = 0;
  std::vector<double> x, off, xp, tolerance;

  ManifoldPieces(const Problem& given, const Options& options, const RunToTell& run) {
    const std::optional<Problem> graph = recorded_if_of_higher_index(given);
    const Problem problem = prepared(graph ? *graph : given, options, true);
    const auto system = make_system(problem, Formulation::manifold);
    field = make_projected_field(problem, system->modes, Solves::by_factors);
    const std::size_t length = static_cast<std::size_t>(padded(field->differential));
    x.resize(length), xp.resize(length), tolerance.resize(length);
    State state;
    state.t = problem.t_span.begin;
    state.y = spread(run.variables, run.start, problem, *system);
    state.yp.assign(state.y.size(), 0.0);
    field->gather(state.y.data(), x.data());
    field->begin(state.t, x.data());
    const Vector atol = absolute_tolerance(problem, options, *system);
    go_along(run, options, atol, state, problem.t_span.end);
    for (int i = 0; i < field->differential; ++i)
      tolerance[static_cast<std::size_t>(i)] =
          atol[field->place(i)] + options.rtol * std::abs(x[static_cast<std::size_t>(i)]);
    off = x;
  }

  /// A field learns in its first steps: how far its constraints are from being dependent, say.
  void go_along(const RunToTell& run, const Options& options, const Vector& atol,
                const State& start, double end) {
    constexpr std::int64_t enough = 50;
    Statistics unseen;
    ExplicitStepper stepper(field, *find_explicit(run.method), options, atol, unseen);
    stepper.start(start, 0);
    for (std::int64_t k = 0; k < std::min(run.steps, enough) && stepper.attempt(end); ++k)
      stepper.commit();
    t = stepper.state().t;
    field->gather(stepper.state().y.data(), x.data());
  }

  /// From about as far away as a step leads: where nothing is to be done it takes no time.
  void project() {
    constexpr double part = 0.1;
    for (std::size_t i = 0; i < x.size(); ++i)
      off[i] = x[i] + (i % 2 == 0 ? part : -part) * tolerance[i];
    field->project_end(t, off.data(), tolerance.data());
  }
};

HotKernels manifold_kernels(const Problem& problem, const Options& options, const RunToTell& run) {
  const auto pieces = std::make_shared<ManifoldPieces>(problem, options, run);
  HotKernels kernels;
  kernels.unknowns = pieces->field->differential;
  kernels.on_manifold = true;
  kernels.f = repeated([p = pieces] { p->field->slope(p->t, p->x.data(), p->xp.data()); });
  kernels.projection = repeated([p = pieces] { p->project(); });
  return kernels;
}

}  // namespace

HotKernels hot_kernels(const Problem& problem, const Options& options, const RunToTell& run) {
  if (find_explicit(run.method)) return manifold_kernels(problem, options, run);
  return implicit_kernels(problem, options, run);
}

}  // namespace daedalus::bench
