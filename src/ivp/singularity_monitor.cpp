#include "ivp/singularity_monitor.h"

#include <variant>

#include "analysis/signature.h"
#include "daedalus/error.h"
#include "expression/equation_set.h"

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

}  // namespace

std::unique_ptr<SingularityMonitor> SingularityMonitor::make(
    const Problem& problem, std::shared_ptr<const std::vector<double>> modes) {
  if (!may_have_constraints(problem)) return nullptr;
  try {
    auto field = make_projected_field(problem, std::move(modes), Solves::by_factors);
    if (field->algebraic == 0) return nullptr;
    return std::unique_ptr<SingularityMonitor>(new SingularityMonitor(std::move(field)));
  } catch (const InvalidInput&) {
    return nullptr;
  }
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
