// A run before its start: the system that is integrated, and its stepper.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "expression/source_pulses.h"
#include "formulation/prepared_graph.h"
#include "ivp/run.h"
#include "ivp/validate.h"
#include "problem/findings.h"

namespace daedalus {
namespace {

// Of the tolerance; what steps add to the distance from the constraints the next projection takes
// away, and output is put onto them to rounding.
constexpr double part_left_by_projection = 1e-6;

}  // namespace

/// Where a diode blocks nothing but its source moves, and as that is known exactly no error tells
/// of it: steps would leap over whole periods, and what happens in them. Users may say otherwise.
void Integrator::Run::follow_sources(double fastest) {
  constexpr double steps_in_a_period = 8, most_steps = 1e5;
  const double span = std::abs(problem_.t_span.end - problem_.t_span.begin);
  const double longest = 2 * std::numbers::pi / (steps_in_a_period * fastest);
  if (fastest > 0 && std::isinf(options_.max_step) && span < most_steps * longest)
    options_.max_step = longest;
}

namespace {

struct PulseFinding {
  std::shared_ptr<const EquationSet> equations;
  Interval span;
  std::vector<double> times;
};

}  // namespace

void Integrator::Run::look_for_pulses() {
  const std::shared_ptr<const EquationSet>& equations =
      std::get<ExpressionGraph>(problem_.form).equations;
  if (!equations || options_.fixed_step > 0 || !std::isinf(options_.max_step)) return;
  const Interval span = problem_.t_span;
  const auto found = found_or_made<PulseFinding>(
      problem_.findings,
      [&](const PulseFinding& known) {
        return known.equations == equations && known.span.begin == span.begin &&
               known.span.end == span.end;
      },
      [&] {
        return std::make_shared<PulseFinding>(
            PulseFinding{equations, span, pulse_times(*equations, span.begin, span.end)});
      });
  if (!found->times.empty())
    pulses_ = std::shared_ptr<const std::vector<double>>(found, &found->times);
}

void Integrator::Run::prepare_graph() {
  given_start_ = problem_.start;
  if (!std::holds_alternative<ExpressionGraph>(problem_.form)) return;
  look_for_pulses();
  const auto prepared = prepared_graph(
      problem_, works_on_constraints() || options_.formulation == Formulation::manifold,
      options_.formulation != Formulation::direct);
  const Interval span = problem_.t_span;
  const Findings findings = problem_.findings;
  problem_ = prepared->problem;
  problem_.t_span = span, problem_.findings = findings;
  note_ = prepared->note;
  follow_sources(prepared->fastest_source);
  if (!prepared->expansion) return;
  expansion_ = std::make_shared<Expansion>(*prepared->expansion);
  const Vector given = options_.atol;
  expansion_->atol = Vector::Constant(std::ssize(expansion_->eliminated()),
                                      given.size() == 0 ? options_.rtol : given.minCoeff());
  if (given.size() <= 1) return;
  require_tolerances(given, expansion_->visible());
  for (std::size_t k = 0; k < expansion_->eliminated().size(); ++k)
    expansion_->atol[static_cast<int>(k)] = given[expansion_->eliminated()[k]];
  std::vector<double> kept;
  for (const int j : expansion_->kept())
    if (j < expansion_->visible()) kept.push_back(given[j]);
  options_.atol = kept;
}

void Integrator::Run::prepare() {
  validate(problem_, options_);
  explicit_ = find_explicit(options_.method);
  extrapolated_ = find_extrapolation(options_.method);
  prepare_graph();
  const Formulation formulation =
      chosen_formulation(problem_, options_.formulation, works_on_constraints());
  if (formulation == Formulation::manifold) use_known_system();
  if (!system_) system_ = make_system(problem_, formulation, options_.baumgarte_rate);
  system_->expansion = expansion_;
  system_->choose_evaluation(options_.evaluation);
  // A field keeps it by construction, and near singular points multipliers do not exist.
  const bool on_manifold = formulation == Formulation::manifold;
  if (on_manifold)
    std::erase_if(system_->levels,
                  [](const ConstraintLevel& level) { return level.name == "acceleration"; });
  const int n = system_->size;
  atol_ = absolute_tolerance(problem_, options_, *system_);
  place_start();
  if (!on_manifold) bounds_ = {problem_, *system_, expansion_.get(), atol_, options_.rtol};

  switches_.emplace(system_->switching.get(), system_->modes.get());
  events_.emplace(options_.events, switches_->slack(), n,
                  [this](double time, const double* y, double* g) {
                    for (const Event& event : options_.events)
                      *g++ = event.value(time, shown(time, y));
                    switches_->indicators(time, y, g);
                  });
  if (on_manifold)
    prepare_manifold(start_);
  else
    prepare_implicit(start_);
  outputs_ = output_times(problem_, options_);
  row_.assign(n, 0.0);
  interpolant_.data.reserve(static_cast<std::size_t>(n) *
                            (std::max(2, stepper_->most_stages()) + 2));
  std::size_t longest = 0;
  for (const ConstraintLevel& level : system_->levels)
    longest = std::max(longest, level.equations.size());
  residual_.assign(longest, 0.0);
  worst_equation_.assign(system_->levels.size(), 0);
  level_maximum_.assign(system_->levels.size(), 0.0);
  formulation_ = !works_on_constraints() ? formulation
                 : field_->algebraic > 0 ? Formulation::projected
                                         : Formulation::direct;
  name_solution();
}

/// As the problem gives it, and with it the sizes of the variables.
void Integrator::Run::place_start() {
  const auto n = static_cast<std::size_t>(system_->size);
  start_.t = problem_.t_span.begin;
  start_.y.assign(n, 0.0), start_.yp.assign(n, 0.0);
  const Vector& given = problem_.start;
  std::copy(given.data(), given.data() + given.size(), start_.y.begin());
  const Vector& derivative = problem_.start_derivative;
  std::copy(derivative.data(), derivative.data() + derivative.size(), start_.yp.begin());
  scale_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double atol = atol_[static_cast<int>(i)];
    scale_[i] = std::max(std::abs(start_.y[i]), std::isinf(atol) ? 1.0 : atol / options_.rtol);
  }
}

void Integrator::Run::name_solution() {
  solution_.constraint_residual.resize(system_->levels.size());
  for (std::size_t k = 0; k < system_->levels.size(); ++k) {
    ConstraintResidual& residual = solution_.constraint_residual[k];
    residual.level = system_->levels[k].name, residual.equation = system_->levels[k].equations[0];
    residual.maximum = 0, residual.t = start_.t;
  }
  solution_.method = options_.method;
  solution_.formulation = name_of(formulation_);
  solution_.variables.assign(system_->variables.begin(),
                             system_->variables.begin() + system_->visible);
  if (expansion_) solution_.variables = expansion_->names();
  solution_.unknowns = system_->size;
}

/// What the field keeps, where it can tell.
void Integrator::Run::watch_constraints() {
  std::vector<double> x(static_cast<std::size_t>(field_->differential));
  const auto residual = [field = field_.get(), x](int k) {
    return [k, field, x](double t, const double* y, double* r) mutable {
      if (field->places.empty()) return field->level(k, t, y, r);
      field->gather(y, x.data());
      field->level(k, t, x.data(), r);
    };
  };
  if (field_->constraint_names.empty()) {
    // Functions of the user would be differentiated anew at each step.
    const bool same = field_->is_sparse() || field_->moves_on_positions();
    const int told = same ? static_cast<int>(system_->levels.size()) : 0;
    for (int k = 0; k < std::min(told, field_->levels()); ++k)
      replaced_.push_back(std::exchange(system_->levels[static_cast<std::size_t>(k)].residual,
                                        LevelResidual(residual(k))));
    return;
  }
  system_->levels.clear();
  for (int k = 0; k < field_->levels(); ++k) {
    ConstraintLevel level{k == 0 ? "position" : "velocity", field_->constraint_names, {}};
    if (k > 0)
      for (std::string& name : level.equations) name = "d/dt " + name;
    level.residual = residual(k);
    system_->levels.push_back(std::move(level));
  }
}

/// The equations themselves, where steps are made by a field that does without them.
System& Integrator::Run::equations() {
  if (!field_ || system_->own_jacobian || !std::holds_alternative<ExpressionGraph>(problem_.form))
    return *system_;
  if (!equations_) {
    equations_ = make_system(problem_, Formulation::direct);
    equations_->expansion = expansion_;
  }
  return *equations_;
}

void Integrator::Run::use_output(std::shared_ptr<StepOutput> output) {
  output_ = std::move(output);
  if (options_.dense && options_.record)
    dense_ = std::make_shared<DenseOutput>(output_, problem_.t_span.end > problem_.t_span.begin);
}

Jacobian& Integrator::Run::jacobian(const State& at) {
  if (!jacobian_)
    jacobian_ = std::make_shared<Jacobian>(equations(), options_.linear_algebra, at.t, at.y.data(),
                                           at.yp.data(), problem_.findings);
  return *jacobian_;
}

std::unique_ptr<Stepper> Integrator::Run::make_stepper(const State& start) {
  Statistics& statistics = solution_.statistics;
  if (const RosenbrockTable* table = find_rosenbrock(options_.method))
    return std::make_unique<RosenbrockStepper>(*system_, jacobian(start), *table, options_, atol_,
                                               statistics, start);
  if (extrapolated_)
    return std::make_unique<LinearlyImplicitExtrapolation>(
        *system_, jacobian(start), *extrapolated_, options_, atol_, statistics, start);
  if (options_.method == "bdf" || options_.method == "mebdf")
    return std::make_unique<BdfStepper>(*system_, jacobian(start), options_.method == "mebdf",
                                        options_, atol_, statistics);
  return std::make_unique<ImplicitStepper>(*system_, jacobian(start), options_, atol_, statistics);
}

namespace {

/// What Rosenbrock methods rely on.
bool has_exact_linearisation(const System& system) {
  return system.constant_mass &&
         (system.own_jacobian || (system.differentiable && system.time_differentiable));
}

/// As far as two points tell.
bool is_linear(Jacobian& jacobian, const State& start, const std::vector<double>& scale,
               double other_time) {
  constexpr double rounding = 1e-12;
  Pencil here = jacobian.make_pencil(), there = jacobian.make_pencil();
  std::vector<double> y = start.y;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += scale[i] / (1.0 + static_cast<double>(i % 3));
  if (!jacobian.evaluate(start.t, start.y.data(), start.yp.data(), here) ||
      !jacobian.evaluate(other_time, y.data(), start.yp.data(), there))
    return false;
  return std::equal(here.a.begin(), here.a.end(), there.a.begin(),
                    [](double a, double b) { return std::abs(a - b) <= rounding * std::abs(a); });
}

}  // namespace

void Integrator::Run::avoid_dear_factors(const State& start) {
  if (!chooses_) return;
  const bool smooth = options_.events.empty() && !system_->switching;
  if (jacobian(start).storage() == Storage::dense) {
    // Complex dense factors cost four times what real ones do, and those of bdf serve many steps:
    // with 160 unknowns it takes a third of the time, with 50 it is slower.
    constexpr int many = 80;
    const auto& index = system_->variable_index;
    if (system_->size >= many && smooth && *std::max_element(index.begin(), index.end()) <= 2)
      options_.method = "bdf";
    return;
  }
  if (!system_->is_index_one()) return;
  // Fields excite so many frequencies that five and seven stages, with their complex matrices, were
  // not found to pay before the sharpest tolerances. Of lines with few unknowns they cost little,
  // and many steps of low order add up: waves that run to and fro were off by 100 rtol.
  constexpr int enough_stages = 3, few_unknowns = 200;
  constexpr double sharp = 1e-9;
  if (options_.rtol > sharp && (system_->size > few_unknowns || !smooth))
    options_.max_stages = enough_stages;
  // Backward differentiation has one real matrix for many steps, and its solutions may be found by
  // iterations. Crude digits of many unknowns are cheap by it if no events make it begin anew.
  constexpr double crude = 1e-3;
  const bool dear = jacobian_->factors_are_dear();
  // Complex sparse factors cost several times what real ones do, by fronts above all. Where they
  // are most of a step, as those of grids in the plane are, a real one for each step costs least,
  // down to tolerances that ask for a higher order: bench sparse, foodweb_24x24 and heat_32x32.
  // Amplifiers, where little is linear, would take four times as many steps, so that only linear
  // systems do so with less than that: a fifth of the time of heat2d_10.
  constexpr double many_operations = 60, some_operations = 10, sharp_for_order_5 = 0.99e-8;
  const double operations = jacobian_->operations();
  const double other_time = std::midpoint(problem_.t_span.begin, problem_.t_span.end);
  if (!dear && smooth && jacobian_->storage() == Storage::sparse && operations > some_operations &&
      options_.rtol > sharp_for_order_5 && has_exact_linearisation(*system_) &&
      (operations > many_operations || is_linear(*jacobian_, start, scale_, other_time))) {
    options_.method = "rodas_5p";
    return;
  }
  if (!dear && (options_.rtol < crude || !smooth || system_->size <= few_unknowns)) return;
  options_.method = "bdf";
  if (dear && options_.linear_algebra == LinearAlgebra::automatic) jacobian_->iterate(true);
}

void Integrator::Run::prepare_implicit(const State& start) {
  const int n = system_->size;
  avoid_dear_factors(start);
  stepper_ = make_stepper(start);
  if (system_->project_steps && can_be_projected(*system_, n))
    step_projection_ =
        std::make_unique<StepProjection>(system_, scale_, part_left_by_projection * options_.rtol);
  projects_output_ = options_.project_output;
  mesh_points_need_none_ =
      !projects_output_ || (system_->is_index_one() && !system_->project_steps);
  // An index that shows at the start only changes what steps count, not what output satisfies.
  if (projects_output_ && system_->own_jacobian) projection();
  if (options_.dense) use_refined_output();
  if (options_.record) singularities_ = SingularityMonitor::make(problem_, system_->modes);
  stepper_->start(start, 0);
}

void Integrator::Run::prepare_manifold(const State& start) {
  const bool by_products = explicit_ && explicit_->by_products;
  field_ = make_projected_field(problem_, system_->modes,
                                by_products ? Solves::by_products : Solves::by_factors);
  watch_constraints();
  if (explicit_) {
    stepper_ = std::make_unique<ExplicitStepper>(field_, *explicit_, options_, atol_,
                                                 solution_.statistics);
  } else if (extrapolated_) {
    stepper_ = std::make_unique<HalfExplicitExtrapolation>(field_, *extrapolated_, options_, atol_,
                                                           solution_.statistics);
  } else {
    auto stepper =
        std::make_unique<ManifoldStepper>(field_, start, options_, atol_, solution_.statistics);
    implicit_on_manifold_ = stepper.get();
    stepper_ = std::move(stepper);
  }
  stepper_->place(start);
}

}  // namespace daedalus
