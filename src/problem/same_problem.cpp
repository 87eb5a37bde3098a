#include "problem/same_problem.h"

#include <algorithm>

#include "problem/findings.h"

namespace daedalus {
namespace {

bool is_same(const FullyImplicit& a, const FullyImplicit& b) {
  return a.size == b.size && a.residual.is_same_as(b.residual);
}
bool is_same(const LinearlyImplicit& a, const LinearlyImplicit& b) {
  return a.size == b.size && a.f.is_same_as(b.f) && a.mass.is_same_as(b.mass);
}
bool is_same(const SemiExplicit& a, const SemiExplicit& b) {
  return a.differential == b.differential && a.algebraic == b.algebraic && a.f.is_same_as(b.f) &&
         a.g.is_same_as(b.g);
}
bool is_same(const HessenbergIndex2& a, const HessenbergIndex2& b) {
  return a.differential == b.differential && a.algebraic == b.algebraic && a.f.is_same_as(b.f) &&
         a.g.is_same_as(b.g);
}
bool is_same(const HessenbergIndex3& a, const HessenbergIndex3& b) {
  return a.position == b.position && a.velocity == b.velocity && a.algebraic == b.algebraic &&
         a.f.is_same_as(b.f) && a.k.is_same_as(b.k) && a.g.is_same_as(b.g);
}
bool is_same(const Mechanical& a, const Mechanical& b) {
  return a.coordinates == b.coordinates && a.holonomic == b.holonomic &&
         a.nonholonomic == b.nonholonomic && a.force.is_same_as(b.force) &&
         a.constraint.is_same_as(b.constraint) &&
         a.velocity_constraint.is_same_as(b.velocity_constraint) && a.mass.is_same_as(b.mass);
}
bool is_same(const HigherOrder& a, const HigherOrder& b) {
  return a.order == b.order && a.size == b.size && a.algebraic == b.algebraic &&
         a.index == b.index && a.f.is_same_as(b.f) && a.g.is_same_as(b.g);
}
bool is_same(const SingularlyPerturbed& a, const SingularlyPerturbed& b) {
  return a.slow == b.slow && a.fast == b.fast && a.epsilon == b.epsilon && a.f.is_same_as(b.f) &&
         a.g.is_same_as(b.g);
}
bool is_same(const ExpressionGraph& a, const ExpressionGraph& b) {
  return a.size == b.size && a.visible == b.visible && a.equations == b.equations &&
         a.initial_equations == b.initial_equations && a.initial_names == b.initial_names &&
         a.variables == b.variables && a.equation_names == b.equation_names &&
         a.stated == b.stated && a.discrete == b.discrete && a.switching == b.switching;
}

bool is_same_form(const Form& a, const Form& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& form) {
               return is_same(form, *std::get_if<std::decay_t<decltype(form)>>(&b));
             },
             a);
}

bool is_given(const UserJacobian& jacobian) {
  return jacobian.right_hand_side || jacobian.residual;
}

}  // namespace

bool Mass::is_same_as(const Mass& other) const {
  const auto same_entry = [](const Entry& a, const Entry& b) {
    return a.row == b.row && a.column == b.column && a.value == b.value;
  };
  if (constant_.has_value() != other.constant_.has_value() ||
      entries_.has_value() != other.entries_.has_value() ||
      diagonal_size_ != other.diagonal_size_ || !function_.is_same_as(other.function_))
    return false;
  if (entries_ && !std::equal(entries_->begin(), entries_->end(), other.entries_->begin(),
                              other.entries_->end(), same_entry))
    return false;
  return !constant_ ||
         (constant_->rows() == other.constant_->rows() &&
          constant_->cols() == other.constant_->cols() && same_bits(*constant_, *other.constant_));
}

// Each names all members, so that none can be added without a thought of this.
bool has_same_equations(const Problem& a, const Problem& b) {
  const auto& [form, t_span, start, variables, equations, fixed, bounds, start_derivative,
               variable_index, sparsity, jacobian, findings] = a;
  return is_same_form(form, b.form) && variables == b.variables && equations == b.equations &&
         fixed == b.fixed && bounds == b.bounds && variable_index == b.variable_index &&
         sparsity == b.sparsity && !is_given(jacobian) && !is_given(b.jacobian);
}

bool are_same_options(const Options& a, const Options& b) {
  const auto& [method, formulation, baumgarte_rate, branch, rtol, atol, at, points, dense,
               project_output, record, fixed_step, first_step, max_step, max_steps, time_limit,
               min_stages, max_stages, max_order, algebraic_update, linear_algebra, evaluation,
               events, progress, interrupt] = a;
  return rtol == b.rtol && same_bits(atol.vector(), b.atol.vector()) && at == b.at &&
         points == b.points && dense == b.dense && record == b.record &&
         project_output == b.project_output && formulation == b.formulation &&
         baumgarte_rate == b.baumgarte_rate && branch == b.branch && fixed_step == b.fixed_step &&
         first_step == b.first_step && max_step == b.max_step && max_steps == b.max_steps &&
         time_limit == b.time_limit && min_stages == b.min_stages && max_stages == b.max_stages &&
         max_order == b.max_order && algebraic_update == b.algebraic_update &&
         linear_algebra == b.linear_algebra && evaluation == b.evaluation && events.empty() &&
         b.events.empty() && !progress && !b.progress && interrupt == b.interrupt;
}

}  // namespace daedalus
