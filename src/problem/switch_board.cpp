#include "problem/switch_board.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace daedalus {
namespace {

constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();

bool depends_on_time_alone(const Kernel& kernel) {
  return std::all_of(kernel.leaves.begin(), kernel.leaves.end(),
                     [](const Leaf& leaf) { return leaf.kind != Leaf::Kind::variable; });
}

/// d residual / dt contains no time: the instants of its zeros can be written down.
bool is_affine_in_time(const Kernel& kernel) {
  if (!depends_on_time_alone(kernel)) return false;
  for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
    if (kernel.leaves[l].kind != Leaf::Kind::time) continue;
    Graph graph = kernel.graph;
    std::vector<NodeId> open = gradient(graph, kernel.residual, {static_cast<int>(l)});
    if (graph.is_constant(open[0], 0)) return false;
    while (!open.empty()) {
      const Node n = graph[open.back()];
      open.pop_back();
      if (n.op == Op::input && n.a == static_cast<int>(l)) return false;
      const int count = operands_of(n.op);
      if (count > 0) open.push_back(n.a);
      if (count > 1) open.push_back(n.b);
      if (count > 2) open.push_back(n.c);
    }
    return true;
  }
  return false;
}

}  // namespace

SwitchBoard::SwitchBoard(const Switching* switching, std::vector<double>* modes)
    : switching_(switching && !switching->empty() ? switching : nullptr), modes_(modes) {
  if (!switching_) return;
  x_.resize(switching_->relations.size());
  value_.resize(static_cast<std::size_t>(switching_->values.rows()));
  is_in_time_.assign(x_.size(), 0);
  for (const Kernel& kernel : switching_->crossings.kernels()) {
    if (!is_affine_in_time(kernel)) continue;
    for (const int row : kernel.rows) {
      is_in_time_[row] = 1;
      in_time_.push_back({row, switching_->crossings.restricted({row})});
    }
  }
  for (const Kernel& kernel : switching_->crossings.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable)
        read_.insert(read_.end(), kernel.which[l].begin(), kernel.which[l].end());
  std::sort(read_.begin(), read_.end());
  read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
  rate_ = switching_->crossings.differentiated();
  slack_.assign(x_.size(), 0.0);
  std::size_t conditions = 0;
  for (const WhenClause& when : switching_->whens)
    for (const WhenClause::Branch& branch : when.branches) conditions += branch.conditions.size();
  was_true_.assign(conditions, 0.0);
}

double SwitchBoard::literal(int relation, double x) const {
  switch (switching_->relations[relation].kind) {
    case Relation::Kind::positive:
      return x > 0 ? 1 : 0;
    case Relation::Kind::not_negative:
      return x >= 0 ? 1 : 0;
    case Relation::Kind::floor:
      return std::floor(x);
    case Relation::Kind::ceil:
      return std::ceil(x);
  }
  return 0;
}

double SwitchBoard::indicator(int relation, double x) const {
  const Relation& r = switching_->relations[relation];
  const double mode = (*modes_)[r.mode];
  switch (r.kind) {
    case Relation::Kind::positive:
    case Relation::Kind::not_negative:
      return mode != 0 ? x : -x;
    case Relation::Kind::floor:
      return (x - mode) * (mode + 1 - x);
    case Relation::Kind::ceil:
      return (x - mode + 1) * (mode - x);
  }
  return 1;
}

void SwitchBoard::indicators(double t, const double* y, double* g) const {
  if (!switching_) return;
  const double* x[] = {y, nullptr};
  switching_->crossings.residual({t, x, modes_->data()}, x_.data());
  for (int k = 0; k < count(); ++k) g[k] = is_in_time_[k] ? 1.0 : indicator(k, x_[k]);
}

std::vector<double> SwitchBoard::blur(double t, const double* y,
                                      const std::vector<double>& noise) const {
  std::vector<double> result(x_.size(), 0.0);
  // Events ask again and again.
  if (!derivatives_)
    derivatives_.emplace(switching_->crossings, std::vector{0}, Program::Use::once);
  const std::vector<EquationJacobian::Entry>& entries = derivatives_->entries();
  derivative_.resize(entries.size());
  const double* x[] = {y, nullptr};
  derivatives_->evaluate({t, x, modes_->data()}, derivative_.data());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const EquationJacobian::Entry& e = entries[i];
    const double change = std::abs(derivative_[i]) * noise[e.variable];
    if (std::isfinite(change)) result[e.row] += change;
  }
  return result;
}

bool SwitchBoard::widen_slack(int k, double least) {
  double& slack = slack_[static_cast<std::size_t>(k)];
  const bool wider = least > slack;
  if (wider) slack = least;
  return wider;
}

void SwitchBoard::set_slack(const std::vector<double>& slack) {
  std::copy(slack.begin(), slack.end(), slack_.begin());
}

void SwitchBoard::rates(double t, const double* y, const double* yp, const std::vector<char>& known,
                        double* rate) const {
  if (!switching_) return;
  const double* x[] = {y, yp};
  switching_->crossings.residual({t, x, modes_->data()}, x_.data());
  rate_.residual({t, x, modes_->data()}, rate);
  for (int k = 0; k < count(); ++k) {
    const Relation& r = switching_->relations[k];
    const double mode = (*modes_)[r.mode];
    const double middle = mode + (r.kind == Relation::Kind::floor ? 0.5 : -0.5);
    if (r.kind == Relation::Kind::floor || r.kind == Relation::Kind::ceil)
      rate[k] *= -2 * (x_[k] - middle);
    else if (mode == 0)
      rate[k] = -rate[k];
    if (is_in_time_[k]) rate[k] = 0;
  }
  for (const Kernel& kernel : switching_->crossings.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable)
        for (std::size_t i = 0; i < kernel.rows.size(); ++i)
          if (!known[kernel.which[l][i]]) rate[kernel.rows[i]] = 0;
}

double SwitchBoard::at(const TimeRelation& relation, double t) const {
  double x = 0;
  const double* none[] = {nullptr, nullptr};
  relation.crossing.residual({t, none, modes_->data()}, &x);
  return x;
}

/// The first double behind t, towards `end`, at which the mode of the relation is wrong.
double SwitchBoard::first_change(const TimeRelation& relation, double t, double end) const {
  const int k = relation.relation;
  const double direction = end > t ? 1 : -1, x = at(relation, t), slope = at(relation, t + 1) - x;
  if (slope == 0) return end;
  const Relation& r = switching_->relations[k];
  double zero = 0;  // of the relation, in x: where it leaves its mode
  if (r.kind == Relation::Kind::floor || r.kind == Relation::Kind::ceil) {
    const double lower = (*modes_)[r.mode] - (r.kind == Relation::Kind::ceil ? 1 : 0);
    zero = direction * slope > 0 ? lower + 1 : lower;
  } else if (((*modes_)[r.mode] != 0) == (direction * slope > 0)) {
    return end;  // it moves away from its zero
  }
  const double guess = t + (zero - x) / slope;
  const double width = 1e-9 * (std::abs(guess) + std::abs(t));
  if (!(direction * (guess - t) > rounding * std::abs(t))) return end;
  double before = direction > 0 ? std::max(t, guess - width) : std::min(t, guess + width);
  double after = guess + direction * width;
  if (!(direction * (end - before) > 0)) return end;
  for (;;) {
    const double middle = before + 0.5 * (after - before);
    if (middle == before || middle == after) break;
    (indicator(k, at(relation, middle)) > 0 ? before : after) = middle;
  }
  return direction * (end - after) > 0 ? after : end;
}

double SwitchBoard::next_time(double t, double end) const {
  double next = end;
  for (const TimeRelation& relation : in_time_) next = first_change(relation, t, next);
  return next;
}

void SwitchBoard::due(double t, double direction, std::vector<int>& fired) const {
  const double just_behind = t + direction * rounding * std::abs(t);
  for (const TimeRelation& relation : in_time_)
    if (indicator(relation.relation, at(relation, t)) <= 0 ||
        indicator(relation.relation, at(relation, just_behind)) <= 0)
      fired.push_back(relation.relation);
}

const std::vector<double>& SwitchBoard::values(double t, const double* y) const {
  const double* x[] = {y, nullptr};
  switching_->values.residual({t, x, modes_->data()}, value_.data());
  return value_;
}

bool SwitchBoard::solve_discrete_equations(double t, const double* y) {
  bool changed = false;
  // In the worst order each sweep settles one of them.
  for (std::size_t sweep = 0; sweep <= switching_->equations.size(); ++sweep) {
    const std::vector<double>& value = values(t, y);
    bool moved = false;
    for (const DiscreteEquation& e : switching_->equations) {
      double& target = (*modes_)[e.target];
      if (target == value[e.value]) continue;
      target = value[e.value];
      moved = true;
    }
    if (!moved) break;
    changed = true;
  }
  return changed;
}

bool SwitchBoard::renew(double t, const double* y, const std::vector<double>& keep) {
  if (!switching_) return false;
  const double* x[] = {y, nullptr};
  switching_->crossings.residual({t, x, modes_->data()}, x_.data());
  bool changed = false;
  const auto renew_one = [&](int k, double margin) {
    double& mode = (*modes_)[switching_->relations[k].mode];
    const double said = literal(k, x_[k]);
    if (!std::isfinite(said) || said == mode) return;
    if (!keep.empty() && indicator(k, x_[k]) >= -margin - slack_[k]) return;
    mode = said;
    changed = true;
  };
  for (int k = 0; k < count(); ++k)
    if (!is_in_time_[k]) renew_one(k, keep.empty() ? 0 : keep[k]);
  for (const TimeRelation& relation : in_time_) {
    const double own = x_[relation.relation], slope = at(relation, t + 1) - own;
    renew_one(relation.relation, 4 * rounding * (std::abs(own) + std::abs(slope * t)));
  }
  return solve_discrete_equations(t, y) || changed;
}

/// By their values here and at a point beside.
bool SwitchBoard::are_opposite(int k, int l, double t, const double* y,
                               std::size_t variables) const {
  constexpr auto kind = Relation::Kind::positive;
  if (switching_->relations[k].kind != kind || switching_->relations[l].kind != kind) return false;
  std::vector<double> beside(y, y + variables);
  for (std::size_t j = 0; j < variables; ++j)
    beside[j] += (0.1 + 0.01 * static_cast<double>(j % 89)) * (1 + std::abs(beside[j]));
  bool differ = false;
  for (const double* at : {y, static_cast<const double*>(beside.data())}) {
    const double* x[] = {at, nullptr};
    switching_->crossings.residual({t, x, modes_->data()}, x_.data());
    if (x_[k] != -x_[l]) return false;
    differ = differ || x_[k] != 0;
  }
  return differ;
}

void SwitchBoard::toggle(double t, const double* y, const std::vector<int>& fired) {
  if (!switching_) return;
  const double* x[] = {y, nullptr};
  switching_->crossings.residual({t, x, modes_->data()}, x_.data());
  for (const int k : fired) {
    const Relation& r = switching_->relations[k];
    double& mode = (*modes_)[r.mode];
    if (r.kind == Relation::Kind::positive || r.kind == Relation::Kind::not_negative)
      mode = mode != 0 ? 0 : 1;
    else
      mode += x_[k] > mode + (r.kind == Relation::Kind::floor ? 0.5 : -0.5) ? 1 : -1;
  }
  solve_discrete_equations(t, y);
}

Message SwitchBoard::unsettled(double t, const Names& wrong) {
  return {"relations and equations do not settle",
          fmt::format("at t = {:.10g}{}{}", t, wrong.empty() ? "" : ": ", fmt::join(wrong, ", ")),
          "each choice of branches leads to a state that asks for another choice",
          "look for relations that contradict what they switch, or use noEvent"};
}

Names SwitchBoard::on_wrong_side(double t, const double* y) const {
  std::vector<double> g(static_cast<std::size_t>(count()));
  if (count() > 0) indicators(t, y, g.data());
  Names names;
  for (int k = 0; k < count(); ++k)
    if (g[static_cast<std::size_t>(k)] < 0) names.push_back(name(k));
  return names;
}

void SwitchBoard::forget_edges(double t, const double* y) {
  if (!switching_) return;
  settle();
  const std::vector<double>& value = values(t, y);
  std::size_t next = 0;
  for (const WhenClause& when : switching_->whens)
    for (const WhenClause::Branch& branch : when.branches)
      for (const int row : branch.conditions) was_true_[next++] = value[row];
}

void SwitchBoard::act(double t, double* y, Outcome& outcome) {
  if (!switching_) return;
  outcome.changed = false;
  std::vector<const Action*> actions;
  std::vector<double> value = values(t, y);
  std::size_t next = 0;
  for (const WhenClause& when : switching_->whens) {
    bool taken = false;
    for (const WhenClause::Branch& branch : when.branches) {
      bool edge = false;
      for (const int row : branch.conditions) {
        edge = edge || (value[row] != 0 && was_true_[next] == 0);
        was_true_[next++] = value[row];
      }
      if (!edge || taken) continue;
      taken = true;
      for (const Action& action : branch.actions) actions.push_back(&action);
    }
  }
  if (actions.empty()) return;
  // Values may use what is assigned at the same instant, in any order.
  for (std::size_t sweep = 0; sweep <= actions.size(); ++sweep) {
    bool moved = false;
    for (const Action* action : actions) {
      if (action->kind != Action::Kind::assign) continue;
      double& target = (*modes_)[action->target];
      if (target == value[action->value]) continue;
      target = value[action->value];
      moved = outcome.changed = true;
    }
    if (!moved) break;
    value = values(t, y);
  }
  for (const Action* action : actions) {
    if (action->kind == Action::Kind::reinit) {
      y[action->target] = value[action->value];
      outcome.reinitialized.push_back(action->target);
      outcome.changed = true;
    } else if (action->kind == Action::Kind::terminate) {
      outcome.terminate = true;
      outcome.message = action->message;
    }
  }
  solve_discrete_equations(t, y);
}

void SwitchBoard::settle() {
  if (!switching_) return;
  const std::size_t count = static_cast<std::size_t>(switching_->discrete_variables);
  std::copy_n(modes_->begin(), count, modes_->begin() + static_cast<std::ptrdiff_t>(count));
}

const Assertion* SwitchBoard::violated(double t, const double* y) const {
  if (!switching_ || switching_->assertions.empty()) return nullptr;
  const std::vector<double>& value = values(t, y);
  for (const Assertion& assertion : switching_->assertions)
    if (value[assertion.condition] == 0) return &assertion;
  return nullptr;
}

void SwitchBoard::save(std::vector<double>& memory) const {
  if (!switching_) return;
  save_list(memory, *modes_), save_list(memory, was_true_), save_list(memory, slack_);
}

void SwitchBoard::restore(SavedState& memory) {
  if (!switching_) return;
  memory.list(*modes_), memory.list(was_true_), memory.list(slack_);
}

}  // namespace daedalus
