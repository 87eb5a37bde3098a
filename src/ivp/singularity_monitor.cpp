#include "ivp/singularity_monitor.h"

#include <variant>

#include "analysis/signature.h"
#include "daedalus/error.h"
#include "expression/equation_set.h"
#include "problem/findings.h"

namespace daedalus {
namespace {

constexpr int most_unknowns = 120;  // matrices of the constraints are dense

bool may_have_constraints(const Problem& problem) {
  if (const auto* form = std::get_if<Mechanical>(&problem.form))
    return form->holonomic + form->nonholonomic > 0 && 2 * form->coordinates <= most_unknowns;
  if (const auto* form = std::get_if<HessenbergIndex2>(&problem.form))
    return form->differential <= most_unknowns;
  const auto* form = std::get_if<ExpressionGraph>(&problem.form);
  if (!form || !form->equations || form->equations->rows() != form->size ||
      form->size > most_unknowns)
    return false;
  const StructuralAnalysis structure =
      analyze_structure(signature_of(*form->equations, form->size));
  return structure.regular && (structure.index == 2 || structure.index == 3);
}

/// Null where there are no constraints, or no field of them.
std::unique_ptr<ProjectedField> field_of_constraints(
    const Problem& problem, std::shared_ptr<const std::vector<double>> modes) {
  if (!may_have_constraints(problem)) return nullptr;
  try {
    auto field = make_projected_field(problem, std::move(modes), Solves::by_factors);
    return field->algebraic == 0 ? nullptr : std::move(field);
  } catch (const InvalidInput&) {
    return nullptr;
  }
}

/// A graph that has none: finding that out takes as long as many steps of a small model.
struct NoFieldFinding {
  std::shared_ptr<const EquationSet> equations;
  Interval t_span;
  Vector start;

  bool fits(const Problem& problem, const ExpressionGraph& form) const {
    return equations == form.equations && t_span.begin == problem.t_span.begin &&
           t_span.end == problem.t_span.end && same_bits(start, problem.start.vector());
  }
};

}  // namespace

std::unique_ptr<SingularityMonitor> SingularityMonitor::make(
    const Problem& problem, std::shared_ptr<const std::vector<double>> modes) {
  // Discrete values are those of one run.
  const bool has_modes = modes && !modes->empty();
  const auto* form = has_modes ? nullptr : std::get_if<ExpressionGraph>(&problem.form);
  Findings::Store* const store = form ? problem.findings.store() : nullptr;
  if (store && store->find<NoFieldFinding>(
                   [&](const NoFieldFinding& known) { return known.fits(problem, *form); }))
    return nullptr;
  if (auto field = field_of_constraints(problem, std::move(modes)))
    return std::unique_ptr<SingularityMonitor>(new SingularityMonitor(std::move(field)));
  if (store)
    store->keep(std::make_shared<const NoFieldFinding>(
        NoFieldFinding{form->equations, problem.t_span, problem.start}));
  return nullptr;
}

SingularityMonitor::SingularityMonitor(std::unique_ptr<ProjectedField> field)
    : field_(std::move(field)),
      x_(static_cast<std::size_t>(field_->differential)),
      slope_(x_.size()),
      multipliers_(static_cast<std::size_t>(field_->algebraic)) {}

bool SingularityMonitor::evaluate(const State& state) {
  field_->gather(state.y.data(), x_.data());
  for (int k = 0; k < field_->algebraic; ++k)
    multipliers_[k] = state.y[field_->place(field_->differential + k)];
  field_->guess_multipliers(multipliers_.data());
  return field_->slope(state.t, x_.data(), slope_.data());
}

void SingularityMonitor::start(const State& state) {
  field_->gather(state.y.data(), x_.data());
  field_->begin(state.t, x_.data());
  started_ = evaluate(state);
  t_ = state.t;
  if (started_) watch_.start(*field_);
}

std::optional<Stepper::Crossing> SingularityMonitor::passed(const State& state) {
  if (!started_) {
    start(state);
    return {};
  }
  if (!evaluate(state)) return {};
  watch_.look(*field_, false);
  const auto crossing = watch_.passed(t_, state.t);
  watch_.accept(*field_);
  t_ = state.t;
  return crossing;
}

std::optional<Stepper::Crossing> SingularityMonitor::nearby() const {
  if (!started_ || !(field_->health() < ConstraintMatrix::in_sight)) return {};
  const double since = field_->since_singular();
  return Stepper::Crossing{std::isfinite(since) ? t_ - since : t_, field_->health()};
}

}  // namespace daedalus
