// Operators, relations, if-expressions, derivatives and user functions of the evaluator.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "method/nearest.h"
#include "model/evaluator.h"

namespace daedalus::model {
namespace {

constexpr int deepest_call = 100;

const char* text_of(BinaryOperator op) {
  static constexpr const char* names[] = {"+", "-",  "*", "/",  "^",  ".*", "./",  ".^",
                                          "<", "<=", ">", ">=", "==", "<>", "and", "or"};
  return names[static_cast<int>(op)];
}

}  // namespace

Value Evaluator::evaluate_chain(const Chain& chain, const Span& whole) {
  Value left = evaluate(chain.first);
  for (const Chain::Link& link : chain.links) {
    const bool compares = link.op >= BinaryOperator::less && link.op <= BinaryOperator::not_equal;
    // A relation is quoted as a whole when it becomes an event.
    left = evaluate_link(left, link.op, evaluate(link.operand), compares ? whole : link.at);
  }
  return left;
}

Value Evaluator::multiply(const Value& a, const Value& b, const Span& at) {
  Graph& g = graph();
  if (!a.is_array() && !b.is_array()) return g.mul(a.scalar, b.scalar);
  if (!a.is_array()) return map(b, [&](NodeId x) { return g.mul(a.scalar, x); });
  if (!b.is_array()) return map(a, [&](NodeId x) { return g.mul(x, b.scalar); });
  const Shape &sa = a.array->shape, &sb = b.array->shape;
  if (sa.size() > 2 || sb.size() > 2 || sa.back() != sb.front())
    fail(at, fmt::format("'*' cannot multiply {} by {}", shape_text(sa), shape_text(sb)),
         "inner sizes must agree; use '.*' for elementwise products");
  const int rows = sa.size() == 2 ? sa[0] : 1, inner = sa.back(),
            columns = sb.size() == 2 ? sb[1] : 1;
  ArrayValue result;
  if (sa.size() == 2) result.shape.push_back(rows);
  if (sb.size() == 2) result.shape.push_back(columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      NodeId sum = g.constant(0);
      for (int k = 0; k < inner; ++k)
        sum = g.add(sum, g.mul(a.array->elements[static_cast<std::size_t>(i * inner + k)],
                               b.array->elements[static_cast<std::size_t>(k * columns + j)]));
      result.elements.push_back(sum);
    }
  if (result.shape.empty()) return result.elements[0];
  return result;
}

NodeId Evaluator::relation(BinaryOperator op, NodeId a, NodeId b, const Span& at) {
  Graph& g = graph();
  const bool constant = g.is_constant(a) && g.is_constant(b);
  if (op == BinaryOperator::equal || op == BinaryOperator::not_equal) {
    const NodeId same = g.make(Op::equal, a, b);
    return op == BinaryOperator::equal ? same : g.make(Op::logical_not, same);
  }
  const bool swapped = op == BinaryOperator::greater || op == BinaryOperator::greater_equal;
  const bool strict = op == BinaryOperator::less || op == BinaryOperator::greater;
  if (!constant && relations_are_events) {
    // Watched as b - a > 0 for a < b, as a - b > 0 for a > b.
    return on_relation(strict ? Relation::Kind::positive : Relation::Kind::not_negative,
                       swapped ? g.sub(a, b) : g.sub(b, a), at);
  }
  return g.make(strict ? Op::less : Op::less_equal, swapped ? b : a, swapped ? a : b);
}

Value Evaluator::evaluate_link(const Value& left, BinaryOperator op, const Value& right,
                               const Span& at) {
  Graph& g = graph();
  const auto plain = [&](Op node) {
    if (!left.is_array() && !right.is_array())
      return Value(g.make(node, left.scalar, right.scalar));
    return elementwise(
        left, right, at, [&](NodeId x, NodeId y) { return g.make(node, x, y); }, text_of(op));
  };
  switch (op) {
    case BinaryOperator::add:
      return plain(Op::add);
    case BinaryOperator::subtract:
      return plain(Op::sub);
    case BinaryOperator::multiply:
      return multiply(left, right, at);
    case BinaryOperator::divide:
      if (right.is_array()) fail(at, "division by an array", "use './' for elementwise division");
      return map(left, [&](NodeId x) { return g.div(x, right.scalar); });
    case BinaryOperator::power:
      if (left.is_array() || right.is_array())
        fail(at, "'^' needs scalars", "use '.^' for elementwise powers");
      return g.pow(left.scalar, right.scalar);
    case BinaryOperator::elementwise_multiply:
    case BinaryOperator::elementwise_divide:
    case BinaryOperator::elementwise_power: {
      const auto apply_one = [&](NodeId x, NodeId y) {
        return op == BinaryOperator::elementwise_multiply ? g.mul(x, y)
               : op == BinaryOperator::elementwise_divide ? g.div(x, y)
                                                          : g.pow(x, y);
      };
      if (left.is_array() && !right.is_array())
        return map(left, [&](NodeId x) { return apply_one(x, right.scalar); });
      if (!left.is_array() && right.is_array())
        return map(right, [&](NodeId y) { return apply_one(left.scalar, y); });
      return elementwise(left, right, at, apply_one, text_of(op));
    }
    case BinaryOperator::logical_and:
    case BinaryOperator::logical_or:
      if (left.is_array() || right.is_array())
        fail(at, fmt::format("'{}' needs scalars", text_of(op)));
      return g.make(op == BinaryOperator::logical_and ? Op::logical_and : Op::logical_or,
                    left.scalar, right.scalar);
    default:
      if (left.is_array() || right.is_array())
        fail(at, fmt::format("'{}' compares scalars", text_of(op)));
      return relation(op, left.scalar, right.scalar, at);
  }
}

Value Evaluator::evaluate_if(const If& node) {
  // Branches known to be off are not even looked at: they may subscript out of range.
  std::vector<std::pair<NodeId, Value>> alternatives;
  Value result;
  bool decided = false;
  for (const If::Branch& branch : node.branches) {
    const NodeId condition = scalar(branch.condition);
    if (graph().is_constant(condition)) {
      if (graph().value(condition) == 0) continue;
      result = evaluate(branch.value), decided = true;
      break;
    }
    alternatives.emplace_back(condition, evaluate(branch.value));
  }
  if (!decided) result = evaluate(node.otherwise);
  for (auto it = alternatives.rbegin(); it != alternatives.rend(); ++it) {
    const NodeId condition = it->first;
    result = elementwise(
        it->second, result, node.branches[0].condition->at,
        [&](NodeId x, NodeId y) { return graph().make(Op::select, condition, x, y); }, "if");
  }
  return result;
}

NodeId Evaluator::total_derivative(NodeId node) {
  Graph& g = graph();
  std::vector<int> inputs;
  for (NodeId id = 0; id <= node; ++id)
    if (g[id].op == Op::input) inputs.push_back(g[id].a);
  const std::vector<NodeId> partial = gradient(g, node, inputs);
  NodeId sum = g.constant(0);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (g.is_constant(partial[k], 0)) continue;
    const Leaf leaf = builder->leaf_of(inputs[k]);
    if (leaf.kind == Leaf::Kind::time) sum = g.add(sum, partial[k]);
    if (leaf.kind == Leaf::Kind::variable)
      sum = g.add(sum, g.mul(partial[k], builder->variable(leaf.which, leaf.order + 1)));
  }
  return sum;
}

Value Evaluator::derivative(const Expression& argument, int order, const Span& at) {
  if (inside_function_) fail(at, "der() is not allowed inside a function");
  if (as<Reference>(argument)) {
    bool local = false;
    for (std::size_t i = scope_floor_; i < scope_.size(); ++i)
      local = local || scope_[i].first == as<Reference>(argument)->name;
    if (!local) {
      const Place place = place_of(argument);
      if (place.symbol->kind == Symbol::Kind::parameter)
        return map(evaluate(argument), [&](NodeId) { return graph().constant(0); });
      if (place.symbol->kind == Symbol::Kind::discrete)
        fail(at, fmt::format("der() of the discrete variable '{}'", as<Reference>(argument)->name),
             "discrete variables change at events only");
      return select(place.shape, place.offsets,
                    [&](int o) { return variable(*place.symbol, o, order); });
    }
  }
  Value value = evaluate(argument);
  for (int k = 0; k < order; ++k) value = map(value, [&](NodeId x) { return total_derivative(x); });
  return value;
}

Value Evaluator::evaluate_call(const Expression& expression, const Call& call) {
  if (call.function == "der") {
    if (call.arguments.empty() || call.arguments.size() > 2)
      fail(expression->at, "der takes a variable and, optionally, an order", "der(x) or der(x, 2)");
    int order =
        call.arguments.size() == 2 ? integer(call.arguments[1], "the order of a derivative") : 1;
    if (order < 1 || order > 9)
      fail(call.arguments.back()->at,
           fmt::format("the order of a derivative must be 1..9, found {}", order));
    Expression argument = call.arguments[0];
    for (const Call* inner = as<Call>(argument);
         inner && inner->function == "der" && !inner->arguments.empty();
         inner = as<Call>(argument)) {
      order += inner->arguments.size() == 2
                   ? integer(inner->arguments[1], "the order of a derivative")
                   : 1;
      argument = inner->arguments[0];
    }
    return derivative(argument, order, expression->at);
  }
  if (const auto at = functions_.find(call.function); at != functions_.end())
    return evaluate_user_function(expression, call, *at->second);
  if (const Builtin builtin = find_builtin(call.function))
    return builtin(*this, call, expression->at);
  if (on_time && symbols_.count(call.function) && call.arguments.size() == 1)
    return at_time(make(Reference{call.function, {}}, expression->at), call.arguments[0],
                   expression->at);
  if (symbols_.count(call.function))
    fail(expression->at, fmt::format("'{}' is a variable, not a function", call.function),
         "subscripts are written with brackets: x[1]");
  std::vector<std::string> known = builtin_names();
  for (const auto& [name, f] : functions_) known.push_back(name);
  const auto near = nearest_names(call.function, known, 1);
  fail(expression->at, fmt::format("unknown function '{}'", call.function),
       near.empty() ? "" : fmt::format("did you mean '{}'?", near[0]));
}

Value Evaluator::evaluate_user_function(const Expression& expression, const Call& call,
                                        const Function& function) {
  if (++depth_ > deepest_call)
    fail(expression->at, fmt::format("'{}' calls itself too deeply", function.name),
         "functions are inlined: recursion must end");
  std::vector<const Declaration*> inputs, outputs;
  for (const Declaration& d : function.declarations) {
    if (d.causality == Causality::input) inputs.push_back(&d);
    if (d.causality == Causality::output) outputs.push_back(&d);
  }
  if (outputs.size() != 1)
    fail(function.at, fmt::format("function '{}' has {} outputs, exactly one is supported",
                                  function.name, outputs.size()));
  if (call.arguments.size() > inputs.size())
    fail(expression->at, fmt::format("'{}' takes {} arguments, {} given", function.name,
                                     inputs.size(), call.arguments.size()));
  std::vector<Value> arguments;
  for (const Expression& e : call.arguments) arguments.push_back(evaluate(e));
  const std::size_t floor = scope_floor_, size = scope_.size();
  const bool was_inside = inside_function_;
  scope_floor_ = size, inside_function_ = true;
  for (const Declaration& d : function.declarations) {
    Value value;
    const auto number_of = std::find(inputs.begin(), inputs.end(), &d) - inputs.begin();
    if (d.causality == Causality::input &&
        number_of < static_cast<std::ptrdiff_t>(arguments.size())) {
      value = arguments[static_cast<std::size_t>(number_of)];
    } else if (d.binding) {
      value = evaluate(d.binding);
    } else if (d.causality == Causality::input) {
      fail(expression->at,
           fmt::format("'{}' needs a value for its input '{}'", function.name, d.name));
    } else if (!d.dimensions.empty()) {
      ArrayValue zeros;
      for (const Expression& e : d.dimensions) zeros.shape.push_back(integer(e, "a dimension"));
      zeros.elements.assign(static_cast<std::size_t>(size_of(zeros.shape)), graph().constant(0));
      value = zeros;
    }
    push(d.name, value);
  }
  execute(function.statements);
  Value result;
  for (std::size_t i = size; i < scope_.size(); ++i)
    if (scope_[i].first == outputs[0]->name) result = scope_[i].second;
  scope_.resize(size);
  scope_floor_ = floor, inside_function_ = was_inside, --depth_;
  if (result.scalar < 0 && !result.is_array())
    fail(outputs[0]->at, fmt::format("function '{}' does not assign its output '{}'", function.name,
                                     outputs[0]->name));
  return result;
}

void Evaluator::assign(const Assignment& assignment, const Span& at) {
  const Reference& target = *as<Reference>(assignment.target);
  const Value value = evaluate(assignment.value);
  for (std::size_t i = scope_.size(); i-- > scope_floor_;) {
    if (scope_[i].first != target.name) continue;
    if (target.subscripts.empty()) {
      scope_[i].second = value;
      return;
    }
    if (!scope_[i].second.is_array()) fail(at, fmt::format("'{}' is not an array", target.name));
    ArrayValue changed = *scope_[i].second.array;
    Shape shape;
    const auto offsets = offsets_of_picks(
        subscripts(target.subscripts, changed.shape, target.name, at, shape), changed.shape);
    for (std::size_t k = 0; k < offsets.size(); ++k)
      changed.elements[static_cast<std::size_t>(offsets[k])] =
          value.is_array() ? value.array->elements.at(k) : value.scalar;
    scope_[i].second = Value(std::move(changed));
    return;
  }
  fail(at, fmt::format("'{}' is not declared in this function", target.name));
}

void Evaluator::execute(const Statements& statements) {
  for (const Statement& statement : statements) {
    if (const auto* assignment = std::get_if<Assignment>(&statement.value)) {
      assign(*assignment, statement.at);
    } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      for_each(loop->iterators, [&] { execute(loop->body); });
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      execute_if(*branch, 0);
    }
  }
}

void Evaluator::execute_if(const IfStatement& statement, std::size_t k) {
  if (k == statement.branches.size()) return execute(statement.otherwise);
  const NodeId condition = scalar(statement.branches[k].condition);
  if (graph().is_constant(condition))
    return graph().value(condition) != 0 ? execute(statement.branches[k].body)
                                         : execute_if(statement, k + 1);
  // Both ways are taken, and every local variable becomes a choice between its two values.
  const auto before = scope_;
  execute(statement.branches[k].body);
  auto then = std::move(scope_);
  scope_ = before;
  execute_if(statement, k + 1);
  for (std::size_t i = scope_floor_; i < scope_.size(); ++i) {
    const Value &x = then[i].second, &y = scope_[i].second;
    const bool x_set = x.scalar >= 0 || x.is_array(), y_set = y.scalar >= 0 || y.is_array();
    if (!x_set || !y_set) {
      if (x_set) scope_[i].second = x;
      continue;
    }
    scope_[i].second = elementwise(
        x, y, statement.branches[k].condition->at,
        [&](NodeId a, NodeId b) { return graph().make(Op::select, condition, a, b); }, "if");
  }
}

}  // namespace daedalus::model
