#pragma once
// x' = F(t, x) on the manifold of its constraints: what explicit methods integrate in place of a
// differential-algebraic equation. x is on the manifold at the mesh points, and at the stages too
// where the constraints are nearly singular: there F depends on how far x is off the manifold, over
// how far it is from the singular point, and only on the manifold is F smooth across it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/problem.h"
#include "linear/small_vectors.h"

namespace daedalus {

class ConstraintMatrix;
class SavedState;
struct SlopeTerms;

/// How multipliers are found: by factors of G M^-1 G^T or G B, or by products with G and B alone.
enum class Solves { by_factors, by_products };

std::shared_ptr<ConstraintMatrix> make_constraints(Solves solves, int rows, int columns);

class ProjectedField {
 public:
  virtual ~ProjectedField() = default;

  int differential = 0;  ///< length of x
  int algebraic = 0;     ///< of the multipliers
  /// Where x and behind it the multipliers stand among the variables; empty: in this order.
  std::vector<int> places = {};
  int place(int i) const { return places.empty() ? i : places[static_cast<std::size_t>(i)]; }
  void gather(const double* y, double* x) const {
    if (places.empty()) return copy_singly(y, differential, x);
    for (int i = 0; i < differential; ++i) x[i] = y[places[static_cast<std::size_t>(i)]];
  }
  /// Variables that are zero whatever x is.
  std::vector<int> vanishing = {};
  void scatter(const double* x, double* y) const {
    if (places.empty())
      copy_singly(x, differential, y);
    else
      for (int i = 0; i < differential; ++i) y[places[static_cast<std::size_t>(i)]] = x[i];
    for (const int j : vanishing) y[j] = 0;
  }
  /// The multipliers among the variables.
  void gather_multipliers(const double* y, double* z) const {
    if (places.empty()) return copy_singly(y + differential, algebraic, z);
    for (int k = 0; k < algebraic; ++k) z[k] = y[place(differential + k)];
  }
  void scatter_multipliers(const double* z, double* y) const {
    if (places.empty()) return copy_singly(z, algebraic, y + differential);
    for (int k = 0; k < algebraic; ++k) y[place(differential + k)] = z[k];
  }
  /// Whether x holds all variables that are marked.
  bool contains(const std::vector<char>& marked) const {
    std::ptrdiff_t count = std::count(marked.begin(), marked.end(), char{1});
    for (int i = 0; i < differential; ++i) count -= marked[static_cast<std::size_t>(place(i))];
    return count == 0;
  }

  /// What x satisfies: constraints (level 0) and their time derivatives. No names: the field cannot
  /// tell.
  Names constraint_names = {};
  virtual int levels() const { return 0; }
  virtual void level(int k, double t, const double* x, double* r) {
    (void)k, (void)t, (void)x, (void)r;
  }
  /// Residuals of all levels one behind the other, where the last step has left them for this
  /// point; else null.
  virtual const double* known_levels(double t, const double* x) {
    return (void)t, (void)x, nullptr;
  }

  /// A slope costs as much as the equations have entries.
  virtual bool is_sparse() const { return false; }
  std::int64_t factorizations = 0;
  std::int64_t iterations = 0;  ///< of multipliers, where nothing is factored

  /// x', for an x on the manifold or near it. False: not finite.
  virtual bool slope(double t, const double* x, double* xp) = 0;
  /// A point y + weight x' at another time.
  struct Ahead {
    double t;
    const double* y;
    double weight;
  };
  /// x' with the multipliers that make the point ahead meet the constraints, those of velocities in
  /// the case of motions. False: not found, or the constraints are nearly dependent.
  virtual bool constrained_slope(double t, const double* x, const Ahead& ahead, double* xp) {
    return (void)ahead, slope(t, x, xp);
  }
  /// All stages of an explicit step from x, all at once.
  struct Stages {
    const SlopeTerms& terms;
    double t, h, end;         ///< t + h, up to rounding
    const double *x, *slope;  ///< where it begins
  };
  /// Until the next ones are made: slopes of the second stage and those behind it, positions of the
  /// last one, the end, and estimates, one behind the other.
  struct MadeStages {
    const double *slopes, *last_positions, *end, *estimates;
  };
  /// Nothing: there is no code for it, or constraints that are nearly dependent in one of the
  /// stages have to be looked at.
  virtual std::optional<MadeStages> make_stages(const Stages& step) {
    return (void)step, std::nullopt;
  }
  /// Puts the end of the stages made last onto the manifold and gives its slope: what `project_end`
  /// and `slope` would give. False: it is to be left to them.
  virtual bool end_stages(double* x, double* xp) { return (void)x, (void)xp, false; }
  /// Whether x' is affine in the multipliers; known after `begin`.
  virtual bool is_affine() const { return true; }
  /// Whether x = (q, v) with q' = v.
  virtual bool is_motion() const { return false; }
  /// Of a motion: da/dq and da/dv of the accelerations, by columns. False: not finite.
  virtual bool acceleration_derivatives(double t, const double* x, double* da_dq, double* da_dv);
  /// About what these cost, in slopes.
  virtual double slopes_for_derivatives() const { return differential + 1; }
  /// Whether x = (q, v) moves under constraints of positions alone, as `position_step` asks for.
  virtual bool moves_on_positions() const { return false; }
  /// One step of a motion with constraints of positions, q + h v being what meets them: Euler's, or
  /// the symmetric one of RATTLE, which meets those of velocities too. `multipliers`, as many as
  /// constraints, are guessed before and known behind. False: not solved.
  virtual bool position_step(double t, double* x, double h, bool symmetric, double* multipliers) {
    return (void)t, (void)x, (void)h, (void)symmetric, (void)multipliers, false;
  }
  /// Whether slopes come from an iteration.
  virtual bool iterates() const { return false; }
  /// Then they may be off by this much; 0: by rounding.
  virtual void ask_for(double slope_error) { (void)slope_error; }
  /// What was learnt in its stages is to be kept, or not: those of a step that is given up may have
  /// been anywhere.
  virtual void step_was(bool accepted) { (void)accepted; }
  /// A step begins at x. Functions of the user may not be what they were: they may hold values that
  /// events, or whoever makes the steps, have changed. `asks`: they are to be compared with what is
  /// made of them; the bits of the step do not depend on it while they agree.
  virtual void renew(double t, const double* x, bool asks) { (void)t, (void)x, (void)asks; }
  /// Nobody has a hand in the run between its steps.
  bool is_left_alone = false;
  /// Where to look for the multipliers, if there are several, and whether that is of use.
  virtual void guess_multipliers(const double* z) { (void)z; }
  virtual bool wants_guess() const { return false; }
  /// Of the last slope. Not a number where the constraints do not determine them.
  virtual void multipliers(double* z) const { (void)z; }
  /// Puts a stage onto the manifold. False: it is too far away.
  virtual bool project_stage(double t, double* x) {
    (void)t, (void)x;
    return true;
  }
  /// The end of a step. Where the constraints are nearly dependent, corrections larger than
  /// `tolerance` lead to another branch of the manifold and are left to a later step.
  virtual bool project_end(double t, double* x, const double* tolerance) {
    (void)t, (void)x, (void)tolerance;
    return true;
  }
  /// How far x is off the manifold, in units of the size of x.
  virtual double distance(double t, const double* x) {
    (void)t, (void)x;
    return 0;
  }
  /// About what the first level misses where x is off by its size; infinite: not known.
  virtual double reach() const { return std::numeric_limits<double>::infinity(); }
  /// At the last slope: about the smallest singular value of the constraints over the largest.
  virtual double health() const { return 1; }
  /// Constraints of this health or a better one are known to be far from a singular point. False:
  /// this field cannot make use of it.
  virtual bool suspect_below(double health) { return (void)health, false; }
  /// t - t* at the last slope, for the nearest time t* where the constraints lose rank.
  virtual double since_singular() { return std::numeric_limits<double>::infinity(); }
  /// A start at rest on a crossing of branches: gives x a velocity along the one asked for, counted
  /// from 1 by the force along it, `speed` times that which the force gives in the end. The number
  /// of branches; 0: the motion is determined, or nothing is known of branches.
  virtual int leave_rest(double t, double* x, int branch, double speed) {
    (void)t, (void)x, (void)branch, (void)speed;
    return 0;
  }
  /// Independent of this one.
  virtual std::unique_ptr<ProjectedField> copy() const = 0;
  /// A worker for output: sees the scales learnt so far, learns none.
  virtual std::unique_ptr<ProjectedField> for_output() const { return copy(); }
  /// Learns the sizes of the constraints around the start.
  virtual void begin(double t, const double* x) { (void)t, (void)x; }
  virtual std::vector<std::string> notes() const { return {}; }
  virtual void save(std::vector<double>& memory) const { (void)memory; }
  virtual void restore(SavedState& memory) { (void)memory; }
  /// `rewind` leaves no trace in the bits of what follows.
  virtual bool can_rewind() const { return false; }
  /// As it was made. False: the functions of the user are not what they were.
  virtual bool rewind() { return false; }

 private:
  std::vector<double> differences_;  ///< points and slopes
};

/// Corrections beyond ten tolerances lead to another branch.
inline bool stays_within(const double* correction, const double* tolerance, int n) {
  for (int k = 0; k < n; ++k)
    if (std::abs(correction[k]) > 10 * tolerance[k]) return false;
  return true;
}

/// Calls look(x) and four points around x: exactly where a row of the constraints vanishes the
/// start tells nothing of its size.
template <class Look>
void around(const double* x, int n, double* point, Look look) {
  double largest = 0, fraction = 0;
  for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(x[j]));
  if (largest == 0) largest = 1;
  std::copy(x, x + n, point);
  for (int probe = 0; probe <= 4; ++probe) {
    look(point);
    for (int j = 0; j < n; ++j) {
      fraction = std::fmod(fraction + 0.6180339887498949, 1.0);
      point[j] = x[j] + 0.1 * largest * (2 * fraction - 1);
    }
  }
}

/// Throws InvalidInput for forms that explicit methods cannot integrate. `modes` are the discrete
/// values that the equations of a model are to use.
std::unique_ptr<ProjectedField> make_projected_field(
    const Problem& problem, std::shared_ptr<const std::vector<double>> modes, Solves solves);

}  // namespace daedalus
