// The constraint section: conditions that tie variables at given times, and start values as guesses
// that may depend on time.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/flattener.h"

namespace daedalus::model {

void Flattener::add_conditions() {
  if (ast_.model.constraints.empty()) return;
  flat_.has_boundary_conditions = true;
  flat_.points = {flat_.start_time, flat_.stop_time};
  evaluator_.builder = &conditions_;
  evaluator_.point_stride = static_cast<int>(flat_.variables.size());
  evaluator_.on_time = [this](double t, const Span& at) {
    if (!(t >= flat_.start_time && t <= flat_.stop_time))
      evaluator_.fail(at, fmt::format("the time {} lies outside of [{}, {}]", t, flat_.start_time,
                                      flat_.stop_time));
    const auto found = std::find(flat_.points.begin(), flat_.points.end(), t);
    if (found == flat_.points.end()) {
      flat_.points.push_back(t);
      return static_cast<int>(flat_.points.size()) - 1;
    }
    return static_cast<int>(found - flat_.points.begin());
  };
  in_constraint_section_ = true;
  add_equations(ast_.model.constraints);
  in_constraint_section_ = false;
  evaluator_.on_time = nullptr;
  flat_.conditions = conditions_.take();
  flat_.guesses = guesses_.take();
}

void Flattener::add_guess(const Declaration& d, const Symbol& symbol) {
  const int size = size_of(symbol.shape);
  const Attribute* start = d.attribute("start");
  Value value;
  EquationBuilder* before = evaluator_.builder;
  evaluator_.builder = &guesses_;
  for (int i = 0; i < size; ++i) {
    FlatVariable& variable = flat_.variables[static_cast<std::size_t>(symbol.base + i)];
    const auto given = options_.start.find(variable.name);
    const bool has_text = start && start->value;
    if (given == options_.start.end() && !has_text) continue;
    begin_equation();
    NodeId node = -1;
    if (given != options_.start.end()) {
      node = evaluator_.graph().constant(given->second);
    } else {
      value = evaluator_.evaluate(start->value);
      if (value.is_array() && value.array->shape != symbol.shape)
        evaluator_.fail(start->value->at,
                        fmt::format("attribute start of '{}' is {}, expected {}", d.name,
                                    shape_text(value.array->shape), shape_text(symbol.shape)));
      node = value.is_array() ? value.array->elements[static_cast<std::size_t>(i)] : value.scalar;
    }
    const Graph& graph = evaluator_.graph();
    if (graph.is_constant(node)) variable.start = graph.value(node);
    variable.has_start = true;
    const int row = evaluator_.builder->add(node);
    for (int k = 0; k < symbol.order; ++k)
      flat_.guess_of.push_back(
          {row, k, k == 0 ? symbol.base + i : symbol.hidden_base + (k - 1) * size + i});
  }
  evaluator_.builder = before;
}

}  // namespace daedalus::model
