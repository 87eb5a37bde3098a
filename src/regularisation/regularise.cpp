// From a problem's form to the march of its regularised equations.
#include <algorithm>

#include "daedalus/error.h"
#include "regularisation/formulations.h"
#include "regularisation/schemes.h"

namespace daedalus {
namespace {

Vector start_of(const Problem& problem, const RegularisedOde& ode, const Regularisation& settings,
                double t_begin, int differential) {
  Vector start = Vector::Zero(ode.size());
  const int given = std::min(problem.start.size(), differential);
  start.head(given) = problem.start.vector().head(given);
  const auto rest = ode.size() - differential;
  if (rest > 0 && settings.guess)
    settings.guess(t_begin, Output(start.data() + differential, rest));
  return start;
}

}  // namespace

RegularisedRun regularise(const Problem& problem, const Regularisation& settings,
                          const std::vector<double>& mesh, const RegularisationObserver& observer) {
  require_settings(settings, mesh);
  if (mesh.back() < mesh.front())
    throw InvalidInput("mesh runs backwards: only linear problems are taken there");
  std::unique_ptr<RegularisedOde> ode;
  int differential = 0;
  if (const auto* form = std::get_if<HessenbergIndex2>(&problem.form)) {
    if (settings.pull == Pull::levels || settings.pull == Pull::invariants)
      throw InvalidInput("pull: levels and invariants are for index 3");
    ode = regularised_index_2(first_order_equations(*form), settings);
    differential = form->differential;
  } else if (const auto* chain = std::get_if<HessenbergIndex3>(&problem.form)) {
    ode = regularised_index_3(second_order_equations(*chain), settings);
    differential = 2 * chain->position;
  } else if (const auto* mechanical = std::get_if<Mechanical>(&problem.form)) {
    ode = regularised_index_3(second_order_equations(*mechanical), settings);
    differential = 2 * mechanical->coordinates;
  } else {
    throw InvalidInput("form: regularisation takes HessenbergIndex2, HessenbergIndex3, Mechanical");
  }
  const Vector start = start_of(problem, *ode, settings, mesh.front(), differential);
  return march(*ode, start, settings, mesh, observer);
}

}  // namespace daedalus
