#include "expression/graph.h"

#include <bit>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace daedalus {

const char* name_of(Op op) {
  static constexpr const char* names[] = {
      "constant", "input", "neg",  "sqrt", "exp",  "log",  "log10", "sin",  "cos",   "tan",
      "asin",     "acos",  "atan", "sinh", "cosh", "tanh", "abs",   "sign", "floor", "ceil",
      "not",      "+",     "-",    "*",    "/",    "^",    "atan2", "min",  "max",   "mod",
      "rem",      "<",     "<=",   "==",   "and",  "or",   "if"};
  return names[static_cast<int>(op)];
}

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::constant:
    case Op::input:
      return a;
    case Op::neg:
      return -a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::log10:
      return std::log10(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0;
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::logical_not:
      return a == 0 ? 1.0 : 0.0;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return std::pow(a, b);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::min:
      return a < b ? a : b;
    case Op::max:
      return a > b ? a : b;
    case Op::mod:
      return a - std::floor(a / b) * b;
    case Op::rem:
      return a - std::trunc(a / b) * b;
    case Op::less:
      return a < b ? 1.0 : 0.0;
    case Op::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Op::equal:
      return a == b ? 1.0 : 0.0;
    case Op::logical_and:
      return a != 0 && b != 0 ? 1.0 : 0.0;
    case Op::logical_or:
      return a != 0 || b != 0 ? 1.0 : 0.0;
    case Op::select:
      return a != 0 ? b : c;
  }
  return 0;
}

Graph::Graph() : table_(64) {}

void Graph::clear() {
  nodes_.clear();
  ++epoch_;
}

void Graph::cut_back(int count) {
  if (size() <= count) return;
  const std::vector<Node> kept(nodes_.begin(), nodes_.begin() + count);
  clear();
  for (const Node& node : kept) intern(node);
}

void Graph::grow() {
  std::vector<Cell> old = std::move(table_);
  table_.assign(old.size() * 4, Cell{});
  std::vector<Node> nodes = std::move(nodes_);
  nodes_.clear();
  nodes_.reserve(nodes.size() * 4);
  ++epoch_;
  const std::size_t mask = table_.size() - 1;
  for (const Node& node : nodes) {
    std::size_t i = hash_of(node) & mask;  // no two are equal
    while (table_[i].epoch == epoch_) i = (i + 1) & mask;
    table_[i] = {epoch_, static_cast<NodeId>(nodes_.size())};
    nodes_.push_back(node);
  }
}

std::uint64_t Graph::hash_of(const Node& node) {
  const auto pair = [](auto high, NodeId low) {
    return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
  };
  // Products that do not wait for each other.
  std::uint64_t hash = pair(node.op, node.a) * 0x9E3779B97F4A7C15ull ^
                       pair(static_cast<std::uint32_t>(node.b), node.c) * 0xC2B2AE3D27D4EB4Full ^
                       std::bit_cast<std::uint64_t>(node.value) * 0xFF51AFD7ED558CCDull;
  hash ^= hash >> 32;
  hash *= 0x9E3779B97F4A7C15ull;
  return hash ^ hash >> 29;
}

NodeId Graph::intern(const Node& node) {
  if (nodes_.size() * 2 >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = hash_of(node) & mask;; i = (i + 1) & mask) {
    Cell& cell = table_[i];
    if (cell.epoch != epoch_) {
      if (size() >= most_) throw std::length_error("more expressions than were asked for");
      cell = {epoch_, static_cast<NodeId>(nodes_.size())};
      nodes_.push_back(node);
      return cell.id;
    }
    const Node& other = nodes_[static_cast<std::size_t>(cell.id)];
    if (other.op == node.op && other.a == node.a && other.b == node.b && other.c == node.c &&
        std::bit_cast<std::uint64_t>(other.value) == std::bit_cast<std::uint64_t>(node.value))
      return cell.id;
  }
}

NodeId Graph::constant(double value) {
  return intern({Op::constant, -1, -1, -1, value});
}

NodeId Graph::input(int number) {
  return intern({Op::input, number, -1, -1, 0});
}

NodeId Graph::simplified(Op op, NodeId a, NodeId b, NodeId c) {
  const auto is = [this](NodeId x, double v) { return is_constant(x, v); };
  switch (op) {
    case Op::neg:
      if ((*this)[a].op == Op::neg) return (*this)[a].a;
      break;
    case Op::add:
      if (is(a, 0)) return b;
      if (is(b, 0)) return a;
      if ((*this)[b].op == Op::neg) return make(Op::sub, a, (*this)[b].a);
      if ((*this)[a].op == Op::neg) return make(Op::sub, b, (*this)[a].a);
      break;
    case Op::sub:
      if (is(b, 0)) return a;
      if (is(a, 0)) return make(Op::neg, b);
      if (a == b) return constant(0);
      if ((*this)[b].op == Op::neg) return make(Op::add, a, (*this)[b].a);
      break;
    case Op::mul:
      if (is(a, 0) || is(b, 0)) return constant(0);
      if (is(a, 1)) return b;
      if (is(b, 1)) return a;
      if (is(a, -1)) return make(Op::neg, b);
      if (is(b, -1)) return make(Op::neg, a);
      if ((*this)[a].op == Op::neg) return make(Op::neg, make(Op::mul, (*this)[a].a, b));
      if ((*this)[b].op == Op::neg) return make(Op::neg, make(Op::mul, a, (*this)[b].a));
      break;
    case Op::div:
      if (is(a, 0) && !is(b, 0)) return constant(0);
      if (is(b, 1)) return a;
      if (is(b, -1)) return make(Op::neg, a);
      if ((*this)[a].op == Op::neg) return make(Op::neg, make(Op::div, (*this)[a].a, b));
      break;
    case Op::logical_and:
      if (is(a, 0) || is(b, 0)) return constant(0);
      if (is_constant(a)) return b;
      if (is_constant(b)) return a;
      break;
    case Op::logical_or:
      if (is(a, 0)) return b;
      if (is(b, 0)) return a;
      if (is_constant(a) || is_constant(b)) return constant(1);
      break;
    case Op::select:
      if (is_constant(a)) return value(a) != 0 ? b : c;
      if (b == c) return b;
      break;
    default:
      break;
  }
  return -1;
}

NodeId Graph::make(Op op, NodeId a, NodeId b, NodeId c) {
  const int count = operands_of(op);
  if (is_constant(a) && (count < 2 || is_constant(b)) && (count < 3 || is_constant(c)))
    return constant(apply(op, value(a), count > 1 ? value(b) : 0, count > 2 ? value(c) : 0));
  if (const NodeId known = simplified(op, a, b, c); known >= 0) return known;
  return intern({op, a, count > 1 ? b : -1, count > 2 ? c : -1, 0});
}

NodeId Graph::pow(NodeId a, NodeId b) {
  if (is_constant(b)) {
    const double p = value(b);
    if (p == 0) return constant(1);
    if (p == 0.5) return make(Op::sqrt, a);
    if (p == std::floor(p) && std::abs(p) <= 16 && !is_constant(a)) {
      NodeId result = -1, power = a;
      for (auto k = static_cast<unsigned>(std::abs(p)); k > 0; k >>= 1) {
        if (k & 1) result = result < 0 ? power : mul(result, power);
        if (k > 1) power = mul(power, power);
      }
      return p > 0 ? result : div(constant(1), result);
    }
  }
  return make(Op::pow, a, b);
}

}  // namespace daedalus
