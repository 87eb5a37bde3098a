#include "daedalus/expr.h"

#include <cmath>

#include "daedalus/error.h"
#include "expression/graph.h"

namespace daedalus {

Expr::Expr(Graph& graph, int node) {
  if (graph.is_constant(node))
    value_ = graph.value(node);
  else
    graph_ = &graph, node_ = node;
}

int Expr::node_in(Graph& graph) const {
  return is_constant() ? graph.constant(value_) : node_;
}

Expr Expr::make(int op, const Expr& a, const Expr* b, const Expr* c) {
  Graph* graph = a.graph_;
  if (!graph && b) graph = b->graph_;
  if (!graph && c) graph = c->graph_;
  if (!graph) return apply(static_cast<Op>(op), a.value_, b ? b->value_ : 0, c ? c->value_ : 0);
  return {*graph, graph->make(static_cast<Op>(op), a.node_in(*graph), b ? b->node_in(*graph) : -1,
                              c ? c->node_in(*graph) : -1)};
}

namespace {

[[noreturn]] void refuse_to_tell(const char* what) {
  throw InvalidInput(std::string("recording: ") + what +
                     " needs the value of an expression, which is not known while equations are "
                     "recorded; write select(condition, a, b), min, max or abs in place of a "
                     "branch, or solve the problem without recording it");
}

}  // namespace

Expr operator-(const Expr& x) {
  return Expr::make(static_cast<int>(Op::neg), x);
}
Expr operator+(const Expr& x, const Expr& y) {
  return Expr::make(static_cast<int>(Op::add), x, &y);
}
Expr operator-(const Expr& x, const Expr& y) {
  return Expr::make(static_cast<int>(Op::sub), x, &y);
}
Expr operator*(const Expr& x, const Expr& y) {
  return Expr::make(static_cast<int>(Op::mul), x, &y);
}
Expr operator/(const Expr& x, const Expr& y) {
  return Expr::make(static_cast<int>(Op::div), x, &y);
}
Expr sqrt(const Expr& x) {
  return Expr::make(static_cast<int>(Op::sqrt), x);
}
Expr exp(const Expr& x) {
  return Expr::make(static_cast<int>(Op::exp), x);
}
Expr log(const Expr& x) {
  return Expr::make(static_cast<int>(Op::log), x);
}
Expr log10(const Expr& x) {
  return Expr::make(static_cast<int>(Op::log10), x);
}
Expr sin(const Expr& x) {
  return Expr::make(static_cast<int>(Op::sin), x);
}
Expr cos(const Expr& x) {
  return Expr::make(static_cast<int>(Op::cos), x);
}
Expr tan(const Expr& x) {
  return Expr::make(static_cast<int>(Op::tan), x);
}
Expr asin(const Expr& x) {
  return Expr::make(static_cast<int>(Op::asin), x);
}
Expr acos(const Expr& x) {
  return Expr::make(static_cast<int>(Op::acos), x);
}
Expr atan(const Expr& x) {
  return Expr::make(static_cast<int>(Op::atan), x);
}
Expr sinh(const Expr& x) {
  return Expr::make(static_cast<int>(Op::sinh), x);
}
Expr cosh(const Expr& x) {
  return Expr::make(static_cast<int>(Op::cosh), x);
}
Expr tanh(const Expr& x) {
  return Expr::make(static_cast<int>(Op::tanh), x);
}
Expr abs(const Expr& x) {
  return Expr::make(static_cast<int>(Op::abs), x);
}
Expr atan2(const Expr& y, const Expr& x) {
  return Expr::make(static_cast<int>(Op::atan2), y, &x);
}
Expr max(const Expr& x, const Expr& y) {
  return Expr::make(static_cast<int>(Op::max), x, &y);
}
Expr min(const Expr& x, const Expr& y) {
  return Expr::make(static_cast<int>(Op::min), x, &y);
}
Expr pow(const Expr& x, const Expr& p) {
  if (x.is_constant() && p.is_constant()) return std::pow(x.value(), p.value());
  Graph& graph = *(x.is_constant() ? p.graph_ : x.graph_);
  return {graph, graph.pow(x.node_in(graph), p.node_in(graph))};
}

double value_of(const Expr& x) {
  if (!x.is_constant()) refuse_to_tell("value_of, or a time that is a plain double,");
  return x.value();
}
bool isfinite(const Expr& x) {
  if (!x.is_constant()) refuse_to_tell("isfinite");
  return std::isfinite(x.value());
}
bool isnan(const Expr& x) {
  if (!x.is_constant()) refuse_to_tell("isnan");
  return std::isnan(x.value());
}

Condition::operator bool() const {
  if (!truth_.is_constant()) refuse_to_tell("a branch on a comparison");
  return truth_.value() != 0;
}

Condition operator<(const Expr& x, const Expr& y) {
  return Condition(Expr::make(static_cast<int>(Op::less), x, &y));
}
Condition operator<=(const Expr& x, const Expr& y) {
  return Condition(Expr::make(static_cast<int>(Op::less_equal), x, &y));
}
Condition operator==(const Expr& x, const Expr& y) {
  return Condition(Expr::make(static_cast<int>(Op::equal), x, &y));
}
Condition operator&&(const Condition& x, const Condition& y) {
  return Condition(Expr::make(static_cast<int>(Op::logical_and), x.truth(), &y.truth()));
}
Condition operator||(const Condition& x, const Condition& y) {
  return Condition(Expr::make(static_cast<int>(Op::logical_or), x.truth(), &y.truth()));
}
Condition operator!(const Condition& x) {
  return Condition(Expr::make(static_cast<int>(Op::logical_not), x.truth()));
}

Expr select(const Condition& condition, const Expr& a, const Expr& b) {
  return Expr::make(static_cast<int>(Op::select), condition.truth(), &a, &b);
}

}  // namespace daedalus
