// From the tree of a model to scalar variables and grouped equations. Errors are collected over
// declarations and equations, so that a user sees all of them at once.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "method/nearest.h"
#include "model/flattener.h"

namespace daedalus::model {

Flattener::Flattener(const Ast& ast, const FlattenOptions& options)
    : ast_(ast),
      options_(options),
      errors_(ast.source),
      evaluator_(*ast.source, ast.functions, symbols_) {
  evaluator_.builder = &scratch_;
  evaluator_.on_parameter = [this](Symbol& symbol) { compute_parameter(symbol); };
  evaluator_.on_relation = [this](Relation::Kind kind, NodeId x, const Span& at) {
    return watch(kind, x, at);
  };
  evaluator_.on_pre = [this](int which) {
    return evaluator_.builder->discrete(flat_.switching.discrete_variables + which);
  };
}

void Flattener::guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const ModelError& error) {
    for (const Diagnostic& d : error.diagnostics()) errors_.error(d.at, d.message, d.hint);
    if (errors_.found().size() >= ModelError::max_shown) errors_.raise_if_any();
  }
}

FlatModel Flattener::run() {
  flat_.source = ast_.source;
  flat_.name = ast_.model.name;
  flat_.description = ast_.model.description;
  declare_symbols();
  errors_.raise_if_any();
  for (const Declaration& d : ast_.model.declarations)
    if (Symbol& symbol = symbols_.at(d.name); symbol.kind == Symbol::Kind::parameter)
      guarded([&] { compute_parameter(symbol); });
  check_overrides();
  errors_.raise_if_any();
  read_experiment();
  find_orders();
  find_shared_lines();
  place_variables();
  errors_.raise_if_any();
  evaluator_.start_time = flat_.start_time, evaluator_.final_time = flat_.stop_time;
  for (const Declaration& d : ast_.model.declarations) guarded([&] { read_attributes(d); });
  errors_.raise_if_any();

  evaluator_.builder = &equations_;
  evaluator_.relations_are_events = true;
  for (const Declaration& d : ast_.model.declarations) guarded([&] { add_binding(d); });
  add_equations(ast_.model.equations);
  add_hidden_equations();
  evaluator_.builder = &initial_;
  evaluator_.relations_are_events = false;
  in_initial_section_ = true;
  add_equations(ast_.model.initial_equations);
  in_initial_section_ = false;
  errors_.raise_if_any();
  add_conditions();
  errors_.raise_if_any();
  flat_.equations = equations_.take();
  flat_.initial_equations = initial_.take();
  flat_.switching.crossings = crossings_.take();
  flat_.switching.values = event_values_.take();
  check_discrete();
  check_counts();
  errors_.raise_if_any();
  return std::move(flat_);
}

void Flattener::declare_symbols() {
  for (const Declaration& d : ast_.model.declarations) {
    Symbol symbol;
    symbol.declaration = &d;
    const bool parameter = d.prefix == Prefix::parameter || d.prefix == Prefix::constant;
    const bool discrete = d.prefix == Prefix::discrete || d.type != Type::real;
    symbol.kind = parameter  ? Symbol::Kind::parameter
                  : discrete ? Symbol::Kind::discrete
                             : Symbol::Kind::variable;
    if (!symbols_.emplace(d.name, symbol).second)
      errors_.error(d.at, fmt::format("'{}' is declared twice", d.name), "rename one of them");
    else if (find_builtin(d.name) || d.name == "der" || d.name == "time")
      errors_.error(d.at, fmt::format("'{}' is the name of a function of the language", d.name),
                    "choose another name");
  }
}

Shape Flattener::shape_of(const Declaration& d) {
  Shape shape;
  for (const Expression& e : d.dimensions) {
    if (as<All>(e))
      evaluator_.fail(e->at, "the size of this array must be given",
                      "write a number or an Integer parameter");
    const int n = evaluator_.integer(e, "a dimension");
    if (n < 0) evaluator_.fail(e->at, fmt::format("a dimension must not be negative, found {}", n));
    shape.push_back(n);
    if (static_cast<double>(size_of(shape)) > 2e8) evaluator_.fail(e->at, "the array is too large");
  }
  return shape;
}

void Flattener::compute_parameter(Symbol& symbol) {
  if (symbol.progress == Symbol::Progress::done) return;
  const Declaration& d = *symbol.declaration;
  if (symbol.progress == Symbol::Progress::busy)
    evaluator_.fail(d.at, fmt::format("the value of parameter '{}' depends on itself", d.name),
                    "break the circle");
  symbol.progress = Symbol::Progress::busy;
  EquationBuilder* before = evaluator_.builder;
  evaluator_.builder = &scratch_;
  symbol.shape = shape_of(d);
  const int size = size_of(symbol.shape);
  const auto given = options_.parameters.find(d.name);
  if (given != options_.parameters.end()) {
    symbol.values.assign(static_cast<std::size_t>(size), given->second);
  } else {
    Expression binding = d.binding;
    if (const Attribute* start = d.attribute("start"); !binding && start) binding = start->value;
    if (!binding)
      evaluator_.fail(
          d.at, fmt::format("parameter '{}' has no value", d.name),
          fmt::format("give it one: {} = ..., or on the command line -p {}=...", d.name, d.name));
    symbol.values = numbers(binding, symbol.shape, "the value of a parameter", d.name);
  }
  for (int i = 0; i < size; ++i)
    if (const auto at = options_.parameters.find(element_name(d.name, symbol.shape, i));
        at != options_.parameters.end())
      symbol.values[static_cast<std::size_t>(i)] = at->second;
  if (d.type == Type::integer)
    for (double x : symbol.values)
      if (x != std::floor(x))
        evaluator_.fail(d.at, fmt::format("Integer parameter '{}' has the value {}", d.name, x));
  symbol.progress = Symbol::Progress::done;
  if (size == 1) flat_.parameters[d.name] = symbol.values[0];
  evaluator_.builder = before;
}

std::vector<double> Flattener::numbers(const Expression& expression, const Shape& shape,
                                       const char* what, const std::string& name) {
  const Value value = evaluator_.evaluate(expression);
  Graph& g = evaluator_.graph();
  const auto known = [&](NodeId node) {
    if (!g.is_constant(node))
      evaluator_.fail(expression->at,
                      fmt::format("{} '{}' must be known before the run", what, name),
                      "use numbers, parameters and constants only");
    return g.value(node);
  };
  if (!value.is_array())
    return std::vector<double>(static_cast<std::size_t>(size_of(shape)), known(value.scalar));
  if (value.array->shape != shape)
    evaluator_.fail(expression->at, fmt::format("{} '{}' is {}, expected {}", what, name,
                                                shape_text(value.array->shape), shape_text(shape)));
  std::vector<double> result;
  for (NodeId node : value.array->elements) result.push_back(known(node));
  return result;
}

void Flattener::check_overrides() {
  std::vector<std::string> known;
  for (const auto& [name, symbol] : symbols_)
    if (symbol.kind == Symbol::Kind::parameter && symbol.declaration->prefix == Prefix::parameter)
      for (int i = 0; i < size_of(symbol.shape); ++i)
        known.push_back(element_name(name, symbol.shape, i));
  for (const auto& [name, value] : options_.parameters) {
    const auto symbol = symbols_.find(name);
    const bool whole = symbol != symbols_.end() && symbol->second.kind == Symbol::Kind::parameter;
    if (whole || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest_names(name, known, 1);
    throw InvalidInput(fmt::format("the model has no parameter '{}'{}", name,
                                   near.empty() ? "" : "; did you mean '" + near[0] + "'?"));
  }
}

void Flattener::read_experiment() {
  if (const auto& e = ast_.model.experiment) {
    guarded([&] {
      if (e->start_time) flat_.start_time = evaluator_.number(e->start_time, "StartTime");
      if (e->stop_time)
        flat_.stop_time = evaluator_.number(e->stop_time, "StopTime"), flat_.has_stop_time = true;
      if (e->tolerance) flat_.tolerance = evaluator_.number(e->tolerance, "Tolerance");
      if (e->interval) flat_.interval = evaluator_.number(e->interval, "Interval");
    });
  }
  if (options_.start_time) flat_.start_time = *options_.start_time;
  if (options_.stop_time) flat_.stop_time = *options_.stop_time, flat_.has_stop_time = true;
}

std::string Flattener::element_name(const std::string& name, const Shape& shape, int offset) {
  if (shape.empty()) return name;
  std::vector<int> subscripts(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;)
    subscripts[k] = offset % shape[k] + 1, offset /= shape[k];
  return fmt::format("{}[{}]", name, fmt::join(subscripts, ","));
}

void Flattener::place_variables() {
  int variables = 0, discrete = 0;
  for (const Declaration& d : ast_.model.declarations) {
    Symbol& symbol = symbols_.at(d.name);
    if (symbol.kind == Symbol::Kind::parameter) continue;
    guarded([&] { symbol.shape = shape_of(d); });
    const int size = size_of(symbol.shape);
    const bool is_discrete = symbol.kind == Symbol::Kind::discrete;
    symbol.base = is_discrete ? discrete : variables;
    symbol.shown = variables;
    variables += size;
    if (is_discrete) discrete += size;
    for (int i = 0; i < size; ++i) {
      FlatVariable v;
      v.name = element_name(d.name, symbol.shape, i);
      v.description = d.description, v.at = d.at;
      if (is_discrete) flat_.discrete_names.push_back(v.name), flat_.switching.start.push_back(0);
      flat_.variables.push_back(std::move(v));
    }
  }
  flat_.visible = variables;
  flat_.switching.discrete_variables = discrete;
  defined_.assign(static_cast<std::size_t>(discrete), 0);
  for (int i = 0; i < discrete; ++i) {
    flat_.discrete_names.push_back("pre(" + flat_.discrete_names[static_cast<std::size_t>(i)] +
                                   ")");
    flat_.switching.start.push_back(0);
  }
  for (const Declaration& d : ast_.model.declarations) {
    Symbol& symbol = symbols_.at(d.name);
    if (symbol.kind != Symbol::Kind::variable || symbol.order < 2) continue;
    symbol.hidden_base = static_cast<int>(flat_.variables.size());
    for (int k = 1; k < symbol.order; ++k)
      for (int i = 0; i < size_of(symbol.shape); ++i) {
        FlatVariable v;
        const std::string name = element_name(d.name, symbol.shape, i);
        v.name = k == 1 ? fmt::format("der({})", name) : fmt::format("der({}, {})", name, k);
        v.at = d.at;
        flat_.variables.push_back(std::move(v));
      }
  }
}

void Flattener::read_attributes(const Declaration& d) {
  Symbol& symbol = symbols_.at(d.name);
  if (symbol.kind == Symbol::Kind::parameter) return;
  const auto each = [&](const char* name, const std::function<void(int, double)>& set) {
    const Attribute* attribute = d.attribute(name);
    if (!attribute || !attribute->value) return;
    const std::vector<double> values = numbers(
        attribute->value, symbol.shape, fmt::format("attribute {} of", name).c_str(), d.name);
    for (std::size_t i = 0; i < values.size(); ++i) set(static_cast<int>(i), values[i]);
  };
  if (symbol.kind == Symbol::Kind::discrete) {
    const auto set = [&](int i, double x) {
      flat_.switching.start[static_cast<std::size_t>(symbol.base + i)] = x;
      flat_.switching
          .start[static_cast<std::size_t>(flat_.switching.discrete_variables + symbol.base + i)] =
          x;
      flat_.variables[static_cast<std::size_t>(symbol.shown + i)].start = x;
    };
    each("start", set);
    for (int i = 0; i < size_of(symbol.shape); ++i)
      if (const auto given = options_.start.find(element_name(d.name, symbol.shape, i));
          given != options_.start.end())
        set(i, given->second);
    return;
  }
  const auto at = [&](int i) -> FlatVariable& {
    return flat_.variables[static_cast<std::size_t>(symbol.base + i)];
  };
  if (ast_.model.constraints.empty())
    each("start", [&](int i, double x) { at(i).start = x, at(i).has_start = true; });
  else
    add_guess(d, symbol);
  each("fixed", [&](int i, double x) { at(i).fixed = x != 0; });
  each("nominal", [&](int i, double x) {
    if (!(x > 0))
      evaluator_.fail(d.attribute("nominal")->at,
                      fmt::format("nominal of '{}' must be positive", d.name));
    at(i).nominal = x;
  });
  each("min", [&](int i, double x) { at(i).min = x; });
  each("max", [&](int i, double x) { at(i).max = x; });
  if (const Attribute* unit = d.attribute("unit"))
    if (const Text* text = as<Text>(unit->value))
      for (int i = 0; i < size_of(symbol.shape); ++i) at(i).unit = text->value;
  for (int i = 0; i < size_of(symbol.shape); ++i)
    if (const auto given = options_.start.find(at(i).name); given != options_.start.end())
      at(i).start = given->second, at(i).has_start = true;
}

}  // namespace daedalus::model
