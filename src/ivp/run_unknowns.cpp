// What a run solves for, and how the user's variables follow from it.
#include "formulation/combined_problem.h"
#include "formulation/lean_problem.h"
#include "ivp/run.h"
#include "ivp/validate.h"

namespace daedalus {

void Integrator::Run::find_unknowns() {
  LeanProblem lean = lean_problem(problem_);
  if (lean.expansion) {
    problem_ = std::move(lean.problem);
    expansion_ = std::move(lean.expansion);
    split_tolerances();
  }
  if (options_.formulation == Formulation::direct) return;
  CombinedProblem combined = combined_problem(problem_);
  problem_ = std::move(combined.problem);
  note_ = std::move(combined.note);
}

void Integrator::Run::split_tolerances() {
  const Vector given = options_.atol;
  const std::vector<int>& eliminated = expansion_->eliminated();
  expansion_->atol = Vector::Constant(std::ssize(eliminated),
                                      given.size() == 0 ? options_.rtol : given.minCoeff());
  if (given.size() <= 1) return;
  require_tolerances(given, expansion_->visible());
  for (std::size_t k = 0; k < eliminated.size(); ++k)
    expansion_->atol[static_cast<int>(k)] = given[eliminated[k]];
  std::vector<double> kept;
  for (const int j : expansion_->kept())
    if (j < expansion_->visible()) kept.push_back(given[j]);
  options_.atol = kept;
}

Input Integrator::Run::shown(double time, const double* y) const {
  if (!expansion_) return {y, system_->visible};
  return {expansion_->of(time, y, system_->modes->data()), expansion_->visible()};
}

}  // namespace daedalus
