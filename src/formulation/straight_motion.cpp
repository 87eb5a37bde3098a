#include "formulation/straight_motion.h"

#include "expression/rebuild.h"
#include "expression/straight_factors.h"

namespace daedalus {
namespace {

/// Building more of them takes milliseconds; many bodies are worth it.
constexpr int most_nodes = 12'000, most_nodes_of_constraints = 40'000;

using Nodes = std::vector<NodeId>;

void append(Nodes& to, const Nodes& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// With W = L^-1 G^T, M = L D L^T and S = W^T D^-1 W:
///   S lambda = W^T D^-1 L^-1 f + gamma,   a = L^-T D^-1 (L^-1 f - W lambda).
class Builder {
 public:
  Builder(Graph& graph, const PositionConstraints& constraints, const MotionNodes& motion)
      : graph_(graph),
        known_(graph),
        n_(constraints.coordinates),
        m_(constraints.count()),
        whole_mass_(motion.mass),
        mass_(graph, known_, motion.mass, n_),
        schur_(graph, known_, schur_complement(constraints), m_) {}

  Nodes accelerations(const Nodes& force, const Nodes& gamma, Nodes& multipliers) const {
    Nodes driven = force;
    mass_.forward(driven);
    multipliers.clear();
    for (int i = 0; i < m_; ++i) {
      EarlySum sum(graph_, known_);
      for (int j = 0; j < n_; ++j) sum.add_product(scaled_[at(i)][at(j)], driven[at(j)]);
      sum.add(gamma[at(i)]);
      multipliers.push_back(sum.total());
    }
    schur_.solve(multipliers);
    mass_.divide(driven);
    for (int j = 0; j < n_; ++j) {
      EarlySum sum(graph_, known_);
      sum.add(driven[at(j)]);
      for (int i = 0; i < m_; ++i) sum.subtract_product(scaled_[at(i)][at(j)], multipliers[at(i)]);
      driven[at(j)] = sum.total();
    }
    mass_.back(driven);
    return driven;
  }
  /// The shortest x with G x = r; `weights` tell its size, x^T M x = weights^T r.
  Nodes least(const Nodes& r, Nodes& weights) const {
    weights = r;
    schur_.solve(weights);
    Nodes x = in_directions(weights);
    mass_.back(x);
    return x;
  }
  NodeId dot(const Nodes& x, const Nodes& y) const { return daedalus::dot(graph_, known_, x, y); }
  Nodes rows() const {
    Nodes list;
    for (int i = 0; i < m_; ++i) list.push_back(squares_[at(i)]);
    for (int i = 0; i < m_; ++i) list.push_back(schur_.pivot(i));
    NodeId least_mass = mass_beyond_rounding(0);
    for (int j = 1; j < n_; ++j)
      least_mass = graph_.make(Op::min, mass_beyond_rounding(j), least_mass);
    list.push_back(least_mass);
    return list;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// Not positive: the mass of four Euler parameters, say, which is singular.
  NodeId mass_beyond_rounding(int j) const {
    constexpr double rounding = 1e-13;
    const NodeId whole = whole_mass_[at(j) * at(n_) + at(j)], pivot = mass_.pivot(j);
    if (whole == pivot) return pivot;
    return graph_.sub(pivot, graph_.mul(graph_.constant(rounding), whole));
  }

  Nodes schur_complement(const PositionConstraints& constraints) {
    std::vector<Nodes> forward;
    std::vector<std::vector<int>> places;  // of what is not zero in these
    for (const PositionConstraints::Row& given : constraints.jacobian) {
      Nodes row(at(n_), graph_.constant(0));
      for (std::size_t k = 0; k < given.places.size(); ++k)
        row[at(given.places[k])] = given.entries[k];
      mass_.forward(row);
      forward.push_back(row);
      places.emplace_back();
      for (int j = 0; j < n_; ++j)
        if (!graph_.is_constant(row[at(j)], 0)) places.back().push_back(j);
      mass_.divide(row);
      scaled_.push_back(std::move(row));
    }
    Nodes schur(at(m_) * at(m_));
    for (int i = 0; i < m_; ++i) {
      for (int j = 0; j <= i; ++j) {
        EarlySum sum(graph_, known_);
        for (const int k : places[at(i)])
          sum.add_product(forward[at(i)][at(k)], scaled_[at(j)][at(k)]);
        schur[at(i) * at(m_) + at(j)] = schur[at(j) * at(m_) + at(i)] = sum.total();
      }
      squares_.push_back(schur[at(i) * at(m_) + at(i)]);
    }
    return schur;
  }
  /// D^-1 W x
  Nodes in_directions(const Nodes& x) const {
    Nodes result;
    for (int j = 0; j < n_; ++j) {
      EarlySum sum(graph_, known_);
      for (int i = 0; i < m_; ++i) sum.add_product(scaled_[at(i)][at(j)], x[at(i)]);
      result.push_back(sum.total());
    }
    return result;
  }

  Graph& graph_;
  mutable KnownTimes known_;
  int n_, m_;
  std::vector<Nodes> scaled_;  ///< D^-1 W by columns
  Nodes squares_, whole_mass_;
  StraightFactors mass_, schur_;
};

}  // namespace

std::optional<StraightMotion> StraightMotion::make(
    Graph& graph, const PositionConstraints& constraints, const MotionNodes& motion,
    const std::shared_ptr<const std::vector<double>>& modes) {
  StraightMotion result;
  const int n = result.n_ = constraints.coordinates;
  result.m_ = constraints.count();
  const Builder builder(graph, constraints, motion);
  const Nodes rates = along_straight_line(graph, constraints.g, n),
              gamma = along_straight_line(graph, rates, n), rows = builder.rows();
  const bool force_is_given = motion.given_force > 0;
  if (graph.size() > (force_is_given ? most_nodes_of_constraints : most_nodes)) return std::nullopt;
  const auto tape = [&](const Nodes& outputs) {
    return GraphTape(graph, 1 + 2 * n + motion.further, 2 * n, outputs, modes,
                     static_cast<int>(outputs.size()));
  };
  Nodes weights;
  Nodes outputs = builder.accelerations(motion.force, gamma, weights);
  append(outputs, rows), append(outputs, weights);
  if (!force_is_given) append(outputs, motion.force);
  result.accelerate_ = tape(outputs);
  if (force_is_given) result.accelerate_.put_second_at(motion.given_force, n);

  const auto from = [&](int first, const Nodes& step) {
    Nodes list;
    for (int j = 0; j < n; ++j)
      list.push_back(graph.sub(graph.input(first + j), step[static_cast<std::size_t>(j)]));
    return list;
  };
  const Nodes once = from(1, builder.least(constraints.g, weights));
  const NodeId distance = builder.dot(weights, constraints.g);
  Nodes left;
  for (const NodeId g : constraints.g)
    left.push_back(rebuilt(graph, g, graph, [&](int k) {
      return k > 0 && k <= n ? once[static_cast<std::size_t>(k - 1)] : graph.input(k);
    }));
  const Nodes further = builder.least(left, weights);
  outputs.clear();
  for (std::size_t j = 0; j < once.size(); ++j) outputs.push_back(graph.sub(once[j], further[j]));
  outputs.push_back(distance), outputs.push_back(builder.dot(weights, left));
  append(outputs, rows);
  result.correct_ = tape(outputs);

  outputs = from(1 + n, builder.least(rates, weights));
  outputs.push_back(distance);
  append(outputs, rows);
  result.arrive_ = tape(outputs);

  outputs = constraints.g;
  append(outputs, rates);
  result.watch_ = tape(outputs);
  if (!force_is_given)
    result.stage_code_ = std::make_shared<StageCode>(
        result.accelerate_.tape(), result.correct_.tape(), result.arrive_.tape(),
        result.watch_.tape(), n, result.m_, result.m_ + 1);
  result.projected_.resize(static_cast<std::size_t>(n));
  return result;
}

StraightMotion::Point StraightMotion::point() const {
  if (!last_is_of_stages_)
    return {accelerate_.inputs()[0], accelerate_.inputs() + 1, accelerate_.inputs() + 1 + n_};
  const StagePlaces& at = stages_->places();
  const double* memory = stage_memory_.data();
  return {memory[at.end_time], memory + at.correct, memory + at.arrive};
}

bool StraightMotion::has_stages(const SlopeTerms& terms) {
  if (stages_ || !stage_code_) return stages_ != nullptr;
  if (!stage_code_->is_due(terms)) return false;
  stages_ = stage_code_->of(terms);
  if (!stages_) return stage_code_.reset(), false;
  const Tape& tape = stages_->tape();
  stage_memory_.resize(static_cast<std::size_t>(tape.registers()));
  std::copy(tape.constants().begin(), tape.constants().end(),
            stage_memory_.begin() + tape.inputs());
  return true;
}

StraightMotion::MadeStages StraightMotion::make_stages(const Stages& step) {
  last_is_of_stages_ = false;
  const StagePlaces& at = stages_->places();
  double *memory = stage_memory_.data(), *state = memory + at.state;
  memory[at.t] = step.t, memory[at.h] = step.h, memory[at.end_time] = step.end;
  for (int j = 0; j < 2 * n_; ++j) state[j] = step.x[j];
  for (int j = 0; j < n_; ++j) state[2 * n_ + j] = step.a[j];
  if (const auto& modes = accelerate_.modes())
    std::copy(modes->begin(), modes->end(), memory + at.further);
  stages_->tape().run_one(memory);
  return {memory + at.slopes, memory + at.point, memory + at.end, memory + at.estimates,
          rows(memory + at.most)};
}

StraightMotion::MadeEnd StraightMotion::end_of_stages() const {
  const StagePlaces& at = stages_->places();
  const double* memory = stage_memory_.data();
  const double* a = memory + at.accelerate;
  return {correction(memory + at.correct), arrival(memory + at.arrive), a, rows(a + n_)};
}

StraightMotion::Correction StraightMotion::correction(const double* at) const {
  return {at, at[n_], at[n_ + 1], rows(at + n_ + 2)};
}

StraightMotion::Arrival StraightMotion::arrival(const double* at) const {
  return {at, at[n_], rows(at + n_ + 1)};
}

/// What discrete values have made of a point before is not looked for.
bool StraightMotion::watches(const Point& point, double t, const double* x) const {
  bool same = point.t == t && !watch_.modes();
  for (int j = 0; same && j < n_; ++j) same = point.q[j] == x[j] && point.v[j] == x[n_ + j];
  return same;
}

const double* StraightMotion::known_levels(double t, const double* x) const {
  if (!last_is_of_stages_ || !watches(point(), t, x)) return nullptr;
  return stage_memory_.data() + stages_->places().watch;
}

const double* StraightMotion::level(int k, double t, const double* x) {
  const int first = k * m_;
  if (const double* known = known_levels(t, x)) return known + first;
  const double* last = watch_.inputs();
  if (k == 0 || !watches({last[0], last + 1, last + 1 + n_}, t, x))
    watch_.run(t, x, 2 * n_, nullptr);
  return watch_.outputs_in_a_row() + first;
}

StraightMotion::Correction StraightMotion::correct(double t, const double* q) {
  correct_.run(t, q, n_, nullptr);
  return correction(correct_.outputs_in_a_row());
}

StraightMotion::Arrival StraightMotion::arrive(double t, const double* q, const double* v) {
  arrive_.run(t, q, n_, v);
  return arrival(arrive_.outputs_in_a_row());
}

}  // namespace daedalus
