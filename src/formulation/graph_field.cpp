#include "formulation/graph_field.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulation/constrained_motion.h"
#include "formulation/graph_index2.h"
#include "formulation/graph_motion.h"
#include "formulation/index2_field.h"
#include "formulation/sparse_motion.h"
#include "formulation/stabilised_motion.h"
#include "problem/findings.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

constexpr int most_coordinates = 400, most_of_index_2 = 400;  // of dense matrices

/// der(y) = f(t, y), each derivative in an equation of its own.
class GraphSlopes final : public ProjectedField {
 public:
  GraphSlopes(const ExpressionGraph& form, const StructuralAnalysis& structure,
              std::shared_ptr<const std::vector<double>> modes) {
    differential = form.size;
    const int discrete = modes ? static_cast<int>(modes->size()) : 0;
    const Names names(static_cast<std::size_t>(discrete));
    RowExpressions rows(*form.equations, form.variables, names);
    Graph& graph = rows.graph;
    rows.time();
    for (int j = 0; j < form.size; ++j) rows.variable(j, 0);
    for (int k = 0; k < discrete; ++k) rows.discrete(k);
    for (int j = 0; j < form.size; ++j) rows.variable(j, 1);
    std::vector<NodeId> slopes(static_cast<std::size_t>(form.size), -1);
    for (int row = 0; row < form.size; ++row) {
      const NodeId residual = rows.residual(row);
      const int j = structure.match[row];
      int derivatives = 0;
      for (const auto& [variable, order] : rows.occurring(residual)) derivatives += order;
      const NodeId factor = gradient(graph, residual, {1 + form.size + discrete + j})[0];
      bool linear = derivatives == 1;
      for (const auto& [variable, order] : rows.occurring(factor)) linear = linear && order == 0;
      require(linear,
              "explicit methods need each derivative of a model in an equation of its "
              "own; equation \"{}\" is different; use radau for this model",
              form.equation_names[row]);
      const NodeId rest = rows.substituted(residual, {{{j, 1}, graph.constant(0)}});
      slopes[static_cast<std::size_t>(j)] = graph.div(graph.neg(rest), factor);
    }
    tape_ = GraphTape(rows, form.size, slopes, std::move(modes));
  }

  bool slope(double t, const double* x, double* xp) override {
    tape_(t, x, differential, nullptr, xp);
    double sum = 0;
    for (int i = 0; i < differential; ++i) sum += xp[i];
    return std::isfinite(sum);
  }
  std::unique_ptr<ProjectedField> copy() const override {
    return std::make_unique<GraphSlopes>(*this);
  }

 private:
  GraphTape tape_;
};

Names picked(const Names& list, const std::vector<int>& which) {
  Names result;
  for (const int k : which) result.push_back(list[static_cast<std::size_t>(k)]);
  return result;
}

/// Where and when the equations of a field are looked at first.
struct FieldStart {
  Interval t_span;
  std::shared_ptr<const Vector> y;
};

std::unique_ptr<ProjectedField> motion_field(const ExpressionGraph& form,
                                             const StructuralAnalysis& structure,
                                             const FieldStart& start,
                                             std::shared_ptr<const std::vector<double>> modes,
                                             Solves solves) {
  const int discrete = modes ? static_cast<int>(modes->size()) : 0;
  RecognisedMotion found(form, structure, discrete);
  const bool by_factors = solves == Solves::by_factors;
  const auto dense_equations = [start, modes, by_factors](RecognisedMotion& motion) {
    const bool is_small = motion.coordinates() <= StraightMotion::most_coordinates;
    return std::make_shared<GraphMotion>(motion, start.t_span.begin, start.y->data(), modes,
                                         by_factors && is_small);
  };
  const auto dense_field = [solves](const ExpressionGraph& graph, const RecognisedMotion& motion,
                                    std::shared_ptr<GraphMotion> equations) {
    auto field = std::make_unique<ConstrainedMotion>(std::move(equations), solves);
    field->places = motion.places();
    field->constraint_names = picked(graph.equation_names, motion.constraint_rows);
    return field;
  };
  if (by_factors && found.coordinates() <= StraightMotion::most_coordinates)
    if (auto equations = dense_equations(found); equations->straight())
      return dense_field(form, found, std::move(equations));
  if (by_factors) {
    SparseMotion::Dense dense;
    if (found.coordinates() <= SparseMotion::most_dense_coordinates)
      dense = [form, structure, discrete, dense_field, dense_equations]() {
        RecognisedMotion again(form, structure, discrete);
        return dense_field(form, again, dense_equations(again));
      };
    if (auto field = SparseMotion::make(found, start.t_span.begin, start.y->data(), modes,
                                        std::move(dense))) {
      field->constraint_names = picked(form.equation_names, found.constraint_rows);
      return field;
    }
    if (found.coordinates() > most_coordinates)
      refuse_motion(
          fmt::format("its {} coordinates are too many for dense matrices, and its "
                      "matrices are not sparse",
                      found.coordinates()));
  }
  return dense_field(form, found, dense_equations(found));
}

StructuralAnalysis regular_structure(const ExpressionGraph& form) {
  StructuralAnalysis structure = analyze_structure(signature_of(*form.equations, form.size));
  require(structure.regular, "the model is structurally singular; see `daedalus analyze`");
  return structure;
}

/// Null: no motion that holds its constraints twice.
std::unique_ptr<ProjectedField> unstabilised_field(
    const ExpressionGraph& form, const StructuralAnalysis& structure, const FieldStart& start,
    const std::shared_ptr<const std::vector<double>>& modes, Solves solves) {
  const auto motion = without_stabilisation(form, structure, start.t_span, *start.y, modes);
  if (!motion) return nullptr;
  const auto picked_start = std::make_shared<Vector>((*start.y)(motion->variables));
  try {
    auto field = motion_field(motion->form, regular_structure(motion->form),
                              {start.t_span, picked_start}, modes, solves);
    for (int& place : field->places) place = motion->variables[static_cast<std::size_t>(place)];
    field->vanishing = motion->vanishing;
    return field;
  } catch (const InvalidInput&) {
    if (form.size > most_of_index_2) throw;
    return nullptr;  // more than a motion
  }
}

std::unique_ptr<ProjectedField> new_graph_field(const Problem& problem,
                                                const ExpressionGraph& given,
                                                std::shared_ptr<const std::vector<double>> modes,
                                                Solves solves) {
  ExpressionGraph form = given;
  if (form.variables.empty()) append_numbered(form.variables, "y", form.size);
  if (form.equation_names.empty()) append_numbered(form.equation_names, "equation ", form.size);
  const StructuralAnalysis structure = regular_structure(form);
  if (structure.index == 0) return std::make_unique<GraphSlopes>(form, structure, std::move(modes));
  auto y = std::make_shared<Vector>(Vector::Zero(form.size));
  const Vector& given_start = problem.start;
  y->head(given_start.size()) = given_start;
  const FieldStart start{problem.t_span, std::move(y)};
  const int highest =
      *std::max_element(structure.variable_offset.begin(), structure.variable_offset.end());
  if (highest > 1) return motion_field(form, structure, start, std::move(modes), solves);
  if (auto field = unstabilised_field(form, structure, start, modes, solves)) return field;
  require(
      form.size <= most_of_index_2,
      "explicit methods have dense matrices for models of index 2, and {} variables are too many "
      "for these; use radau for this model",
      form.size);
  auto equations = std::make_shared<GraphIndex2>(form, structure, std::move(modes));
  const std::vector<int> places = equations->places();
  const Names names = picked(form.equation_names, equations->constraint_rows());
  auto field = std::make_unique<Index2Field>(std::move(equations), solves);
  field->places = places, field->constraint_names = names;
  return field;
}

/// A field before its begin, and what it was made of.
struct GraphFieldFinding {
  std::shared_ptr<const EquationSet> equations;
  Names equation_names;
  Interval t_span;
  Vector start;
  Solves solves;
  std::shared_ptr<const ProjectedField> field;

  bool fits(const Problem& problem, const ExpressionGraph& form, Solves wish) const {
    return equations == form.equations && equation_names == form.equation_names &&
           t_span.begin == problem.t_span.begin && t_span.end == problem.t_span.end &&
           solves == wish && same_bits(start, problem.start.vector());
  }
};

}  // namespace

std::unique_ptr<ProjectedField> make_graph_field(const Problem& problem,
                                                 const ExpressionGraph& form,
                                                 std::shared_ptr<const std::vector<double>> modes,
                                                 Solves solves) {
  // Discrete values are those of one run.
  if (modes && !modes->empty()) return new_graph_field(problem, form, std::move(modes), solves);
  const auto found = found_or_made<GraphFieldFinding>(
      problem.findings,
      [&](const GraphFieldFinding& known) { return known.fits(problem, form, solves); },
      [&] {
        return std::make_shared<GraphFieldFinding>(
            GraphFieldFinding{form.equations, form.equation_names, problem.t_span, problem.start,
                              solves, new_graph_field(problem, form, std::move(modes), solves)});
      });
  return found->field->copy();
}

}  // namespace daedalus
