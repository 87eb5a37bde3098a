#include "formulation/prepared_graph.h"

#include "expression/source_rate.h"
#include "formulation/combined_problem.h"
#include "formulation/lean_problem.h"
#include "problem/findings.h"

namespace daedalus {
namespace {

bool equal(const ExpressionGraph& a, const ExpressionGraph& b) {
  return a.size == b.size && a.visible == b.visible && a.equations == b.equations &&
         a.initial_equations == b.initial_equations && a.discrete == b.discrete &&
         a.switching == b.switching && a.stated == b.stated && a.variables == b.variables &&
         a.equation_names == b.equation_names && a.initial_names == b.initial_names;
}

/// Where what is made of a problem depends on nothing that cannot be compared.
bool can_be_kept(const Problem& problem) {
  return std::holds_alternative<ExpressionGraph>(problem.form) && !problem.sparsity &&
         !problem.jacobian.right_hand_side && !problem.jacobian.residual &&
         problem.variable_index.empty();
}

struct GraphFinding {
  Problem given;
  bool on_manifold, combine;
  std::shared_ptr<const PreparedGraph> result;

  bool fits(const Problem& problem, bool manifold, bool combined) const {
    return on_manifold == manifold && combine == combined &&
           equal(std::get<ExpressionGraph>(given.form), std::get<ExpressionGraph>(problem.form)) &&
           given.t_span.begin == problem.t_span.begin &&
           same_bits(given.start.vector(), problem.start.vector()) &&
           same_bits(given.start_derivative.vector(), problem.start_derivative.vector()) &&
           given.variables == problem.variables && given.equations == problem.equations &&
           given.fixed == problem.fixed;
  }
};

std::shared_ptr<const PreparedGraph> new_prepared(const Problem& problem, bool on_manifold,
                                                  bool combine) {
  auto result = std::make_shared<PreparedGraph>();
  if (const auto& given = std::get<ExpressionGraph>(problem.form).equations)
    result->fastest_source = fastest_source(*given);
  LeanProblem lean = lean_problem(problem, on_manifold);
  result->problem = std::move(lean.problem), result->expansion = std::move(lean.expansion);
  if (combine) {
    CombinedProblem combined = combined_problem(result->problem);
    result->problem = std::move(combined.problem), result->note = std::move(combined.note);
  }
  // What is kept must not keep the findings it lies in.
  result->problem.findings = Findings::none();
  return result;
}

}  // namespace

std::shared_ptr<const PreparedGraph> prepared_graph(const Problem& problem, bool on_manifold,
                                                    bool combine) {
  if (!can_be_kept(problem)) return new_prepared(problem, on_manifold, combine);
  return found_or_made<GraphFinding>(
             problem.findings,
             [&](const GraphFinding& known) { return known.fits(problem, on_manifold, combine); },
             [&] {
               auto made = std::make_shared<GraphFinding>(GraphFinding{
                   problem, on_manifold, combine, new_prepared(problem, on_manifold, combine)});
               made->given.findings = Findings::none();
               return made;
             })
      ->result;
}

}  // namespace daedalus
