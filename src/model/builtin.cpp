// The functions of the language: elementary, arrays, reductions, events.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/evaluator.h"

namespace daedalus::model {
namespace {

void count(Evaluator& e, const Call& call, const Span& at, std::size_t least, std::size_t most) {
  if (call.arguments.size() >= least && call.arguments.size() <= most) return;
  e.fail(at, fmt::format(
                 "'{}' takes {} argument{}, {} given", call.function,
                 least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most),
                 least == most && least == 1 ? "" : "s", call.arguments.size()));
}

template <Op op>
Value one(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  return e.map(e.evaluate(call.arguments[0]), [&](NodeId x) { return e.graph().make(op, x); });
}

template <Op op>
Value two(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 2, 2);
  return e.graph().make(op, e.scalar(call.arguments[0]), e.scalar(call.arguments[1]));
}

bool watched(Evaluator& e, NodeId x) {
  return e.relations_are_events && !e.graph().is_constant(x);
}

/// |x| and sign(x) switch where x crosses zero.
Value absolute(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  Graph& g = e.graph();
  return e.map(e.evaluate(call.arguments[0]), [&](NodeId x) {
    return watched(e, x)
               ? g.make(Op::select, e.on_relation(Relation::Kind::positive, x, at), x, g.neg(x))
               : g.make(Op::abs, x);
  });
}

Value sign(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  Graph& g = e.graph();
  return e.map(e.evaluate(call.arguments[0]), [&](NodeId x) {
    if (!watched(e, x)) return g.make(Op::sign, x);
    return g.sub(e.on_relation(Relation::Kind::positive, x, at),
                 e.on_relation(Relation::Kind::positive, g.neg(x), at));
  });
}

Value extreme(Evaluator& e, const Call& call, const Span& at, bool smallest) {
  count(e, call, at, 1, 2);
  Graph& g = e.graph();
  const auto pick = [&](NodeId x, NodeId y) {
    const NodeId difference = g.sub(x, y);
    if (!watched(e, difference)) return g.make(smallest ? Op::min : Op::max, x, y);
    const NodeId first_larger = e.on_relation(Relation::Kind::positive, difference, at);
    return smallest ? g.make(Op::select, first_larger, y, x)
                    : g.make(Op::select, first_larger, x, y);
  };
  if (call.arguments.size() == 2)
    return pick(e.scalar(call.arguments[0]), e.scalar(call.arguments[1]));
  const Value v = e.evaluate(call.arguments[0]);
  if (!v.is_array() || v.array->elements.empty())
    e.fail(at, fmt::format("'{}' of one argument needs a nonempty array", call.function));
  NodeId result = v.array->elements[0];
  for (std::size_t i = 1; i < v.array->elements.size(); ++i)
    result = pick(result, v.array->elements[i]);
  return result;
}
Value minimum(Evaluator& e, const Call& c, const Span& at) {
  return extreme(e, c, at, true);
}
Value maximum(Evaluator& e, const Call& c, const Span& at) {
  return extreme(e, c, at, false);
}

/// floor and its kin are constant until x passes a whole number.
NodeId stepped(Evaluator& e, Op op, NodeId x, const Span& at) {
  Graph& g = e.graph();
  if (watched(e, x))
    return e.on_relation(op == Op::floor ? Relation::Kind::floor : Relation::Kind::ceil, x, at);
  return g.make(op, x);
}
Value floor_of(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  return e.map(e.evaluate(call.arguments[0]),
               [&](NodeId x) { return stepped(e, Op::floor, x, at); });
}
Value ceil_of(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  return e.map(e.evaluate(call.arguments[0]),
               [&](NodeId x) { return stepped(e, Op::ceil, x, at); });
}
Value modulo(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 2, 2);
  Graph& g = e.graph();
  const NodeId x = e.scalar(call.arguments[0]), y = e.scalar(call.arguments[1]);
  return g.sub(x, g.mul(stepped(e, Op::floor, g.div(x, y), at), y));
}
Value remainder_of(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 2, 2);
  Graph& g = e.graph();
  const NodeId x = e.scalar(call.arguments[0]), y = e.scalar(call.arguments[1]);
  const NodeId quotient = g.div(x, y);
  if (!watched(e, quotient)) return g.make(Op::rem, x, y);
  const NodeId whole = g.make(Op::select, e.on_relation(Relation::Kind::positive, quotient, at),
                              e.on_relation(Relation::Kind::floor, quotient, at),
                              e.on_relation(Relation::Kind::ceil, quotient, at));
  return g.sub(x, g.mul(whole, y));
}

Value reduce(Evaluator& e, const Call& call, const Span& at, bool product) {
  count(e, call, at, 1, 1);
  Graph& g = e.graph();
  const Value v = e.evaluate(call.arguments[0]);
  if (!v.is_array()) return v;
  NodeId result = g.constant(product ? 1 : 0);
  for (NodeId x : v.array->elements) result = product ? g.mul(result, x) : g.add(result, x);
  return result;
}
Value sum(Evaluator& e, const Call& c, const Span& at) {
  return reduce(e, c, at, false);
}
Value product(Evaluator& e, const Call& c, const Span& at) {
  return reduce(e, c, at, true);
}

Value size(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 2);
  const Value v = e.evaluate(call.arguments[0]);
  const Shape shape = v.is_array() ? v.array->shape : Shape{};
  if (call.arguments.size() == 2) {
    const int k = e.integer(call.arguments[1], "the dimension asked for");
    if (k < 1 || k > static_cast<int>(shape.size()))
      e.fail(call.arguments[1]->at,
             fmt::format("there is no dimension {} in {}", k, shape_text(shape)));
    return e.graph().constant(shape[static_cast<std::size_t>(k - 1)]);
  }
  ArrayValue result{{static_cast<int>(shape.size())}, {}};
  for (int n : shape) result.elements.push_back(e.graph().constant(n));
  return result;
}

Value filled(Evaluator& e, const Call& call, const Span& at, std::size_t first, NodeId value) {
  ArrayValue result;
  for (std::size_t k = first; k < call.arguments.size(); ++k) {
    const int n = e.integer(call.arguments[k], "a dimension");
    if (n < 0) e.fail(call.arguments[k]->at, "a dimension must not be negative");
    result.shape.push_back(n);
  }
  if (result.shape.empty())
    e.fail(at, fmt::format("'{}' needs at least one dimension", call.function));
  if (static_cast<double>(size_of(result.shape)) > 1e8) e.fail(at, "the array is too large");
  result.elements.assign(static_cast<std::size_t>(size_of(result.shape)), value);
  return result;
}
Value zeros(Evaluator& e, const Call& c, const Span& at) {
  return filled(e, c, at, 0, e.graph().constant(0));
}
Value ones(Evaluator& e, const Call& c, const Span& at) {
  return filled(e, c, at, 0, e.graph().constant(1));
}
Value fill(Evaluator& e, const Call& c, const Span& at) {
  count(e, c, at, 2, 20);
  return filled(e, c, at, 1, e.scalar(c.arguments[0]));
}

Value identity(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  const int n = e.integer(call.arguments[0], "the size of the identity");
  if (n < 1 || n > 10000) e.fail(at, fmt::format("identity({}) is out of range", n));
  ArrayValue result{{n, n}, {}};
  for (int i = 0; i < n * n; ++i)
    result.elements.push_back(e.graph().constant(i % (n + 1) == 0 ? 1 : 0));
  return result;
}

Value transpose(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  const Value v = e.evaluate(call.arguments[0]);
  if (!v.is_array() || v.array->shape.size() != 2) e.fail(at, "transpose needs a matrix");
  const int rows = v.array->shape[0], columns = v.array->shape[1];
  ArrayValue result{{columns, rows}, {}};
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      result.elements.push_back(v.array->elements[static_cast<std::size_t>(i * columns + j)]);
  return result;
}

Value reshape(Evaluator& e, const Call& call, const Span& at, bool matrix) {
  count(e, call, at, 1, 1);
  const Value v = e.evaluate(call.arguments[0]);
  ArrayValue result = v.is_array() ? *v.array : ArrayValue{{}, {v.scalar}};
  const int n = static_cast<int>(result.elements.size());
  if (!matrix) {
    result.shape = {n};
  } else if (result.shape.size() != 2) {
    result.shape = result.shape.empty() ? Shape{1, 1}
                                        : Shape{result.shape[0], n / std::max(1, result.shape[0])};
  }
  return result;
}
Value vector(Evaluator& e, const Call& c, const Span& at) {
  return reshape(e, c, at, false);
}
Value matrix(Evaluator& e, const Call& c, const Span& at) {
  return reshape(e, c, at, true);
}

Value cross(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 2, 2);
  const Value a = e.evaluate(call.arguments[0]), b = e.evaluate(call.arguments[1]);
  if (!a.is_array() || !b.is_array() || a.array->shape != Shape{3} || b.array->shape != Shape{3})
    e.fail(at, "cross needs two vectors of length 3");
  Graph& g = e.graph();
  const auto &x = a.array->elements, &y = b.array->elements;
  ArrayValue result{{3}, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    result.elements.push_back(g.sub(g.mul(x[j], y[k]), g.mul(x[k], y[j])));
  }
  return result;
}

Value without_events(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, call.function == "smooth" ? 2 : 1, call.function == "smooth" ? 2 : 1);
  const bool before = e.relations_are_events;
  e.relations_are_events = false;
  const Value v = e.evaluate(call.arguments.back());
  e.relations_are_events = before;
  return v;
}

Value pre(Evaluator& e, const Call& call, const Span& at) {
  count(e, call, at, 1, 1);
  const Evaluator::Place place = e.place_of(call.arguments[0]);
  if (place.symbol->kind != Symbol::Kind::discrete || place.offsets.size() != 1)
    e.fail(at, "pre() needs a scalar discrete variable", "declare it as 'discrete Real'");
  return e.on_pre(place.symbol->base + place.offsets[0]);
}

Value edge(Evaluator& e, const Call& call, const Span& at) {
  const Value now = (count(e, call, at, 1, 1), e.evaluate(call.arguments[0]));
  const Value before = pre(e, call, at);
  return e.graph().make(Op::logical_and, now.scalar,
                        e.graph().make(Op::logical_not, before.scalar));
}

const std::map<std::string, Builtin>& table() {
  static const std::map<std::string, Builtin> functions = {{"sqrt", one<Op::sqrt>},
                                                           {"exp", one<Op::exp>},
                                                           {"log", one<Op::log>},
                                                           {"log10", one<Op::log10>},
                                                           {"sin", one<Op::sin>},
                                                           {"cos", one<Op::cos>},
                                                           {"tan", one<Op::tan>},
                                                           {"asin", one<Op::asin>},
                                                           {"acos", one<Op::acos>},
                                                           {"atan", one<Op::atan>},
                                                           {"sinh", one<Op::sinh>},
                                                           {"cosh", one<Op::cosh>},
                                                           {"tanh", one<Op::tanh>},
                                                           {"atan2", two<Op::atan2>},
                                                           {"abs", absolute},
                                                           {"sign", sign},
                                                           {"min", minimum},
                                                           {"max", maximum},
                                                           {"floor", floor_of},
                                                           {"ceil", ceil_of},
                                                           {"mod", modulo},
                                                           {"rem", remainder_of},
                                                           {"sum", sum},
                                                           {"product", product},
                                                           {"size", size},
                                                           {"zeros", zeros},
                                                           {"ones", ones},
                                                           {"fill", fill},
                                                           {"identity", identity},
                                                           {"transpose", transpose},
                                                           {"vector", vector},
                                                           {"matrix", matrix},
                                                           {"cross", cross},
                                                           {"noEvent", without_events},
                                                           {"smooth", without_events},
                                                           {"pre", pre},
                                                           {"edge", edge}};
  return functions;
}

}  // namespace

Builtin find_builtin(const std::string& name) {
  const auto at = table().find(name);
  return at == table().end() ? nullptr : at->second;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names = {"der"};
  for (const auto& [name, f] : table()) names.push_back(name);
  return names;
}

}  // namespace daedalus::model
