// Method "auto". Constrained motions are made by explicit steps on the manifold of the constraints,
// which need fewer steps and no Newton iteration, and pass singular points. Where implicit steps
// cannot take turns later, some steps made ahead tell whether the problem is stiff.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/signature.h"
#include "expression/equation_set.h"
#include "formulation/recorded_problem.h"
#include "formulation/stabilised_motion.h"
#include "ivp/run.h"
#include "problem/findings.h"
#include "problem/same_problem.h"

namespace daedalus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A transient may have to pass before stability limits the steps: so many at least, and so much of
// the interval, which is little beside the run itself.
constexpr int steps_ahead = 40, most_steps_ahead = 2000;
constexpr double part_ahead = 0.02;
// Where stability asks for no more steps than this there is nothing to see.
constexpr double few_steps = 200;
constexpr int most_coordinates = 60;  // where matrices of the constraints are dense
constexpr int most_variables = 100'000;
// Implicit steps for sparse systems cost thirty times as much or more.
constexpr double many_steps = 20'000;
// Implicit turns have dense matrices.
constexpr int most_that_take_turns = 400;
// Of ordinary differential equations: from here on steps with matrices cost more than explicit
// ones, and up to there implicit turns are not dear, should they become stiff.
constexpr int least_without_constraints = 16, most_without_constraints = 100;

/// What only implicit methods know was not asked for.
bool leaves_the_choice(const Options& options, LinearAlgebra linear_algebra) {
  static const Options defaults;
  return (options.formulation == Formulation::automatic ||
          options.formulation == Formulation::projected) &&
         options.fixed_step == 0 && options.min_stages == defaults.min_stages &&
         options.max_stages == defaults.max_stages &&
         options.algebraic_update == AlgebraicUpdate::automatic &&
         linear_algebra == LinearAlgebra::automatic;
}

/// What the structure of a graph promises.
struct ManifoldFinding {
  std::shared_ptr<const EquationSet> equations;
  bool suits_explicit_steps;

  explicit ManifoldFinding(const ExpressionGraph& form) : equations(form.equations) {
    const StructuralAnalysis structure =
        analyze_structure(signature_of(*form.equations, form.size));
    const bool is_motion = structure.index == 3;
    const bool is_small = form.size <= most_recorded_of_index_2;
    const int rates = rated_variables(form);
    suits_explicit_steps =
        structure.regular &&
        (is_motion ||
         (structure.index == 2 && (is_small || look_stabilised(*form.equations, structure))) ||
         (structure.index <= 1 && rates >= least_without_constraints &&
          rates <= most_without_constraints));
  }

 private:
  static int rated_variables(const ExpressionGraph& form) {
    std::vector<char> has_rate(static_cast<std::size_t>(form.size), 0);
    for (const Kernel& kernel : form.equations->kernels())
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
        if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order > 0)
          for (const int j : kernel.which[l]) has_rate[static_cast<std::size_t>(j)] = 1;
    return static_cast<int>(std::count(has_rate.begin(), has_rate.end(), 1));
  }
};

bool may_suit_explicit_steps(const Problem& problem) {
  if (!problem.variable_index.empty()) return false;
  if (const auto* form = std::get_if<Mechanical>(&problem.form))
    return form->holonomic + form->nonholonomic > 0 &&
           (form->coordinates <= most_coordinates || form->constraint.is_recordable());
  const auto* form = std::get_if<ExpressionGraph>(&problem.form);
  if (!form || !form->equations || form->equations->rows() != form->size || form->switching ||
      form->size > most_variables)
    return false;
  return found_or_made<ManifoldFinding>(
             problem.findings,
             [&](const ManifoldFinding& known) { return known.equations == form->equations; },
             [&] { return std::make_shared<ManifoldFinding>(*form); })
      ->suits_explicit_steps;
}

/// What explicit methods cannot take, whatever the options are, and why: a graph, or functions
/// whose record told. Making a field of it, to find that out, takes longer than many a run of a
/// small system. Functions that do something else meanwhile are taken by implicit methods all the
/// same.
struct UnfitFinding {
  Problem statement;  ///< without its findings
  std::string_view why;

  UnfitFinding(const Problem& problem, std::string_view reason) : statement(problem), why(reason) {
    statement.findings = Findings::none();
  }
  /// What is taken for states may depend on the start.
  bool fits(const Problem& problem) const {
    return statement.t_span.begin == problem.t_span.begin &&
           statement.t_span.end == problem.t_span.end &&
           same_bits(statement.start.vector(), problem.start.vector()) &&
           has_same_equations(statement, problem);
  }
};

std::shared_ptr<const UnfitFinding> known_as_unfit(const Problem& problem) {
  Findings::Store* const store = problem.findings.store();
  return store ? store->find<UnfitFinding>(
                     [&](const UnfitFinding& known) { return known.fits(problem); })
               : nullptr;
}

void keep_as_unfit(const Problem& problem, std::string_view why) {
  if (Findings::Store* const store = problem.findings.store())
    store->keep(std::make_shared<const UnfitFinding>(problem, why));
}

}  // namespace

/// The norm of dF/dx by the power method, which takes less than one step. Motions
/// double back, x' = v, v' = -w^2 x: two steps of it count together.
double Integrator::Run::fastest_rate(ProjectedField& field, const State& at) {
  constexpr int iterations = 8;
  constexpr double small = 1e-7;
  Vector x(field.differential), moved(x), slope(x), direction(x);
  field.gather(at.y.data(), x.data());
  if (!field.slope(at.t, x.data(), slope.data())) return infinity;
  for (int i = 0; i < x.size(); ++i) direction[i] = std::sin(7.0 * (i + 1));
  const double eps = small * (1 + x.norm());
  double before = 0, fastest = 0;
  for (int k = 0; k < iterations; ++k) {
    moved = x + (eps / direction.norm()) * direction;
    if (!field.slope(at.t, moved.data(), direction.data())) return infinity;
    direction -= slope;
    const double rate = direction.norm() / eps;
    if (!(rate > 0)) return fastest;
    if (k > 1) fastest = std::max(fastest, std::sqrt(rate * before));
    before = rate;
  }
  return fastest;
}

bool Integrator::Run::may_take_turns() const {
  return field_->differential <= most_that_take_turns;
}

/// Steps with matrices were found to cost as much as a third to all of so many explicit ones as
/// there are unknowns (`bench`, stars in a plane and lines of cells), and to be as long as several.
bool Integrator::Run::stability_asks_little() const {
  const double span = std::abs(problem_.t_span.end - problem_.t_span.begin);
  const std::shared_ptr<ProjectedField> field = field_->for_output();
  return fastest_rate(*field, stepper_->state()) * span <
         field->differential * explicit_->stability;
}

/// Motions begin with explicit steps in any case: turns to one real matrix come soon enough.
bool Integrator::Run::shows_stiffness() const {
  if (may_take_turns() && field_->is_motion()) return false;
  Statistics unseen;
  const std::shared_ptr<ProjectedField> field = field_->for_output();
  const double span = std::abs(problem_.t_span.end - problem_.t_span.begin);
  if (fastest_rate(*field, stepper_->state()) * span < few_steps * explicit_->stability)
    return false;
  ExplicitStepper ahead(field, *explicit_, options_, atol_, unseen);
  ahead.start(stepper_->state(), stepper_->next_step());
  const auto [begin, end] = problem_.t_span;
  const auto seen_enough = [&](int steps) {
    return steps >= steps_ahead && std::abs(ahead.state().t - begin) >= part_ahead * span;
  };
  for (int k = 0; k < most_steps_ahead && !seen_enough(k); ++k) {
    if (!ahead.attempt(end)) return true;
    if (ahead.is_stiff()) return !field->is_sparse() || span > many_steps * std::abs(ahead.step());
    ahead.commit();
    if (ahead.reached_limit()) return false;
  }
  return false;
}

/// Explicit steps on the manifold of the constraints; nothing where they do not suit, and why.
std::unique_ptr<Integrator::Run> Integrator::Run::make_explicit(const Problem& problem,
                                                                const Options& options,
                                                                bool at_start, Refusal& refusal) {
  std::string_view& why = refusal.why;
  why = problem.bounds.empty() ? "no motion on constraints of moderate size"
                               : "bounds are kept by implicit steps";
  if (!problem.bounds.empty() || !may_suit_explicit_steps(problem)) return nullptr;
  Options chosen = options;
  chosen.method = "dop853";
  try {
    auto run = again(problem, chosen, chosen.method, false);
    if (!run) run = std::make_unique<Run>(problem, chosen, true);
    refusal.is_lasting = true;
    const bool is_free = run->field_->algebraic == 0;
    if (is_free && run->field_->differential < least_without_constraints) {
      why = "no constraints are left";
    } else if (is_free && !run->over_ && !run->stability_asks_little()) {
      why = "explicit steps would be short for the sake of stability";
    } else if (run->over_) {
      why = "the start was not found by an explicit method";
      refusal.is_lasting = false;
    } else if (!run->stepper_->can_begin()) {
      why = "masses alone determine no accelerations";
    } else if (!is_free && !run->field_->is_sparse() &&
               run->field_->differential >
                   (run->field_->is_motion() ? 2 * most_coordinates : most_recorded_of_index_2)) {
      why = "the constraints are many";
    } else if (!run->field_->is_affine()) {
      why = "multipliers enter nonlinearly";  // several may satisfy the equations
    } else if (!is_free && run->shows_stiffness()) {
      why = "stiff in its first steps";
      refusal.is_lasting = false;
    } else {
      if (!at_start) run = std::make_unique<Run>(problem, chosen, false);
      run->solution_.choice =
          chosen.method + (is_free ? ": explicit while it is not stiff"
                                   : ": on constraints, explicit while it is not stiff");
      run->takes_turns_ = run->may_take_turns();
      return run;
    }
  } catch (const InvalidInput&) {
    // Another form, or something that the other method will complain of as well.
    refusal.is_lasting = true;
  }
  return nullptr;
}

std::unique_ptr<Integrator::Run> Integrator::Run::make(const Problem& problem,
                                                       const Options& options, bool at_start) {
  if (options.method != "auto") {
    auto run = at_start ? again(problem, options, options.method, false) : nullptr;
    return run ? std::move(run) : std::make_unique<Run>(problem, options, at_start);
  }
  Refusal refusal = {"options of implicit methods are given"};
  std::string_view& why = refusal.why;
  std::optional<Problem> graph;
  std::shared_ptr<const UnfitFinding> unfit;
  if (leaves_the_choice(options, options.linear_algebra)) {
    if (const std::string_view reason = reason_not_to_record(problem); !reason.empty()) {
      why = reason;
    } else {
      // A reset may change what functions hold, and a record would not see it.
      const bool is_lasting = std::none_of(options.events.begin(), options.events.end(),
                                           [](const Event& event) { return bool(event.reset); });
      const bool is_graph = std::holds_alternative<ExpressionGraph>(problem.form);
      if (is_lasting || is_graph) unfit = known_as_unfit(problem);
      if (is_lasting && !unfit) graph = recorded_if_of_higher_index(problem);
      if (unfit) {
        why = unfit->why;
      } else if (auto run = make_explicit(graph ? *graph : problem, options, at_start, refusal)) {
        if (graph) run->solution_.choice += "; the functions were recorded";
        return run;
      }
    }
  }
  // One real matrix is worth more than order where its factors are most of the work.
  const bool free = leaves_the_choice(options, options.linear_algebra == LinearAlgebra::sparse
                                                   ? LinearAlgebra::automatic
                                                   : options.linear_algebra);
  auto run = at_start ? again(problem, options, "radau", free) : nullptr;
  if (!run) {
    Options chosen = options;
    chosen.method = "radau";
    run = std::make_unique<Run>(problem, std::move(chosen), at_start, free);
  }
  // Nothing was wrong with the options then.
  if (refusal.is_lasting && (graph || std::holds_alternative<ExpressionGraph>(problem.form)))
    keep_as_unfit(problem, why);
  if (!run->solution_.choice.empty()) return run;
  if (run->options_.method == "rodas_5p")
    why = "one real sparse matrix for each step";
  else if (run->options_.method == "bdf")
    why =
        run->jacobian_->storage() == Storage::sparse || run->jacobian_->storage() == Storage::banded
            ? (run->jacobian_->factors_are_dear() ? "factors take most of the time"
                                                  : "a large system and a crude tolerance")
            : "factors would take most of the time";
  run->solution_.choice.reserve(run->options_.method.size() + 2 + why.size());
  run->solution_.choice.append(run->options_.method).append(": ").append(why);
  return run;
}

}  // namespace daedalus
