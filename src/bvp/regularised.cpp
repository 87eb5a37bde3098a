// All iterates of sequential regularisation side by side: for s = 1, ..., m a copy x_s, y_s of the
// variables with its own conditions, and the rates a_s that x_s would have with y_{s-1}. With the
// constraint G(t, z) = 0 of index 2 and d/dt G = G_t + G_z z',
//
//   F(t, x_s, a_s, y_{s-1}) = 0,   eps (d/dt G(x_s') - d/dt G(a_s)) + G(x_s) = 0,
//
// so that d/dt G decays like -G / eps wherever y_{s-1} is right.      [AscherLin1997, (2.2)-(2.5)]
#include <fmt/format.h>

#include "bvp/collocation_system.h"
#include "daedalus/error.h"
#include "expression/rebuild.h"

namespace daedalus::bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// What stands for derivative `order` of a variable.
using Substitute = std::function<NodeId(EquationBuilder&, int variable, int order)>;

class Iterates {
 public:
  Iterates(const BoundaryGraph& graph, double eps, int iterations)
      : graph_(graph),
        system_(graph, ConstraintForm::direct, 0),
        eps_(eps),
        iterations_(iterations),
        width_(graph.size() + system_.components()) {
    int deepest = 0;
    for (const auto& [equation, level] : system_.constraints) deepest = std::max(deepest, level);
    for (int l = 0; l <= deepest; ++l)
      level_.push_back(l == 0 ? graph.equations : level_.back().differentiated());
    if (static_cast<int>(system_.constraints.size()) != system_.algebraic())
      throw InvalidInput(fmt::format(
          "form: sequential regularisation takes a multiplier for each constraint; here "
          "are {} constraints and {} algebraic variables",
          system_.constraints.size(), system_.algebraic()));
  }

  BoundaryGraph joined() {
    BoundaryGraph result;
    result.t_span = graph_.t_span, result.discrete = graph_.discrete;
    result.points = graph_.points;
    const bool has_left = !result.points.empty() && result.points.front() == graph_.t_span.begin;
    if (!has_left) result.points.insert(result.points.begin(), graph_.t_span.begin);
    const int shift = has_left ? 0 : 1;
    EquationBuilder equations, conditions;
    for (int s = 1; s <= iterations_; ++s) {
      const std::string iterate = s < iterations_ ? fmt::format(" in iterate {}", s) : "";
      for (const std::string& name : graph_.variables) result.variables.push_back(name + iterate);
      for (int c = 0; c < system_.components(); ++c)
        result.variables.push_back(fmt::format("rate of {} before iterate {}",
                                               system_.slot_names[at(system_.offset[at(c)])], s));
      add_equations(s, equations, result.equation_names);
      add_conditions(s, shift, conditions, result.condition_names);
    }
    result.equations = equations.take(), result.conditions = conditions.take();
    const int last = (iterations_ - 1) * width_;
    for (const auto& [variable, order] : graph_.shown)
      result.shown.emplace_back(last + variable, order);
    result.shown_names = graph_.shown_names;
    result.guess = [guess = graph_.guess, count = iterations_, width = width_](double t, int orders,
                                                                               double* const* x) {
      std::vector<double*> part(static_cast<std::size_t>(orders));
      for (int s = 0; s < count && guess; ++s) {
        for (int k = 0; k < orders; ++k) part[at(k)] = x[k] + s * width;
        guess(t, orders, part.data());
      }
    };
    return result;
  }

 private:
  /// Row `row` of the equations differentiated `level` times.
  NodeId expression(EquationBuilder& to, const EquationSet& set, int row,
                    const Substitute& substitute, const double* time = nullptr) const {
    for (const Kernel& kernel : set.kernels())
      for (int i = 0; i < kernel.instances(); ++i) {
        if (kernel.rows[at(i)] != row) continue;
        return rebuilt(kernel.graph, kernel.residual, to.graph(), [&](int input) {
          const Leaf& leaf = kernel.leaves[at(input)];
          if (leaf.kind == Leaf::Kind::variable)
            return substitute(to, kernel.which[at(input)][at(i)], leaf.order);
          if (leaf.kind == Leaf::Kind::time && time) return to.graph().constant(*time);
          return to.leaf(kernel, input, i);
        });
      }
    throw InvalidInput(fmt::format("equation {} is missing", row + 1));
  }

  int copy(int s, int variable) const { return (s - 1) * width_ + variable; }

  Substitute own(int s) const {
    return [this, s](EquationBuilder& to, int variable, int order) {
      return to.variable(copy(s, variable), order);
    };
  }

  /// Highest derivatives are a_s, algebraic variables those of the iterate before.
  Substitute with_rates(int s) const {
    return [this, s](EquationBuilder& to, int variable, int order) {
      const std::vector<int> slots = system_.place(variable, order);
      if (slots.size() != 1)
        throw InvalidInput(
            fmt::format("form: sequential regularisation needs derivatives of {} that the other "
                        "equations do not give",
                        graph_.variables[at(variable)]));
      const int rate = slots[0] - system_.states();
      if (rate < 0) return to.variable(copy(s, variable), order);
      if (rate < system_.components()) return to.variable(copy(s, graph_.size() + rate));
      return s == 1 ? to.graph().constant(0) : to.variable(copy(s - 1, variable));
    };
  }

  void add_equations(int s, EquationBuilder& to, Names& names) {
    std::vector<char> is_constraint(graph_.variables.size(), 0);
    for (const auto& [equation, level] : system_.constraints) is_constraint[at(equation)] = 1;
    for (int i = 0; i < graph_.size(); ++i) {
      if (is_constraint[at(i)]) continue;
      to.begin();
      to.add(expression(to, level_[0], i, own(s)));
      names.push_back(graph_.equation_names[at(i)]);
    }
    for (const int i : system_.dynamics) {
      to.begin();
      to.add(expression(to, level_[0], i, with_rates(s)));
      names.push_back("rates for " + graph_.equation_names[at(i)]);
    }
    for (const auto& [i, level] : system_.constraints) {
      to.begin();
      const NodeId here = expression(to, level_[at(level)], i, own(s));
      const NodeId before = expression(to, level_[at(level)], i, with_rates(s));
      const NodeId constraint = expression(to, level_[at(level - 1)], i, own(s));
      Graph& g = to.graph();
      to.add(g.add(g.mul(g.constant(eps_), g.sub(here, before)), constraint));
      names.push_back("regularised " + graph_.equation_names[at(i)]);
    }
  }

  /// The constraints of all levels at the left end, then those that were given.
  void add_conditions(int s, int shift, EquationBuilder& to, Names& names) {
    const double begin = graph_.t_span.begin;
    for (const auto& [i, level] : system_.constraints)
      for (int l = 0; l < level; ++l) {
        to.begin();
        to.add(expression(to, level_[at(l)], i, own(s), &begin));
        names.push_back(graph_.equation_names[at(i)] + " at the left end");
      }
    const int all = iterations_ * width_;
    for (int i = 0; i < graph_.conditions.rows(); ++i) {
      to.begin();
      to.add(expression(to, graph_.conditions, i, [&](EquationBuilder& b, int variable, int order) {
        const int point = variable / graph_.size() + shift;
        return b.variable(point * all + copy(s, variable % graph_.size()), order);
      }));
      names.push_back(graph_.condition_names[at(i)]);
    }
  }

  const BoundaryGraph& graph_;
  CollocationSystem system_;
  double eps_;
  int iterations_, width_;
  std::vector<EquationSet> level_;
};

}  // namespace

BoundaryGraph regularised(const BoundaryGraph& graph, double eps, int iterations) {
  if (!(eps > 0) || iterations < 1)
    throw InvalidInput(fmt::format("eps, iterations: {} and {} must be positive", eps, iterations));
  return Iterates(graph, eps, iterations).joined();
}

}  // namespace daedalus::bvp
