#pragma once
// A small motion as straight-line code: mass, forces, constraints, their derivatives, the factors
// of M and of the Schur complement G M^-1 G^T and the solution, all as one list of operations. What
// the pattern shows to be zero costs nothing. The factors are not pivoted; the pivots come out with
// the results, and whoever asks must see that the constraints are independent.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "formulation/graph_tape.h"
#include "formulation/position_constraints.h"
#include "formulation/stage_code.h"
#include "linear/long_vectors.h"

namespace daedalus {

/// M(t, q) v' = f(t, q, v) - G^T lambda,  g(t, q) = 0, over the inputs t, q, v, and `further` ones.
struct MotionNodes {
  std::vector<NodeId> mass;  ///< by rows
  std::vector<NodeId> force;
  int further = 0;
  /// The first of the inputs which the forces are, where they come as numbers; 0: expressions.
  int given_force = 0;
  bool operator==(const MotionNodes&) const = default;
};

class StraightMotion {
 public:
  /// Beyond it recording the forces may take longer than a run.
  static constexpr int most_coordinates = 40;
  /// Where forces are given.
  static constexpr int most_coordinates_of_constraints = 256;
  /// None: too many operations.
  static std::optional<StraightMotion> make(
      Graph& graph, const PositionConstraints& constraints, const MotionNodes& motion,
      const std::shared_ptr<const std::vector<double>>& modes);

  /// Of the rows of G in the metric of M: the squares of their lengths, and those of their
  /// distances from rows before.
  struct Rows {
    const double *squares, *pivots;
    bool positive_mass;
  };
  /// Two steps to g = 0, both the shortest ones in the metric of M with the rows of the first
  /// point: what is left is of third order.
  struct Correction {
    const double* q;
    double first, second;  ///< squares of their lengths
    Rows rows;
  };
  /// At a point that is to be on the constraints.
  struct Arrival {
    const double* v;  ///< the nearest ones with d/dt g = 0
    double distance;  ///< from g = 0, its square
    Rows rows;
  };

  struct Acceleration {
    Rows rows;
    bool is_finite;
  };
  /// x = (q, v); the force if it comes as numbers.
  Acceleration accelerate(double t, const double* x, double* a, const double* force = nullptr);
  struct Point {
    double t;
    const double *q, *v;
  };
  /// Of the last acceleration.
  Point point() const;
  double acceleration(int j) const { return last()[j]; }
  const double* multipliers() const { return last() + n_ + 2 * m_ + 1; }
  /// If it is an expression.
  const double* force() const { return multipliers() + m_; }

  /// All stages of an explicit step at once. Its code is made when somebody has asked for it often;
  /// false: not yet, or it is too long.
  bool has_stages(const SlopeTerms& terms);
  struct Stages {
    double t, h, end;     ///< t + h, up to rounding
    const double *x, *a;  ///< q, v and the accelerations there
  };
  struct MadeStages {
    const double* slopes;  ///< v and a of the second stage and those behind it
    const double* point;   ///< q of the last stage
    const double* end;     ///< q and v
    const double* estimates;
    Rows rows;  ///< the longest rows and the least pivots of all stages
  };
  MadeStages make_stages(const Stages& step);
  /// Of these stages: their end put onto the constraints by one round, as `project` would do it,
  /// and the acceleration there.
  struct MadeEnd {
    Correction move;
    Arrival there;
    const double* acceleration;
    Rows rows;
  };
  MadeEnd end_of_stages() const;
  /// Makes that acceleration the last one, until the next stages are made.
  void take_end_of_stages() { last_is_of_stages_ = true; }
  void forget_stages() { last_is_of_stages_ = false; }

  Correction correct(double t, const double* q);
  Arrival arrive(double t, const double* q, const double* v);
  /// g (level 0) or d/dt g at a point; level 1 at the point of the last level 0 takes no time, and
  /// so does the end of stages that was taken.
  const double* level(int k, double t, const double* x);
  /// Both levels at the end of stages that was taken, one behind the other; null for other points.
  const double* known_levels(double t, const double* x) const;
  /// What the lengths of corrections and the distance behind them tell, q being of this size.
  enum class Progress { arrived, contracts, none };
  static Progress progress(double first, double second, double distance, double size);
  /// Puts x onto the constraints, if `is_regular` agrees to all rows on the way; q is of this size.
  template <class IsRegular>
  bool project(double t, double* x, double size, IsRegular is_regular);

 private:
  StraightMotion() = default;
  Rows rows(const double* at) const;
  bool watches(const Point& point, double t, const double* x) const;
  Correction correction(const double* at) const;
  Arrival arrival(const double* at) const;
  /// The outputs of the last acceleration.
  const double* last() const {
    return last_is_of_stages_ ? stage_memory_.data() + stages_->places().accelerate
                              : accelerate_.outputs_in_a_row();
  }

  int n_ = 0, m_ = 0;
  GraphTape accelerate_, correct_, arrive_, watch_;
  std::vector<double> projected_;
  std::shared_ptr<StageCode> stage_code_;  ///< null: forces are given, or it is too long
  std::shared_ptr<const StageTape> stages_;
  std::vector<double> stage_memory_;
  bool last_is_of_stages_ = false;
};

inline StraightMotion::Rows StraightMotion::rows(const double* at) const {
  const double *pivots = at + m_, *least_mass = pivots + m_;
  return {at, pivots, *least_mass > 0};
}

inline StraightMotion::Acceleration StraightMotion::accelerate(double t, const double* x, double* a,
                                                               const double* force) {
  constexpr int few = 8;
  last_is_of_stages_ = false;
  accelerate_.run(t, x, 2 * n_, force);
  const double* from = accelerate_.outputs_in_a_row();
  // Few of them one by one, as they were stored just now: a wider load would wait for these stores.
  if (n_ <= few) return {rows(from + n_), std::isfinite(accelerate_.hand_out(0, n_, a))};
  std::copy(from, from + n_, a);
  return {rows(from + n_), are_finite(a, static_cast<std::size_t>(n_))};
}

inline StraightMotion::Progress StraightMotion::progress(double first, double second,
                                                         double distance, double size) {
  constexpr double rounding = 1e-15, nearly_rounding = 1e-12;
  const double unit = size * size, small = nearly_rounding * nearly_rounding * unit;
  const auto contracts = [](double now, double before) { return now < 0.25 * before; };
  if (!(contracts(second, first) || second <= small)) return Progress::none;
  if (distance <= rounding * rounding * unit) return Progress::arrived;
  if (contracts(distance, second)) return Progress::contracts;
  return distance <= small ? Progress::arrived : Progress::none;
}

/// The last point is left as it is: its own distance is that of rounding, and what was found for it
/// holds.
template <class IsRegular>
bool StraightMotion::project(double t, double* x, double size, IsRegular is_regular) {
  constexpr int most_rounds = 3;
  double* q = projected_.data();
  std::copy(x, x + n_, q);
  for (int k = 0; k < most_rounds; ++k) {
    const Correction move = correct(t, q);
    if (!is_regular(move.rows)) return false;
    std::copy(move.q, move.q + n_, q);
    const Arrival there = arrive(t, q, x + n_);
    const Progress made = progress(move.first, move.second, there.distance, size);
    if (!is_regular(there.rows) || made == Progress::none) return false;
    if (made == Progress::contracts) continue;
    std::copy(q, q + n_, x);
    std::copy(there.v, there.v + n_, x + n_);
    return true;
  }
  return false;
}

}  // namespace daedalus
