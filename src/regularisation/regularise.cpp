// From a problem's form to the march of its regularised equations.
#include <algorithm>

#include "daedalus/error.h"
#include "regularisation/formulations.h"
#include "regularisation/schemes.h"

namespace daedalus {
namespace {

/// x, and below it what staggered stabilisation integrates besides.
Vector start_of(const Problem& problem, const RegularisedOde& ode, const Regularisation& settings,
                double t_begin) {
  const int rest = settings.pull == Pull::staggered ? ode.carried() : 0;
  const int differential = ode.size() - rest;
  const int given = std::min(problem.start.size(), differential);
  Vector start = Vector::Zero(ode.size());
  start.head(given) = problem.start.vector().head(given);
  if (rest > 0 && settings.guess)
    settings.guess(t_begin, Output(start.data() + differential, rest));
  return start;
}

}  // namespace

std::unique_ptr<RegularisedOde> regularised_ode(const Problem& problem,
                                                const Regularisation& settings) {
  if (const auto* form = std::get_if<HessenbergIndex2>(&problem.form)) {
    if (settings.pull == Pull::levels || settings.pull == Pull::invariants)
      throw InvalidInput("pull: levels and invariants are for index 3");
    return regularised_index_2(first_order_equations(*form), settings);
  }
  if (const auto* form = std::get_if<HessenbergIndex3>(&problem.form))
    return regularised_index_3(second_order_equations(*form), settings);
  if (const auto* form = std::get_if<Mechanical>(&problem.form))
    return regularised_index_3(second_order_equations(*form), settings);
  throw InvalidInput("form: regularisation takes HessenbergIndex2, HessenbergIndex3, Mechanical");
}

RegularisedRun regularise(const Problem& problem, const Regularisation& settings,
                          const std::vector<double>& mesh, const RegularisationObserver& observer) {
  require_settings(settings, mesh);
  if (mesh.back() < mesh.front())
    throw InvalidInput("mesh runs backwards: only linear problems are taken there");
  const std::unique_ptr<RegularisedOde> ode = regularised_ode(problem, settings);
  return march(*ode, start_of(problem, *ode, settings, mesh.front()), settings, mesh, observer);
}

}  // namespace daedalus
