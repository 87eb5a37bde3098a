#pragma once
// What comes back: values, dense output, status, counters, constraint residuals, start shift.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/events.h"
#include "daedalus/vector.h"

namespace daedalus {

enum class Status { success, event, failed };

enum class Reason {
  finished,
  terminal_event,
  inconsistent_start,
  step_too_small,
  newton_failed,
  singular_matrix,
  not_finite,
  assertion_failed,
  too_many_events,
  max_steps,
  time_limit,
  interrupted,
};

const char* name_of(Status status);
const char* name_of(Reason reason);

/// A failure in four parts; all empty after success.
struct Message {
  std::string what = {};
  std::string where = {};
  std::string why = {};
  std::string hint = {};

  std::string text() const;
};

struct Statistics {
  std::int64_t steps = 0;  ///< accepted
  std::int64_t rejected = 0;
  std::int64_t newton_failures = 0;
  std::int64_t rhs = 0;  ///< residual evaluations, those for Jacobians not counted
  std::int64_t jacobians = 0;
  std::int64_t factorizations = 0;  ///< sets of real and complex ones of one step size
  std::int64_t solves = 0;          ///< sets likewise
  std::int64_t newton = 0;          ///< iterations
  double cpu_seconds = 0;
  double wall_seconds = 0;
};

/// Largest violation of one level of the constraints (algebraic, position, velocity, acceleration).
struct ConstraintResidual {
  std::string level = {};
  double maximum = 0;
  double t = 0;
  std::string equation = {};
};

struct StepRecord {
  double t = 0;  ///< end of the step
  double h = 0;
  int order = 0;
};

/// A point where the constraints lost rank, and what was done about it.
struct Singularity {
  double t = 0;
  double sigma = 0;  ///< smallest singular value of the scaled constraint matrix
  std::string action = {};
  /// Of the step across it, in units of the tolerance; not a number: not known.
  double error_estimate = std::numeric_limits<double>::quiet_NaN();
};

class DenseOutput;

struct Solution {
  Status status = Status::success;
  Reason reason = Reason::finished;
  Message message = {};
  std::string method = {};
  std::string choice = {};  ///< of method "auto": what and why
  std::string formulation = {};
  std::string jacobian = {};  ///< how derivatives were had: exact, user, coloured differences
  std::vector<std::string> notes = {};  ///< worth knowing, but no failure
  Names variables = {};
  int unknowns = 0;                 ///< of each step; variables that follow explicitly are none
  std::vector<double> t = {};       ///< output times
  std::vector<double> values = {};  ///< one row of all variables for each output time
  Statistics statistics = {};
  std::vector<ConstraintResidual> constraint_residual = {};
  std::vector<double> start_shift = {};  ///< how far each start value was moved
  std::vector<EventRecord> events = {};
  std::vector<Singularity> singularities = {};
  std::vector<StepRecord> steps = {};
  /// One row for each step: the largest violation of each level of constraint_residual.
  std::vector<double> step_residuals = {};
  std::shared_ptr<const DenseOutput> dense = {};

  bool succeeded() const { return status != Status::failed; }
  int size() const { return static_cast<int>(variables.size()); }
  int rows() const { return static_cast<int>(t.size()); }
  /// All variables at output time number i; negative i counts from the end.
  Input y(int i) const;
  Input y_end() const { return y(-1); }
  double value(int i, const std::string& variable) const;
  /// Dense output at any time of the run; satisfies the constraints like the mesh values do.
  Vector operator()(double time) const;
};

}  // namespace daedalus
