#pragma once
// Boundary value problems of differential-algebraic equations, by projected collocation of systems
// of mixed order as they stand:
//
//   x_c^(m_c) = f_c(t, z, y),   0 = g(t, z, y),   0 = b(z(t_1), ..., z(t_p)),
//
// z = (x_1, x_1', ..., x_1^(m_1 - 1), x_2, ...), then the unknown parameters. Constraints may be of
// index 1 (g determines y), of index 2, both at once, or of higher index, which is reduced by
// differentiation. They and what follows from them complete the boundary conditions by themselves.
// [AscherPetzold1992]
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "daedalus/findings.h"
#include "daedalus/function.h"
#include "daedalus/model.h"
#include "daedalus/solution.h"

namespace daedalus {

enum class CollocationPoints { gauss, radau, lobatto };

/// What is collocated in place of constraints of index 2 and more. g^(c-1) is the constraint
/// differentiated until it is of index 2.
enum class ConstraintForm {
  direct,                   ///< g^(c-1) = 0 with the multiplier as it stands
  baumgarte,                ///< the combination of g, ..., g^(c-1) with (d/dt + gamma)^(c-1)
  projected_invariants,     ///< y from g^(c) = 0, and a new multiplier along g_x^T for g^(c-1) = 0
  projected_invariants_ii,  ///< y from g^(c) = 0, g(x + phi) = 0 for phi' = g_x^T mu
  /// The same with y eliminated: x^(m) = f(x + phi, ..., y(x + phi, ...)) at each point.
  projected_invariants_ii_eliminated,
  /// Sequential regularisation with weight (G B)^-1: `iterations` problems of index 1 at once,
  /// d/dt g^(c-1) with y_s = that with y_(s-1) - g^(c-1) / eps, y_0 = 0; the solution is the last,
  /// O(eps^iterations) off outside of a layer at the left end. [AscherLin1997]
  regularised,
};

struct BoundaryProblem {
  std::vector<int> orders = {};  ///< m_c of each differential component
  int algebraic = 0;             ///< length of y and of g
  int parameters = 0;            ///< unknown numbers at the end of z
  Function<2> f = {};            ///< (t, z, y, out), one entry for each component
  Function<2> g = {};            ///< (t, z, y, out)
  Interval t_span = {};
  std::vector<double> points = {};  ///< increasing; empty: both ends
  int conditions = 0;
  Function<1> condition = {};            ///< (Z, out), Z = z at the first point, at the second, ...
  bool conditions_on_algebraic = false;  ///< Z = z, y at the first point, z, y at the second, ...
  /// Values to begin with; missing: zero. z without the parameters.
  std::function<void(double t, Output z, Output y)> guess = {};
  Values parameter_guess = {};
  Names variables = {};        ///< of z and y; default x1, x1', ..., y1, ...
  Names condition_names = {};  ///< default: condition 1, ...
  Findings findings = {};      ///< of earlier runs, shared by copies
  /// Length of z, parameters included.
  int states() const;
};

struct BoundaryOptions {
  double tolerance = 1e-6;  ///< error of each variable at most tolerance * (1 + |variable|)
  CollocationPoints points = CollocationPoints::gauss;
  int stages = 0;  ///< collocation points in an element; 0: chosen from the first solution
  std::vector<double> mesh = {};  ///< to begin with; empty: `elements` equal ones
  int elements = 10;
  bool adapt = true;  ///< false: solved on the given mesh, with no estimate of the error
  int max_elements = 200'000;
  int max_newton = 40;         ///< iterations on one mesh
  bool project = true;         ///< onto constraints of index 2, at mesh points
  bool project_lower = false;  ///< also onto constraints that were differentiated away
  ConstraintForm form = ConstraintForm::direct;
  double gamma = 5;                              ///< of Baumgarte's combination
  double eps = 0.01;                             ///< of `regularised`
  int iterations = 3;                            ///< likewise
  int threads = 1;                               ///< results do not depend on their number
  double time_limit = 1e300;                     ///< seconds
  const std::atomic<bool>* interrupt = nullptr;  ///< set from outside: ends the run cleanly
};

struct BoundaryStatistics {
  int stages = 0;  ///< collocation points in each element
  int meshes = 0;
  int newton = 0;                ///< iterations on all meshes
  int factorizations = 0;        ///< of the whole system
  int rejected = 0;              ///< damping factors that were too large
  std::int64_t elements = 0;     ///< linearised and condensed
  std::int64_t evaluations = 0;  ///< of all equations at one time
  double wall_seconds = 0;
};

class PiecewisePolynomial;

struct BoundarySolution {
  Status status = Status::success;
  Reason reason = Reason::finished;
  Message message = {};
  std::vector<std::string> notes = {};
  Names variables = {};
  std::vector<double> t = {};       ///< the mesh
  std::vector<double> values = {};  ///< a row of all variables for each mesh point
  std::vector<double> error = {};   ///< estimate for each variable, relative to 1 + |variable|
  double condition = 0;  ///< estimate of how much changes of the conditions are amplified
  BoundaryStatistics statistics = {};
  std::shared_ptr<const PiecewisePolynomial> polynomial = {};

  bool succeeded() const { return status != Status::failed; }
  int size() const { return static_cast<int>(variables.size()); }
  Input row(int i) const;
  /// All variables at any time of the interval.
  Vector operator()(double time) const;
};

/// Throws InvalidInput for a problem that cannot be right; numerical outcomes are in the status.
/// `before`: a solution of a similar problem to begin with, on its mesh unless one is given.
[[nodiscard]] BoundarySolution solve_boundary(const BoundaryProblem& problem,
                                              const BoundaryOptions& options = {},
                                              const BoundarySolution* before = nullptr);

/// A model with a `constraint` section.
[[nodiscard]] BoundarySolution solve_boundary(const Model& model, const BoundaryOptions& options,
                                              const BoundarySolution* before = nullptr);

/// A family of problems from an easy member to the wanted one. Each solution is the guess of the
/// next; steps in the parameter grow after success and shrink after failure.
struct Continuation {
  double from = 0, to = 1;
  double first_step = 0.25;     ///< as a part of the way
  double smallest_step = 1e-4;  ///< likewise
  int max_solves = 200;
};
/// `solve_at(value, before)`: before is null at first, and `value == to` at last. What is returned
/// belongs to the last value that was solved; on failure the message says how far it came.
[[nodiscard]] BoundarySolution continue_boundary(
    const std::function<BoundarySolution(double value, const BoundarySolution* before)>& solve_at,
    const Continuation& way);

/// Solutions of a problem with one condition too few, whose last parameter runs along a branch,
/// also around folds, where it turns back.
struct Branch {
  double from = 0, to = 1;  ///< of the parameter; the second solution is found on the way to `to`
  double first_step = 0.1;  ///< of the parameter
  double lowest = -1e300, highest = 1e300;  ///< the branch ends where the parameter leaves these
  int max_solutions = 100;
  double largest_step = 1;  ///< of length along the branch
};
/// The parameter is the last entry of each solution's states. Steps are taken along the secant in
/// (z(t_0), parameter): the added condition is orthogonal to it (pseudo-arclength). What was found
/// before a failure is returned; the last solution then carries the message.
[[nodiscard]] std::vector<BoundarySolution> follow_branch(const BoundaryProblem& problem,
                                                          const Branch& branch,
                                                          const BoundaryOptions& options = {});

/// Element by element from z(t_0) = start: lengths by their errors, or options.mesh, or equal ones.
[[nodiscard]] BoundarySolution collocate_initial_values(const BoundaryProblem& problem,
                                                        const Values& start,
                                                        const BoundaryOptions& options = {});

}  // namespace daedalus
