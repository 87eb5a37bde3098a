#include "model/evaluator.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "method/nearest.h"

namespace daedalus::model {

int size_of(const Shape& shape) {
  int size = 1;
  for (int n : shape) size *= n;
  return size;
}

std::string shape_text(const Shape& shape) {
  if (shape.empty()) return "a scalar";
  return fmt::format("an array [{}]", fmt::join(shape, ","));
}

Evaluator::Evaluator(const Source& source, const std::vector<Function>& functions,
                     std::unordered_map<std::string, Symbol>& symbols)
    : source_(source), symbols_(symbols) {
  for (const Function& f : functions) functions_[f.name] = &f;
}

void Evaluator::fail(const Span& at, std::string message, std::string hint) const {
  throw ModelError(source_, Diagnostic{at, std::move(message), std::move(hint)});
}

void Evaluator::unknown_name(const Span& at, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = scope_.size(); i-- > scope_floor_;) known.push_back(scope_[i].first);
  if (!inside_function_)
    for (const auto& [n, s] : symbols_) known.push_back(n);
  std::sort(known.begin(), known.end());
  const auto near = nearest_names(name, known, 1);
  fail(at, fmt::format("unknown variable '{}'", name),
       near.empty() ? "declare it before the equation section"
                    : fmt::format("did you mean '{}'?", near[0]));
}

NodeId Evaluator::scalar(const Expression& expression) {
  const Value value = evaluate(expression);
  if (!value.is_array()) return value.scalar;
  if (size_of(value.array->shape) == 1) return value.array->elements[0];
  fail(expression->at, fmt::format("expected a scalar, found {}", shape_text(value.array->shape)),
       "add subscripts, or use sum(...)");
}

double Evaluator::number(const Expression& expression, const char* what) {
  const NodeId node = scalar(expression);
  if (!graph().is_constant(node))
    fail(expression->at, fmt::format("{} must be known before the run", what),
         "use numbers, parameters and constants only");
  return graph().value(node);
}

int Evaluator::integer(const Expression& expression, const char* what) {
  const double x = number(expression, what);
  if (x != std::floor(x) || std::abs(x) > 1e9)
    fail(expression->at, fmt::format("{} must be a whole number, found {}", what, x));
  return static_cast<int>(x);
}

Value Evaluator::map(const Value& a, const std::function<NodeId(NodeId)>& op) {
  if (!a.is_array()) return op(a.scalar);
  ArrayValue result{a.array->shape, {}};
  result.elements.reserve(a.array->elements.size());
  for (NodeId x : a.array->elements) result.elements.push_back(op(x));
  return result;
}

Value Evaluator::elementwise(const Value& a, const Value& b, const Span& at,
                             const std::function<NodeId(NodeId, NodeId)>& op, const char* name) {
  if (!a.is_array() && !b.is_array()) return op(a.scalar, b.scalar);
  if (!a.is_array() || !b.is_array())
    fail(at,
         fmt::format("'{}' cannot join {} and {}", name,
                     shape_text(a.is_array() ? a.array->shape : Shape{}),
                     shape_text(b.is_array() ? b.array->shape : Shape{})),
         "both sides must have the same shape");
  if (a.array->shape != b.array->shape)
    fail(at,
         fmt::format("'{}' cannot join {} and {}", name, shape_text(a.array->shape),
                     shape_text(b.array->shape)),
         "both sides must have the same shape");
  ArrayValue result{a.array->shape, {}};
  result.elements.reserve(a.array->elements.size());
  for (std::size_t i = 0; i < a.array->elements.size(); ++i)
    result.elements.push_back(op(a.array->elements[i], b.array->elements[i]));
  return result;
}

NodeId Evaluator::variable(const Symbol& symbol, int offset, int order) {
  // A variable of order m stands beside hidden variables for its derivatives 1 .. m-1.
  const int hidden = std::min(order, symbol.order - 1);
  const int shift = on_time ? std::max(0, point_) * point_stride : 0;
  if (on_time && point_ < 0)
    fail(symbol.declaration->at,
         fmt::format("'{}' is used in 'constraint' without a time", symbol.declaration->name),
         fmt::format("write {0}(startTime) or {0}(finalTime)", symbol.declaration->name));
  if (hidden == 0) return builder->variable(shift + symbol.base + offset, order);
  return builder->variable(
      shift + symbol.hidden_base + (hidden - 1) * size_of(symbol.shape) + offset, order - hidden);
}

Value Evaluator::at_time(const Expression& value, const Expression& time, const Span& at) {
  if (!on_time) fail(at, "a value at a given time is only allowed in the constraint section");
  if (point_ >= 0) fail(at, "a value at a given time inside another one");
  point_ = on_time(number(time, "the time of a boundary condition"), time->at);
  const Value result = evaluate(value);
  point_ = -1;
  return result;
}

std::vector<std::vector<int>> Evaluator::subscripts(const std::vector<Expression>& list,
                                                    const Shape& shape, const std::string& name,
                                                    const Span& at, Shape& result) {
  if (list.size() > shape.size())
    fail(at, fmt::format("'{}' has {} subscripts but is {}", name, list.size(), shape_text(shape)));
  std::vector<std::vector<int>> chosen;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const int extent = shape[k];
    std::vector<int> picks;
    const bool all = k >= list.size() || as<All>(list[k]);
    if (all) {
      for (int i = 1; i <= extent; ++i) picks.push_back(i);
      result.push_back(extent);
    } else {
      end_values_.push_back(extent);
      const Value value = evaluate(list[k]);
      end_values_.pop_back();
      const auto pick = [&](NodeId node) {
        if (!graph().is_constant(node))
          fail(list[k]->at, "a subscript must be known before the run",
               "use loop indices, numbers and parameters");
        const double x = graph().value(node);
        if (x != std::floor(x) || x < 1 || x > extent)
          fail(list[k]->at,
               fmt::format("subscript {} of '{}' is outside of 1..{}", x, name, extent),
               x == 0 ? "subscripts count from 1" : "");
        picks.push_back(static_cast<int>(x));
      };
      if (value.is_array()) {
        for (NodeId node : value.array->elements) pick(node);
        result.push_back(static_cast<int>(picks.size()));
      } else {
        pick(value.scalar);
      }
    }
    chosen.push_back(std::move(picks));
  }
  return chosen;
}

std::vector<int> offsets_of_picks(const std::vector<std::vector<int>>& picks, const Shape& shape) {
  std::vector<int> offsets = {0};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::vector<int> next;
    next.reserve(offsets.size() * picks[k].size());
    for (int o : offsets)
      for (int i : picks[k]) next.push_back(o * shape[k] + i - 1);
    offsets = std::move(next);
  }
  return offsets;
}

Value Evaluator::select(const Shape& shape, const std::vector<int>& offsets,
                        const std::function<NodeId(int)>& element) {
  if (shape.empty()) return element(offsets[0]);
  ArrayValue result{shape, {}};
  result.elements.reserve(offsets.size());
  for (int o : offsets) result.elements.push_back(element(o));
  return result;
}

Evaluator::Place Evaluator::place_of(const Expression& expression) {
  const Reference* reference = as<Reference>(expression);
  if (!reference) fail(expression->at, "expected a variable");
  const auto at = symbols_.find(reference->name);
  if (at == symbols_.end()) unknown_name(expression->at, reference->name);
  Place place{&at->second, {}, {}};
  const Shape& shape = at->second.shape;
  // Scalar references are by far the most frequent: no lists for them.
  if (shape.empty() && reference->subscripts.empty()) {
    place.offsets = {0};
    return place;
  }
  place.offsets = offsets_of_picks(
      subscripts(reference->subscripts, shape, reference->name, expression->at, place.shape),
      shape);
  return place;
}

Value Evaluator::evaluate_reference(const Expression& expression, const Reference& reference) {
  for (std::size_t i = scope_.size(); i-- > scope_floor_;) {
    if (scope_[i].first != reference.name) continue;
    const Value value = scope_[i].second;
    if (value.scalar < 0 && !value.is_array())
      fail(expression->at, fmt::format("'{}' is used before it has a value", reference.name));
    if (reference.subscripts.empty()) return value;
    if (!value.is_array())
      fail(expression->at, fmt::format("'{}' is a scalar and takes no subscripts", reference.name));
    Shape shape;
    const auto offsets = offsets_of_picks(
        subscripts(reference.subscripts, value.array->shape, reference.name, expression->at, shape),
        value.array->shape);
    return select(shape, offsets,
                  [&](int o) { return value.array->elements[static_cast<std::size_t>(o)]; });
  }
  if (inside_function_ && !symbols_.count(reference.name))
    unknown_name(expression->at, reference.name);
  if (inside_function_ && symbols_.at(reference.name).declaration->prefix != Prefix::constant)
    fail(expression->at,
         fmt::format("a function cannot see the variable '{}' of the model", reference.name),
         "pass it as an input");
  Place place = place_of(expression);
  Symbol& symbol = *place.symbol;
  switch (symbol.kind) {
    case Symbol::Kind::parameter:
      if (symbol.progress != Symbol::Progress::done) on_parameter(symbol);
      return select(place.shape, place.offsets, [&](int o) {
        return graph().constant(symbol.values[static_cast<std::size_t>(o)]);
      });
    case Symbol::Kind::discrete:
      return select(place.shape, place.offsets,
                    [&](int o) { return builder->discrete(symbol.base + o); });
    case Symbol::Kind::variable:
      break;
  }
  return select(place.shape, place.offsets, [&](int o) { return variable(symbol, o, 0); });
}

Value Evaluator::evaluate(const Expression& expression) {
  const Node& node = *expression;
  return std::visit(
      [&](const auto& v) -> Value {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, Number>) return graph().constant(v.value);
        if constexpr (std::is_same_v<T, Boolean>) return graph().constant(v.value ? 1 : 0);
        if constexpr (std::is_same_v<T, Text>) fail(node.at, "a string is not a number");
        if constexpr (std::is_same_v<T, TimeSymbol>) {
          if (v.kind == TimeKind::time && on_time)
            fail(node.at, "a boundary condition holds at given times",
                 "write the time as a number");
          if (v.kind == TimeKind::time) return builder->time();
          return graph().constant(v.kind == TimeKind::start_time ? start_time : final_time);
        }
        if constexpr (std::is_same_v<T, All>) fail(node.at, "':' is only allowed as a subscript");
        if constexpr (std::is_same_v<T, End>) {
          if (end_values_.empty()) fail(node.at, "'end' is only allowed inside a subscript");
          return graph().constant(end_values_.back());
        }
        if constexpr (std::is_same_v<T, Reference>) return evaluate_reference(expression, v);
        if constexpr (std::is_same_v<T, Unary>) {
          const Value a = evaluate(v.operand);
          if (v.op == UnaryOperator::plus) return a;
          const Op op = v.op == UnaryOperator::minus ? Op::neg : Op::logical_not;
          return map(a, [&](NodeId x) { return graph().make(op, x); });
        }
        if constexpr (std::is_same_v<T, Chain>) return evaluate_chain(v, node.at);
        if constexpr (std::is_same_v<T, Call>) return evaluate_call(expression, v);
        if constexpr (std::is_same_v<T, AtTime>) return at_time(v.value, v.time, node.at);
        if constexpr (std::is_same_v<T, Array>) {
          ArrayValue result;
          for (const Expression& e : v.elements) {
            const Value x = evaluate(e);
            const Shape shape = x.is_array() ? x.array->shape : Shape{};
            if (result.shape.empty()) {
              result.shape = {0};
              result.shape.insert(result.shape.end(), shape.begin(), shape.end());
            }
            if (!std::equal(shape.begin(), shape.end(), result.shape.begin() + 1,
                            result.shape.end()))
              fail(e->at, "the elements of an array must all have the same shape");
            if (x.is_array())
              result.elements.insert(result.elements.end(), x.array->elements.begin(),
                                     x.array->elements.end());
            else
              result.elements.push_back(x.scalar);
            ++result.shape[0];
          }
          return result;
        }
        if constexpr (std::is_same_v<T, Comprehension>) {
          ArrayValue result;
          Shape extents, inner;
          // {e for i in r, j in s} is {{e for i in r} for j in s}: the last iterator is outermost.
          const std::vector<Iterator> outer_first(v.iterators.rbegin(), v.iterators.rend());
          for (const Iterator& i : outer_first)
            extents.push_back(static_cast<int>(range_of(i).size()));
          for_each(outer_first, [&] {
            const Value x = evaluate(v.body);
            if (x.is_array()) {
              inner = x.array->shape;
              result.elements.insert(result.elements.end(), x.array->elements.begin(),
                                     x.array->elements.end());
            } else {
              result.elements.push_back(x.scalar);
            }
          });
          result.shape = extents;
          result.shape.insert(result.shape.end(), inner.begin(), inner.end());
          if (static_cast<std::size_t>(size_of(result.shape)) != result.elements.size())
            fail(node.at, "the elements of an array must all have the same shape");
          return result;
        }
        if constexpr (std::is_same_v<T, Matrix>) {
          ArrayValue result{{static_cast<int>(v.rows.size()), static_cast<int>(v.rows[0].size())},
                            {}};
          for (const auto& row : v.rows) {
            if (static_cast<int>(row.size()) != result.shape[1])
              fail(row[0]->at, fmt::format("this row has {} entries, the first has {}", row.size(),
                                           result.shape[1]));
            for (const Expression& e : row) result.elements.push_back(scalar(e));
          }
          return result;
        }
        if constexpr (std::is_same_v<T, Range>) {
          const double first = number(v.first, "the begin of a range");
          const double step = v.step ? number(v.step, "the step of a range") : 1;
          const double last = number(v.last, "the end of a range");
          if (step == 0) fail(node.at, "the step of a range must not be zero");
          const double count = std::floor((last - first) / step + 1e-9) + 1;
          if (count > 1e8) fail(node.at, fmt::format("a range of {} elements is too long", count));
          ArrayValue result{{std::max(0, static_cast<int>(count))}, {}};
          for (int i = 0; i < count; ++i)
            result.elements.push_back(graph().constant(first + i * step));
          return result;
        }
        if constexpr (std::is_same_v<T, If>) return evaluate_if(v);
        return {};
      },
      node.value);
}

std::vector<double> Evaluator::range_of(const Iterator& iterator) {
  // Ranges of numbers need no nodes: loops over a million elements pass here.
  if (const Range* range = as<Range>(iterator.range)) {
    const double first = number(range->first, "the begin of a range");
    const double step = range->step ? number(range->step, "the step of a range") : 1;
    const double last = number(range->last, "the end of a range");
    if (step == 0) fail(iterator.range->at, "the step of a range must not be zero");
    std::vector<double> values;
    const double count = std::floor((last - first) / step + 1e-9) + 1;
    if (count > 1e8)
      fail(iterator.range->at, fmt::format("a range of {} elements is too long", count));
    for (int i = 0; i < count; ++i) values.push_back(first + i * step);
    return values;
  }
  const Value value = evaluate(iterator.range);
  if (!value.is_array() || value.array->shape.size() != 1)
    fail(iterator.range->at, "a loop runs over a range or a vector", "write 1:N");
  std::vector<double> values;
  for (NodeId node : value.array->elements) {
    if (!graph().is_constant(node))
      fail(iterator.range->at, "the range of a loop must be known before the run");
    values.push_back(graph().value(node));
  }
  return values;
}

void Evaluator::for_each(const std::vector<Iterator>& iterators,
                         const std::function<void()>& body) {
  const std::function<void(std::size_t)> level = [&](std::size_t k) {
    if (k == iterators.size()) return body();
    for (double x : range_of(iterators[k])) {
      push(iterators[k].name, Value(graph().constant(x)));
      loop_values_.emplace_back(scope_.size() - 1, x);
      level(k + 1);
      loop_values_.pop_back();
      pop();
    }
  };
  level(0);
}

void Evaluator::renew_loop_values() {
  for (const auto& [position, x] : loop_values_)
    scope_[position].second = Value(graph().constant(x));
}

}  // namespace daedalus::model
