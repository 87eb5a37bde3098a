// Equations, loops, if- and when-equations of a model as rows of equation sets.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include <fmt/format.h>

#include "model/flattener.h"

namespace daedalus::model {
namespace {

/// Calls visit for every expression below an expression, itself included.
void walk(const Expression& e, const std::function<void(const Expression&)>& visit) {
  if (!e) return;
  visit(e);
  const auto all = [&](const std::vector<Expression>& list) {
    for (const Expression& x : list) walk(x, visit);
  };
  if (const auto* v = as<Reference>(e)) all(v->subscripts);
  if (const auto* v = as<Unary>(e)) walk(v->operand, visit);
  if (const auto* v = as<Chain>(e)) {
    walk(v->first, visit);
    for (const Chain::Link& link : v->links) walk(link.operand, visit);
  }
  if (const auto* v = as<Call>(e)) all(v->arguments);
  if (const auto* v = as<Array>(e)) all(v->elements);
  if (const auto* v = as<Comprehension>(e)) walk(v->body, visit);
  if (const auto* v = as<Matrix>(e))
    for (const auto& row : v->rows) all(row);
  if (const auto* v = as<If>(e)) {
    for (const If::Branch& b : v->branches) walk(b.condition, visit), walk(b.value, visit);
    walk(v->otherwise, visit);
  }
}

void walk(const Equations& equations, const std::function<void(const Expression&)>& visit) {
  for (const Equation& equation : equations) {
    if (const auto* v = std::get_if<Equality>(&equation.value))
      walk(v->left, visit), walk(v->right, visit);
    if (const auto* v = std::get_if<ForEquation>(&equation.value)) walk(v->body, visit);
    if (const auto* v = std::get_if<IfEquation>(&equation.value)) {
      for (const auto& b : v->branches) walk(b.condition, visit), walk(b.body, visit);
      walk(v->otherwise, visit);
    }
    if (const auto* v = std::get_if<WhenEquation>(&equation.value))
      for (const auto& b : v->branches) walk(b.condition, visit), walk(b.body, visit);
    if (const auto* v = std::get_if<Reinit>(&equation.value)) walk(v->value, visit);
  }
}

/// Equalities by the line on which they begin, those of loops and branches included.
void count_by_line(const Equations& equations, std::map<int, int>& count) {
  for (const Equation& equation : equations) {
    if (std::holds_alternative<Equality>(equation.value)) ++count[equation.at.line];
    if (const auto* v = std::get_if<ForEquation>(&equation.value)) count_by_line(v->body, count);
    if (const auto* v = std::get_if<IfEquation>(&equation.value)) {
      for (const auto& b : v->branches) count_by_line(b.body, count);
      count_by_line(v->otherwise, count);
    }
  }
}

}  // namespace

FlatModel flatten(const Ast& ast, const FlattenOptions& options) {
  return Flattener(ast, options).run();
}

void Flattener::find_orders() {
  const auto visit = [&](const Expression& e) {
    const Call* call = as<Call>(e);
    if (!call || call->function != "der" || call->arguments.empty()) return;
    int order = 0;
    Expression inner = e;
    for (const Call* c = call; c && c->function == "der" && !c->arguments.empty();
         c = as<Call>(inner)) {
      const Number* n = c->arguments.size() == 2 ? as<Number>(c->arguments[1]) : nullptr;
      order += n ? static_cast<int>(n->value) : 1;
      inner = c->arguments[0];
    }
    // der of an expression reaches one order above what stands inside.
    walk(inner, [&](const Expression& x) {
      const Reference* r = as<Reference>(x);
      if (!r) return;
      if (const auto at = symbols_.find(r->name); at != symbols_.end())
        at->second.order = std::clamp(order, at->second.order, 9);
    });
  };
  walk(ast_.model.equations, visit);
  walk(ast_.model.initial_equations, visit);
  for (const Declaration& d : ast_.model.declarations) walk(d.binding, visit);
}

void Flattener::find_shared_lines() {
  const auto& model = ast_.model;
  for (const Equations* all : {&model.equations, &model.initial_equations, &model.constraints})
    count_by_line(*all, equations_on_line_);
}

std::string Flattener::label_of(const Equation& equation) const {
  if (!equation.label.empty()) return equation.label;
  const auto count = equations_on_line_.find(equation.at.line);
  if (count == equations_on_line_.end() || count->second == 1)
    return fmt::format("line {}", equation.at.line);
  return fmt::format("line {}, column {}", equation.at.line, equation.at.column);
}

void Flattener::begin_equation() {
  evaluator_.builder->begin();
  evaluator_.renew_loop_values();
}

/// `x = number` among the initial equations says what start and fixed say; true if it was one.
bool Flattener::take_as_start(NodeId residual) {
  const Graph& g = evaluator_.graph();
  const daedalus::Node n = g[residual];
  NodeId variable = residual;
  double value = 0;
  if (n.op == Op::sub && g.is_constant(n.b)) variable = n.a, value = g.value(n.b);
  if (n.op == Op::sub && g.is_constant(n.a)) variable = n.b, value = g.value(n.a);
  if (g[variable].op != Op::input) return false;
  const Leaf leaf = evaluator_.builder->leaf_of(g[variable].a);
  if (leaf.kind != Leaf::Kind::variable || leaf.order != 0) return false;
  FlatVariable& v = flat_.variables[static_cast<std::size_t>(leaf.which)];
  if (v.fixed && v.start != value) return false;  // a contradiction: for the solver to report
  v.start = value, v.has_start = v.fixed = true;
  return true;
}

void Flattener::add_rows(const Value& residual, const Equation& equation) {
  if (in_initial_section_ && !residual.is_array() && take_as_start(residual.scalar)) return;
  auto& labels = in_constraint_section_ ? flat_.condition_labels
                 : in_initial_section_  ? flat_.initial_labels
                                        : flat_.labels;
  const std::string label = label_of(equation);
  if (!residual.is_array()) {
    evaluator_.builder->add(residual.scalar);
    labels.push_back(label);
    return;
  }
  for (std::size_t i = 0; i < residual.array->elements.size(); ++i) {
    evaluator_.builder->add(residual.array->elements[i]);
    labels.push_back(fmt::format("{} [{}]", label, i + 1));
  }
}

void Flattener::add_equality(const Equation& equation, const Equality& equality) {
  begin_equation();
  const bool defines = !in_initial_section_ && !in_constraint_section_;
  if (as<Reference>(equality.left) && defines) {
    const Evaluator::Place place = evaluator_.place_of(equality.left);
    if (place.symbol->kind == Symbol::Kind::discrete)
      return define_discrete(*place.symbol, place.offsets, evaluator_.evaluate(equality.right),
                             equation.at);
  }
  const Value left = evaluator_.evaluate(equality.left),
              right = evaluator_.evaluate(equality.right);
  const Shape shape_left = left.is_array() ? left.array->shape : Shape{};
  const Shape shape_right = right.is_array() ? right.array->shape : Shape{};
  if (shape_left != shape_right)
    evaluator_.fail(equation.at,
                    fmt::format("the left side is {}, the right side {}", shape_text(shape_left),
                                shape_text(shape_right)),
                    "both sides of an equation must have the same shape");
  Graph& g = evaluator_.graph();
  const Value residual = evaluator_.elementwise(
      left, right, equation.at, [&](NodeId a, NodeId b) { return g.sub(a, b); }, "=");
  if (!residual.is_array() && g.is_constant(residual.scalar) && !in_initial_section_ &&
      (!in_constraint_section_ || g.value(residual.scalar) != 0))
    evaluator_.fail(equation.at,
                    g.value(residual.scalar) == 0
                        ? "this equation says nothing: it holds for all values"
                        : fmt::format("this equation contains no unknown and cannot hold: {} = 0",
                                      g.value(residual.scalar)));
  if (defines && as<Reference>(equality.left)) {
    const Evaluator::Place place = evaluator_.place_of(equality.left);
    if (place.symbol->kind == Symbol::Kind::variable)
      for (std::size_t i = 0; i < place.offsets.size(); ++i)
        note_definition(static_cast<int>(flat_.labels.size() + i),
                        place.symbol->base + place.offsets[i]);
  }
  add_rows(residual, equation);
}

void Flattener::add_equation(const Equation& equation) {
  if (const auto* loop = std::get_if<ForEquation>(&equation.value)) {
    evaluator_.builder->begin();
    evaluator_.renew_loop_values();
    evaluator_.for_each(loop->iterators, [&] {
      for (const Equation& inner : loop->body) add_equation(inner);
    });
    return;
  }
  if (const auto* v = std::get_if<Equality>(&equation.value)) return add_equality(equation, *v);
  if (const auto* v = std::get_if<IfEquation>(&equation.value)) return add_if(equation, *v);
  if (const auto* v = std::get_if<WhenEquation>(&equation.value)) return add_when(equation, *v);
  if (const auto* v = std::get_if<Assert>(&equation.value)) return add_assertion(*v);
  if (std::get_if<Terminate>(&equation.value))
    evaluator_.fail(equation.at, "terminate() outside of a when clause would end every run at once",
                    "put it into a when clause");
  if (std::get_if<Reinit>(&equation.value))
    evaluator_.fail(equation.at, "reinit() is only allowed in a when clause");
}

void Flattener::add_equations(const Equations& equations) {
  for (const Equation& equation : equations) guarded([&] { add_equation(equation); });
}

std::vector<NodeId> Flattener::residuals(const Equations& equations) {
  std::vector<NodeId> list;
  Graph& g = evaluator_.graph();
  for (const Equation& equation : equations) {
    if (const auto* loop = std::get_if<ForEquation>(&equation.value)) {
      evaluator_.for_each(loop->iterators, [&] {
        for (NodeId node : residuals(loop->body)) list.push_back(node);
      });
      continue;
    }
    const auto* v = std::get_if<Equality>(&equation.value);
    if (!v)
      evaluator_.fail(equation.at, "inside an if-equation only equations and loops are allowed");
    const Value r = evaluator_.elementwise(
        evaluator_.evaluate(v->left), evaluator_.evaluate(v->right), equation.at,
        [&](NodeId a, NodeId b) { return g.sub(a, b); }, "=");
    if (r.is_array())
      list.insert(list.end(), r.array->elements.begin(), r.array->elements.end());
    else
      list.push_back(r.scalar);
  }
  return list;
}

void Flattener::add_if(const Equation& equation, const IfEquation& node) {
  begin_equation();
  std::vector<std::pair<NodeId, const Equations*>> open;
  const Equations* last = &node.otherwise;
  for (const IfEquation::Branch& branch : node.branches) {
    const NodeId condition = evaluator_.scalar(branch.condition);
    if (evaluator_.graph().is_constant(condition)) {
      if (evaluator_.graph().value(condition) == 0) continue;
      last = &branch.body;
      break;
    }
    open.emplace_back(condition, &branch.body);
  }
  if (open.empty()) {
    for (const Equation& inner : *last) add_equation(inner);
    return;
  }
  std::vector<NodeId> rows = residuals(*last);
  for (auto it = open.rbegin(); it != open.rend(); ++it) {
    const std::vector<NodeId> mine = residuals(*it->second);
    if (mine.size() != rows.size())
      evaluator_.fail(
          equation.at,
          fmt::format("the branches have {} and {} equations", mine.size(), rows.size()),
          "every branch of an if-equation, else included, needs equally many");
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = evaluator_.graph().make(Op::select, it->first, mine[i], rows[i]);
  }
  for (NodeId row : rows) add_rows(Value(row), equation);
}

void Flattener::add_binding(const Declaration& d) {
  const Symbol& symbol = symbols_.at(d.name);
  if (symbol.kind == Symbol::Kind::parameter || !d.binding) return;
  begin_equation();
  const Value right = evaluator_.evaluate(d.binding);
  if (symbol.kind == Symbol::Kind::discrete) {
    std::vector<int> offsets(static_cast<std::size_t>(size_of(symbol.shape)));
    std::iota(offsets.begin(), offsets.end(), 0);
    return define_discrete(symbol, offsets, right, d.at);
  }
  ArrayValue left{symbol.shape, {}};
  for (int i = 0; i < size_of(symbol.shape); ++i)
    left.elements.push_back(evaluator_.variable(symbol, i, 0));
  Graph& g = evaluator_.graph();
  Equation equation;
  equation.at = d.at, equation.label = d.name;
  for (int i = 0; i < size_of(symbol.shape); ++i)
    note_definition(static_cast<int>(flat_.labels.size()) + i, symbol.base + i);
  const Value own = symbol.shape.empty() ? Value(left.elements[0]) : Value(left);
  add_rows(evaluator_.elementwise(
               own, right, d.at, [&](NodeId a, NodeId b) { return g.sub(a, b); }, "="),
           equation);
}

void Flattener::note_definition(int row, int variable) {
  const FlatVariable& v = flat_.variables[static_cast<std::size_t>(variable)];
  if (!v.has_start && !v.fixed) flat_.definitions.emplace_back(row, variable);
}

void Flattener::add_hidden_equations() {
  for (const Declaration& d : ast_.model.declarations) {
    const Symbol& symbol = symbols_.at(d.name);
    const int size = size_of(symbol.shape);
    if (symbol.kind == Symbol::Kind::parameter) continue;
    for (int i = 0; i < size && symbol.kind == Symbol::Kind::discrete; ++i) {
      equations_.begin();
      const NodeId shown = equations_.variable(symbol.shown + i);
      equations_.add(equations_.graph().sub(shown, equations_.discrete(symbol.base + i)));
      flat_.labels.push_back(fmt::format("value of {}", element_name(d.name, symbol.shape, i)));
    }
    for (int k = 1; k < symbol.order; ++k)
      for (int i = 0; i < size; ++i) {
        equations_.begin();
        const NodeId lower = k == 1
                                 ? equations_.variable(symbol.base + i, 1)
                                 : equations_.variable(symbol.hidden_base + (k - 2) * size + i, 1);
        equations_.add(equations_.graph().sub(
            lower, equations_.variable(symbol.hidden_base + (k - 1) * size + i, 0)));
        flat_.labels.push_back(fmt::format(
            "definition of {}",
            flat_.variables[static_cast<std::size_t>(symbol.hidden_base + (k - 1) * size + i)]
                .name));
      }
  }
}

void Flattener::check_counts() {
  const int unknowns = static_cast<int>(flat_.variables.size());
  const int rows = flat_.equations.rows();
  std::vector<char> occurs(static_cast<std::size_t>(unknowns), 0);
  for (const Kernel& kernel : flat_.equations.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable)
        for (int v : kernel.which[l]) occurs[static_cast<std::size_t>(v)] = 1;
  for (int v = 0; v < unknowns; ++v)
    if (!occurs[static_cast<std::size_t>(v)])
      errors_.error(flat_.variables[static_cast<std::size_t>(v)].at,
                    fmt::format("'{}' occurs in no equation",
                                flat_.variables[static_cast<std::size_t>(v)].name),
                    "add an equation for it, or make it a parameter");
  if (rows != unknowns)
    errors_.error(ast_.model.at,
                  fmt::format("the model has {} equations for {} unknowns", rows, unknowns),
                  rows < unknowns
                      ? fmt::format("{} equation{} missing", unknowns - rows,
                                    unknowns - rows == 1 ? " is" : "s are")
                      : fmt::format("{} too many: remove some, or add unknowns", rows - unknowns));
}

}  // namespace daedalus::model
