#pragma once
// Sequential regularisation. A problem x' = f - B y, 0 = g becomes a sequence of ordinary
// differential equations, s = 1, 2, ..., m,
//     x_s' = f(t, x_s) - B y_s,   y_s = y_{s-1} + (1/eps) E (alpha_1 d/dt g + alpha_2 g)(t, x_s),
// whose error away from an initial layer is O(eps^s): eps need not be small, and B y stays smooth
// where G B is singular at isolated times. [AscherLin1996], [AscherLin1997]
// Penalty method, Baumgarte's stabilisation, staggered and post-stabilisation are settings of the
// same iteration.
#include <functional>
#include <string>
#include <vector>

#include "daedalus/problem.h"

namespace daedalus {

/// The matrix E that weighs the constraint; E G B must not have eigenvalues in the left half plane.
enum class Weight {
  identity,         ///< I: G B is neither formed nor factored
  inverse,          ///< (G B)^-1
  transposed,       ///< (G B)^T
  shifted_inverse,  ///< (G B + delta I)^-1
};

/// What pulls a solution towards its constraint.
enum class Pull {
  /// y weighs the constraint and its derivatives. Index 2: alpha_1 g' + alpha_2 g; index 3:
  /// alpha_1 g'' + alpha_2 g' + alpha_3 g.  [AscherLin1996, (3.15)], [AscherLin1997, (2.5), (4.5)]
  combination,
  /// Index 3: g pulls positions, g' velocities; no second derivatives. [AscherLin1997, (4.14),
  /// (5.3)]
  levels,
  /// Index 3: y eliminated, the invariants g and g' regularised.  [AscherLin1997, (4.11)]
  invariants,
  /// y integrated, eps y' = d/dt g (index 2) or d^2/dt^2 g (index 3).  [ParkChiou1988]
  staggered,
};

/// What an iteration hands to the next one.
enum class Carried {
  multiplier,  ///< y
  product,     ///< B y, smooth also where y is not; projected by B (G B)^-1 G where B moves with x
};

struct Regularisation {
  double eps = 0.01;  ///< 0 with alpha_1 != 0 is the limit: Baumgarte's stabilisation
  double alpha_1 = 0;
  double alpha_2 = 1;
  double alpha_3 = 0;
  Weight weight = Weight::inverse;
  double delta = 0;  ///< of Weight::shifted_inverse
  Pull pull = Pull::combination;
  Carried carried = Carried::product;
  int iterations = 1;
  /// After each step so often x <- x - B (G B)^-1 g, positions and velocities alike for index 3.
  int post_stabilisations = 0;
  /// "forward_euler", "heun" (eps > h/2), "midpoint", "backward_euler" and every implicit method of
  /// the catalogue: "gauss_4", "radau_iia_5".
  std::string scheme = "heun";
  /// What is carried into the first iteration, y_0(t) or B y_0(t); y(t_0) for Pull::staggered.
  /// Default: zero.
  std::function<void(double t, Output carried)> guess = {};
};

/// One iteration from y_0 = 0: y = (1/eps) E g.
Regularisation penalty(double eps, Weight weight);
/// Index 2: d/dt g + a g = 0.  Index 3: d^2/dt^2 g + a d/dt g + b g = 0.  [Baumgarte1972]
Regularisation baumgarte(double a, double b = 0);
/// The differentiated constraint alone, and B (G B)^-1 times the violation taken off `times` times
/// after each step. [AscherChinPetzoldReich1995], [AscherLin1997, (5.2)]
Regularisation post_stabilisation(int times);
Regularisation staggered_stabilisation(double eps);

/// One iterate on the whole interval, a column for each time.
struct RegularisedIterate {
  Matrix x;        ///< at `mesh`; index 3: positions above velocities; staggered: y below
  Matrix carried;  ///< at `nodes`: y or B y
};

struct RegularisedRun {
  std::vector<double> mesh = {};
  std::vector<double> nodes = {};  ///< where y lives: mesh points, or the stages of collocation
  std::vector<RegularisedIterate> iterates = {};  ///< first to last
  double finite_until = 0;                        ///< the last time before which nothing overflowed
  std::string message = {};

  bool succeeded() const { return message.empty(); }
  const RegularisedIterate& last() const { return iterates.back(); }
};

/// x' = A x + B y + q,  0 = C x + r,  with the signs of [AscherLin1996]: B y_s = B y_{s-1} -
/// (1/eps) B E (alpha_1 (C x + r)' + alpha_2 (C x + r)).
struct LinearIndex2 {
  int differential = 0;
  int algebraic = 0;
  MatrixFunction<0> A = {}, B = {}, C = {};  ///< (t, out); A may be missing: zero
  Function<0> q = {}, r = {};                ///< (t, out); may be missing: zero
  /// at_begin x(t_0) + at_end x(t_N) = values: `differential` rows, or without the `algebraic` ones
  /// that C(t_0) x(t_0) + r(t_0) = 0 supplies. at_end may be empty: an initial value problem.
  Matrix at_begin = {}, at_end = {};
  Vector values = {};
};

/// begin + (end - begin) i / steps; end may lie before begin.
std::vector<double> uniform_mesh(Interval span, int steps);
/// Where a pivot of C B at an inner mesh point is below `threshold` times the largest on the mesh,
/// the point is moved on by half a step.
std::vector<double> off_singularities(std::vector<double> mesh, const LinearIndex2& problem,
                                      double threshold = 1e-10);

/// y from B y, away from singular times: the y of least residual in B y = product.
Vector multiplier(const LinearIndex2& problem, double t, const Vector& product);
/// y on a solution at t: 0 = (C x + r)' solved for y. At the start it makes a guess without the
/// worst layer.  [AscherLin1996, Remark 3.1]
Vector hidden_multiplier(const LinearIndex2& problem, double t, const Vector& x);

/// Iterates on the given mesh. On a mesh that runs backwards eps changes its sign, so that the
/// drift decays in the direction of integration: shooting back from a terminal value.
RegularisedRun regularise(const LinearIndex2& problem, const Regularisation& settings,
                          const std::vector<double>& mesh);

/// What an observer sees at each mesh point, t_0 included: column s of each matrix is iterate s
/// + 1.
struct RegularisedPoint {
  double t = 0;
  const Matrix& x;
  const Matrix& carried;
};
using RegularisationObserver = std::function<void(const RegularisedPoint&)>;

/// HessenbergIndex2 (affine in z), HessenbergIndex3 (y' = z, affine in u) and Mechanical problems
/// (holonomic). The start is taken as it is. With an observer only the end is stored.
RegularisedRun regularise(const Problem& problem, const Regularisation& settings,
                          const std::vector<double>& mesh,
                          const RegularisationObserver& observer = {});

/// Conditions at both ends of a nonlinear problem, for x alone (index 3: positions above
/// velocities).
struct EndValues {
  /// at_begin x(t_0) + at_end x(t_N) = values: as many rows as x, or without those that the
  /// constraint at t_0 (index 3: and its derivative) supplies.
  Matrix at_begin = {}, at_end = {};
  Vector values = {};
  std::function<void(double t, Output x)> guess = {};  ///< a first approximation of the solution
};

/// Implicit schemes only; each iterate is found by quasilinearisation, which converges near the
/// solution, and from farther away with a larger eps. Pull::staggered is refused.
/// The problem's own start is not used. If an iterate is not found, the run holds those before it.
RegularisedRun regularise(const Problem& problem, const EndValues& ends,
                          const Regularisation& settings, const std::vector<double>& mesh);

}  // namespace daedalus
