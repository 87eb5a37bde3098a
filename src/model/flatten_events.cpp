// Relations, discrete variables, when clauses and assertions of a model.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "model/flattener.h"

namespace daedalus::model {

NodeId Flattener::transfer(NodeId node, EquationBuilder& to) {
  const Graph& from = evaluator_.graph();
  std::vector<NodeId> made(static_cast<std::size_t>(node) + 1, -1);
  const std::function<NodeId(NodeId)> copy = [&](NodeId id) -> NodeId {
    NodeId& done = made[static_cast<std::size_t>(id)];
    if (done >= 0) return done;
    const daedalus::Node n = from[id];
    if (n.op == Op::constant) return done = to.graph().constant(n.value);
    if (n.op == Op::input) {
      const Leaf leaf = evaluator_.builder->leaf_of(n.a);
      if (leaf.kind == Leaf::Kind::time) return done = to.time();
      return done = leaf.kind == Leaf::Kind::discrete ? to.discrete(leaf.which)
                                                      : to.variable(leaf.which, leaf.order);
    }
    const int count = operands_of(n.op);
    const NodeId a = copy(n.a), b = count > 1 ? copy(n.b) : -1, c = count > 2 ? copy(n.c) : -1;
    return done = to.graph().make(n.op, a, b, c);
  };
  return copy(node);
}

std::string Flattener::identity(NodeId node) {
  const Graph& g = evaluator_.graph();
  std::string text;
  const std::function<void(NodeId)> visit = [&](NodeId id) {
    const daedalus::Node n = g[id];
    if (n.op == Op::constant) {
      fmt::format_to(std::back_inserter(text), "c{:x} ", std::bit_cast<std::uint64_t>(n.value));
    } else if (n.op == Op::input) {
      const Leaf leaf = evaluator_.builder->leaf_of(n.a);
      fmt::format_to(std::back_inserter(text), "v{},{},{} ", static_cast<int>(leaf.kind),
                     leaf.order, leaf.which);
    } else {
      const int count = operands_of(n.op);
      fmt::format_to(std::back_inserter(text), "{} ", static_cast<int>(n.op));
      visit(n.a);
      if (count > 1) visit(n.b);
      if (count > 2) visit(n.c);
    }
  };
  visit(node);
  return text;
}

std::string Flattener::quoted(const Span& at) const {
  std::string text = ast_.source->text.substr(at.offset, at.length);
  if (text.empty() || text.find('\n') != std::string::npos) return fmt::format("line {}", at.line);
  return fmt::format("{} (line {})", text, at.line);
}

NodeId Flattener::watch(Relation::Kind kind, NodeId x, const Span& at) {
  const auto [known, fresh] =
      relation_of_.try_emplace(fmt::format("{} {}", static_cast<int>(kind), identity(x)),
                               static_cast<int>(flat_.discrete_names.size()));
  const int mode = known->second;
  if (!fresh) return evaluator_.builder->discrete(mode);
  crossings_.begin();
  crossings_.add(transfer(x, crossings_));
  flat_.discrete_names.push_back(quoted(at));
  flat_.switching.start.push_back(0);
  flat_.switching.relations.push_back({kind, mode, quoted(at)});
  relation_at_.push_back(at);
  return evaluator_.builder->discrete(mode);
}

int Flattener::event_value(NodeId node) {
  event_values_.begin();
  return event_values_.add(transfer(node, event_values_));
}

void Flattener::define_discrete(const Symbol& symbol, const std::vector<int>& offsets,
                                const Value& value, const Span& at) {
  if (value.is_array() && value.array->elements.size() != offsets.size())
    evaluator_.fail(at, fmt::format("{} values for {} discrete variables",
                                    value.array->elements.size(), offsets.size()));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const int target = symbol.base + offsets[i];
    char& defined = defined_[static_cast<std::size_t>(target)];
    if (defined != 0)
      evaluator_.fail(at,
                      fmt::format("'{}' gets its value in two places",
                                  flat_.discrete_names[static_cast<std::size_t>(target)]),
                      "keep one equation, or the assignments of one when clause");
    defined = 2;
    const NodeId node = value.is_array() ? value.array->elements[i] : value.scalar;
    flat_.switching.equations.push_back({target, event_value(node)});
  }
}

void Flattener::add_assertion(const Assert& assertion) {
  begin_equation();
  Assertion a;
  a.condition = event_value(evaluator_.scalar(assertion.condition));
  if (const Text* text = as<Text>(assertion.message)) a.message = text->value;
  a.where = quoted(assertion.condition->at);
  flat_.switching.assertions.push_back(a);
}

Action Flattener::make_action(const Equation& equation) {
  Action action;
  begin_equation();
  if (const auto* reinit = std::get_if<Reinit>(&equation.value)) {
    const Evaluator::Place place = evaluator_.place_of(reinit->variable);
    if (place.symbol->kind != Symbol::Kind::variable || place.offsets.size() != 1)
      evaluator_.fail(equation.at, "reinit needs a scalar continuous variable");
    action.kind = Action::Kind::reinit;
    action.target = place.symbol->base + place.offsets[0];
    action.value = event_value(evaluator_.scalar(reinit->value));
  } else if (const auto* assigned = std::get_if<Equality>(&equation.value)) {
    if (!as<Reference>(assigned->left))
      evaluator_.fail(equation.at, "the left side of an equation in a when clause is a variable");
    const Evaluator::Place place = evaluator_.place_of(assigned->left);
    if (place.symbol->kind != Symbol::Kind::discrete || place.offsets.size() != 1)
      evaluator_.fail(equation.at, "in a when clause only discrete variables get values",
                      "declare it as 'discrete Real', or use reinit(x, value)");
    action.target = place.symbol->base + place.offsets[0];
    const std::string& name = flat_.discrete_names[static_cast<std::size_t>(action.target)];
    const NodeId value = evaluator_.scalar(assigned->right);
    const std::string itself =
        fmt::format("v{},0,{} ", static_cast<int>(Leaf::Kind::discrete), action.target);
    if (identity(value).find(itself) != std::string::npos)
      evaluator_.fail(equation.at, fmt::format("'{}' is computed from itself", name),
                      fmt::format("pre({}) is its value before the event", name));
    action.value = event_value(value);
  } else if (const auto* terminate = std::get_if<Terminate>(&equation.value)) {
    action.kind = Action::Kind::terminate;
    if (const Text* text = as<Text>(terminate->message)) action.message = text->value;
  } else {
    evaluator_.fail(equation.at,
                    "in a when clause only reinit, assignments and terminate are allowed");
  }
  return action;
}

void Flattener::add_when(const Equation& equation, const WhenEquation& when) {
  WhenClause clause;
  std::vector<int> assigned;
  for (const WhenEquation::Branch& branch : when.branches) {
    WhenClause::Branch result;
    begin_equation();
    const Value condition = evaluator_.evaluate(branch.condition);
    if (condition.is_array())
      for (NodeId node : condition.array->elements) result.conditions.push_back(event_value(node));
    else
      result.conditions.push_back(event_value(condition.scalar));
    for (const Equation& inner : branch.body) {
      result.actions.push_back(make_action(inner));
      if (result.actions.back().kind == Action::Kind::assign)
        assigned.push_back(result.actions.back().target);
    }
    clause.branches.push_back(result);
  }
  for (const int target : assigned)
    if (defined_[static_cast<std::size_t>(target)] != 0)
      evaluator_.fail(equation.at,
                      fmt::format("'{}' gets its value in two places",
                                  flat_.discrete_names[static_cast<std::size_t>(target)]),
                      "assign it in the branches of one when clause");
  for (const int target : assigned) defined_[static_cast<std::size_t>(target)] = 1;
  flat_.switching.whens.push_back(clause);
}

void Flattener::check_discrete() {
  for (const Declaration& d : ast_.model.declarations) {
    const Symbol& symbol = symbols_.at(d.name);
    if (symbol.kind != Symbol::Kind::discrete) continue;
    for (int i = 0; i < size_of(symbol.shape); ++i)
      if (!defined_[static_cast<std::size_t>(symbol.base + i)])
        errors_.error(d.at,
                      fmt::format("'{}' never gets a value", element_name(d.name, symbol.shape, i)),
                      "assign it in a when clause, or make it a parameter");
  }
  if (flat_.switching.crossings.highest_order() > 0)
    for (const Kernel& kernel : flat_.switching.crossings.kernels())
      for (const Leaf& leaf : kernel.leaves)
        if (leaf.kind == Leaf::Kind::variable && leaf.order > 0) {
          const int row = kernel.rows[0];
          errors_.error(relation_at_[static_cast<std::size_t>(row)],
                        "a relation must not contain der()",
                        "give the derivative a name, as in a = der(v), and compare that");
        }
}

}  // namespace daedalus::model
