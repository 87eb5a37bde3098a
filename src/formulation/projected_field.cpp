// Which problems explicit methods can integrate, and how.
#include "formulation/projected_field.h"

#include <cmath>

#include <fmt/format.h>

#include "formulation/constrained_motion.h"
#include "formulation/graph_field.h"
#include "formulation/index2_field.h"
#include "formulation/sparse_motion.h"
#include "linear/factored_constraints.h"
#include "linear/iterated_constraints.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

/// y' = f(t, y).
class Slopes final : public ProjectedField {
 public:
  explicit Slopes(const LinearlyImplicit& form) : f_(form.f) { differential = form.size; }
  bool slope(double t, const double* x, double* xp) override {
    f_(t, {Input(x, differential)}, Output(xp, differential));
    double sum = 0;
    for (int i = 0; i < differential; ++i) sum += xp[i];
    return std::isfinite(sum);
  }
  std::unique_ptr<ProjectedField> copy() const override { return std::make_unique<Slopes>(*this); }

 private:
  Function<1> f_;
};

}  // namespace

/// Forward differences, small beside what moves. At rest a velocity is one that accelerations give
/// on the way over a part of q.
bool ProjectedField::acceleration_derivatives(double t, const double* x, double* da_dq,
                                              double* da_dv) {
  constexpr double part = 0.01;
  const int n = differential / 2;
  differences_.resize(3 * static_cast<std::size_t>(differential));
  double *moved = differences_.data(), *base = moved + differential, *there = base + differential;
  if (!slope(t, x, base)) return false;
  const auto largest = [n](const double* list) {
    double size = 0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(list[i]));
    return size;
  };
  const double q_size = largest(x) > 0 ? largest(x) : 1;
  double v_size = std::max(largest(x + n), part * std::sqrt(largest(base + n) * q_size));
  if (v_size == 0) v_size = q_size;
  std::copy(x, x + differential, moved);
  for (int j = 0; j < differential; ++j) {
    const double size = std::max(std::abs(x[j]), part * (j < n ? q_size : v_size));
    moved[j] = x[j] + std::sqrt(std::numeric_limits<double>::epsilon()) * size;
    const double delta = moved[j] - x[j];
    if (!slope(t, moved, there)) return false;
    moved[j] = x[j];
    double* column = j < n ? da_dq + j * n : da_dv + (j - n) * n;
    for (int i = 0; i < n; ++i) column[i] = (there[n + i] - base[n + i]) / delta;
  }
  return true;
}

std::shared_ptr<ConstraintMatrix> make_constraints(Solves solves, int rows, int columns) {
  if (solves == Solves::by_products) return std::make_shared<IteratedConstraints>(rows, columns);
  return std::make_shared<FactoredConstraints>(rows, columns);
}

std::unique_ptr<ProjectedField> make_projected_field(
    const Problem& problem, std::shared_ptr<const std::vector<double>> modes, Solves solves) {
  if (const auto* form = std::get_if<ExpressionGraph>(&problem.form))
    return make_graph_field(problem, *form, std::move(modes), solves);
  if (const auto* form = std::get_if<Mechanical>(&problem.form)) {
    const bool by_factors = solves == Solves::by_factors;
    std::shared_ptr<MotionEquations> equations;
    if (by_factors && form->coordinates <= StraightMotion::most_coordinates)
      equations = motion_of(*form, true, problem.findings);
    if (by_factors && !(equations && equations->straight()))
      if (auto sparse = SparseMotion::make(
              *form,
              [form = *form] {
                return std::make_unique<ConstrainedMotion>(motion_of(form, false),
                                                           Solves::by_factors);
              },
              problem.findings))
        return sparse;
    if (!equations) equations = motion_of(*form, false, problem.findings);
    return std::make_unique<ConstrainedMotion>(std::move(equations), solves);
  }
  if (const auto* form = std::get_if<HessenbergIndex2>(&problem.form))
    return std::make_unique<Index2Field>(index2_equations_of(*form), solves);
  const auto* ode = std::get_if<LinearlyImplicit>(&problem.form);
  require(ode && ode->mass.is_identity(),
          "explicit methods integrate y' = f(t, y), Hessenberg systems of index 2 and mechanical "
          "systems; use radau for this form");
  return std::make_unique<Slopes>(*ode);
}

}  // namespace daedalus
