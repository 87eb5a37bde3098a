#pragma once
// solve(problem, options) -> Solution, and the same run one step at a time.
#include <atomic>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>

#include "daedalus/error.h"
#include "daedalus/events.h"
#include "daedalus/method.h"
#include "daedalus/problem.h"
#include "daedalus/solution.h"

namespace daedalus {

/// What is integrated in place of a mechanical system or a model as it stands.
enum class Formulation {
  automatic,  ///< stabilized_index_2 for holonomic mechanics, direct for the rest
  direct,     ///< the equations as they stand (mechanics: index 3)
  index_2,    ///< constraints differentiated once
  index_1,    ///< constraints differentiated twice
  projected,  ///< models: reduced to index 1, each step put onto all constraints
  /// Constraints of every level, each kept by a multiplier of its own: index 2.
  stabilized_index_2,
  /// Index 1 with (d/dt + rate)^k in place of d^k/dt^k of each constraint. [Baumgarte1972]
  baumgarte,
  manifold,  ///< x' = F on the manifold of the constraints, also where these lose rank
};
const char* name_of(Formulation formulation);

/// Algebraic variables of methods that are not stiffly accurate. [HairerWanner1996, VI.1]
enum class AlgebraicUpdate {
  automatic,    ///< state_space where the index is 1, embedding otherwise
  embedding,    ///< z1 = R(inf) z + b^T A^-1 Z
  state_space,  ///< 0 = g(y1, z1)
};

/// How linear systems are solved.
enum class LinearAlgebra {
  automatic,
  dense,
  banded,
  sparse,  ///< factors that stay sparse
  krylov,  ///< GMRES iterations; for methods with one real matrix, of large fields in 2-D and 3-D
};
const char* name_of(LinearAlgebra choice);

/// How equations are evaluated: those of models with the same bits in every case.
enum class Evaluation {
  automatic,    ///< models: interpreted until generated C is there; functions: until code pays
  interpreted,  ///< no compiler is started, and functions are called as they are
  compiled,     ///< the run begins when the compiler is done
};
const char* name_of(Evaluation evaluation);

struct Progress {
  double t = 0;
  double h = 0;
  int order = 0;
  double fraction = 0;  ///< of the interval
  const Statistics* statistics = nullptr;
};

struct Options {
  /// auto: explicit on constraints that are not stiff, bdf where factors would take most of the
  /// time, else radau, which is variable order Radau IIA; or a name of the catalogue.
  std::string method = "auto";
  Formulation formulation = Formulation::automatic;
  double baumgarte_rate = 0;  ///< at which violated constraints decay; 0: 100 over the interval
  int branch = 0;  ///< of a motion that begins at rest where branches cross: 1, 2; 0: the first
  double rtol = 1e-6;
  Values atol = {};             ///< one value, or one for each variable; empty: the same as rtol
  std::vector<double> at = {};  ///< output times; empty: every step (or `points`)
  int points = 0;               ///< that many equidistant output times, both ends included
  bool dense = true;            ///< keep what Solution::operator() needs
  bool project_output = true;   ///< output is put onto the constraints, hidden ones included
  bool record = true;           ///< false: steps keep no output and allocate nothing
  double fixed_step = 0;        ///< > 0: no error control
  double first_step = 0;        ///< 0: chosen
  double max_step = std::numeric_limits<double>::infinity();
  std::int64_t max_steps = 10'000'000;
  double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
  int min_stages = 3;  ///< of variable order Radau: 1, 3, 5 or 7
  int max_stages = 7;
  int max_order = 0;  ///< of methods whose order varies along the run; 0: all that they have
  AlgebraicUpdate algebraic_update = AlgebraicUpdate::automatic;
  LinearAlgebra linear_algebra = LinearAlgebra::automatic;
  Evaluation evaluation = Evaluation::automatic;
  std::vector<Event> events = {};
  /// Called after each accepted step; returns false to stop.
  std::function<bool(const Progress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;  ///< set from outside: ends the run cleanly
};

/// Throws InvalidInput for a malformed problem or option;
/// reports every numerical outcome in Solution::status.
[[nodiscard]] Solution solve(const Problem& problem, const Options& options = {});

/// For another attempt, with a tenth of the tolerances, where `auto` has found no step with crude
/// ones: through an exponential a voltage that is as exact as it has to be tells a current that is
/// off by many times its size. `solve` makes it by itself. Nothing where it is not likely to help.
std::optional<Options> sharper_attempt(const Options& options, const Solution& failed);

/// The same run, one step at a time.
class Integrator {
 public:
  Integrator(const Problem& problem, const Options& options = {});
  ~Integrator();
  Integrator(Integrator&&) noexcept;
  Integrator& operator=(Integrator&&) noexcept;

  /// One accepted step. False: the run is over (end, terminal event, failure).
  bool step();
  double t() const;
  double step_size() const;  ///< of the last accepted step
  Input y() const;
  /// Inside the last accepted step.
  void interpolate(double time, Output y) const;
  /// What is known so far; holds the output of the steps made.
  const Solution& solution() const;
  /// Everything after `resume` has the bits that the uninterrupted run has.
  void save(std::ostream& stream) const;
  static Integrator resume(const Problem& problem, const Options& options, std::istream& stream);

 private:
  friend Solution solve(const Problem& problem, const Options& options);
  class Run;
  explicit Integrator(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

}  // namespace daedalus
