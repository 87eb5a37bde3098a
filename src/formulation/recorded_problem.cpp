#include "formulation/recorded_problem.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <type_traits>
#include <vector>

#include "daedalus/record.h"

namespace daedalus {
namespace {

constexpr int most_of_index_3 = 2000;  // functions dense in more of them make large graphs

template <class Form>
int index_of(const Form&) {
  return 1;
}
int index_of(const HessenbergIndex2&) {
  return 2;
}
int index_of(const HessenbergIndex3&) {
  return 3;
}
int index_of(const HigherOrder& form) {
  return form.index;
}
// Both have ways of their own.
int index_of(const Mechanical&) {
  return 0;
}
int index_of(const ExpressionGraph&) {
  return 0;
}

/// What the form or the user says; 0: a form that has a way of its own.
int stated_index(const Problem& problem) {
  const int form = std::visit([](const auto& f) { return index_of(f); }, problem.form);
  if (form == 0 || problem.variable_index.empty()) return form;
  return std::max(form,
                  *std::max_element(problem.variable_index.begin(), problem.variable_index.end()));
}

/// What is known of functions of index 2 without derivatives: x' of the variables that have one,
/// and which variables are multipliers.
struct Index2Facts {
  std::vector<double> mass = {};  ///< diagonal
  std::vector<char> is_multiplier = {};
};

std::optional<Index2Facts> index_2_facts(const Problem& problem, const LinearlyImplicit& form) {
  const int n = form.size;
  if (!form.f || !form.mass.is_constant() || std::ssize(problem.variable_index) != n)
    return std::nullopt;
  Index2Facts found{.mass = std::vector<double>(problem.variable_index.size(), 0.0)};
  for (const Mass::Entry& entry : form.mass.entries(n)) {
    if (entry.row != entry.column || entry.row < 0 || entry.row >= n) return std::nullopt;
    found.mass[static_cast<std::size_t>(entry.row)] = entry.value;
  }
  found.is_multiplier.reserve(problem.variable_index.size());
  for (const int index : problem.variable_index) found.is_multiplier.push_back(index == 2);
  return found;
}

std::optional<Index2Facts> index_2_facts(const Problem&, const HessenbergIndex2& form) {
  if (!form.f || form.differential <= 0 || form.algebraic <= 0) return std::nullopt;
  Index2Facts found;
  for (int i = 0; i < form.differential + form.algebraic; ++i) {
    found.mass.push_back(i < form.differential ? 1.0 : 0.0);
    found.is_multiplier.push_back(i >= form.differential);
  }
  return found;
}

void evaluate(const LinearlyImplicit& form, double t, const double* y, double* f) {
  form.f(t, {InputOf<double>(y, form.size)}, OutputOf<double>(f, form.size));
}

void evaluate(const HessenbergIndex2& form, double t, const double* y, double* f) {
  const int n = form.differential, m = form.algebraic;
  std::fill(f + n, f + n + m, 0.0);
  form.f(t, {InputOf<double>(y, n), InputOf<double>(y + n, m)}, OutputOf<double>(f, n));
}

/// Second differences vanish. `work` holds three vectors.
template <class Form>
bool multipliers_enter_linearly(const Form& form, const Index2Facts& facts, double t,
                                const double* y, const double* slopes, double* work) {
  const std::size_t n = facts.mass.size();
  double *const moved = work, *const once = work + n, *const twice = work + 2 * n;
  std::copy(y, y + n, moved);
  for (double* out : {once, twice}) {
    for (std::size_t i = 0; i < n; ++i)
      if (facts.is_multiplier[i]) moved[i] += 0.1 * std::max(1.0, std::abs(y[i]));
    evaluate(form, t, moved, out);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::abs(slopes[i]) + std::abs(once[i]) + std::abs(twice[i]);
    if (std::abs(slopes[i] - 2 * once[i] + twice[i]) > 1e-8 * size) return false;
  }
  return true;
}

/// There are as many constraints of velocities as of positions then.
bool may_hold_constraints_twice(const Problem& problem) {
  const std::vector<int>& index = problem.variable_index;
  auto multipliers = std::count(index.begin(), index.end(), 2);
  if (const auto* form = std::get_if<HessenbergIndex2>(&problem.form))
    multipliers = form->algebraic;
  return multipliers > 0 && multipliers % 2 == 0;
}

/// By how much of its size the solution would change at the slopes of the start.
double change_in_interval(const Problem& problem, const Index2Facts& facts, const double* y,
                          const double* slopes) {
  double size = 0, slope = 0;
  for (std::size_t i = 0; i < facts.mass.size(); ++i) {
    if (facts.mass[i] == 0) continue;
    size = std::max(size, std::abs(y[i]));
    slope = std::max(slope, std::abs(slopes[i] / facts.mass[i]));
  }
  return slope * std::abs(problem.t_span.end - problem.t_span.begin) / size;
}

template <class Form>
std::string_view reason_against(const Problem&, const Form&) {
  return {};
}

template <class Form>
requires(std::is_same_v<Form, LinearlyImplicit> ||
         std::is_same_v<Form, HessenbergIndex2>) std::string_view
    reason_against(const Problem& problem, const Form& form) {
  constexpr double little = 3;    // some twenty steps
  constexpr std::size_t few = 8;  // matrices fit into registers
  const auto facts = index_2_facts(problem, form);
  if (!facts) return {};
  const std::size_t n = facts->mass.size();
  std::vector<double> work(5 * n, 0.0);
  double *const y = work.data(), *const slopes = y + n;
  const Vector& start = problem.start;
  std::copy(start.data(), start.data() + start.size(), y);
  try {
    evaluate(form, problem.t_span.begin, y, slopes);
    if (!multipliers_enter_linearly(form, *facts, problem.t_span.begin, y, slopes, slopes + n))
      return "multipliers enter nonlinearly";  // several may satisfy the equations
    if (n <= few && change_in_interval(problem, *facts, y, slopes) < little)
      return "too little happens in the interval to be worth an analysis";
  } catch (const std::exception&) {
    // Whatever it is, the run will tell.
  }
  return {};
}

}  // namespace

std::string_view reason_not_to_record(const Problem& problem) {
  if (stated_index(problem) != 2 || problem.start.size() > size_of(problem.form)) return {};
  return std::visit([&](const auto& form) { return reason_against(problem, form); }, problem.form);
}

std::optional<Problem> recorded_if_of_higher_index(const Problem& problem) {
  const int index = stated_index(problem);
  const int most = index >= 3                            ? most_of_index_3
                   : may_hold_constraints_twice(problem) ? most_recorded_motion_of_index_2
                                                         : most_recorded_of_index_2;
  if (index <= 1 || size_of(problem.form) > most) return std::nullopt;
  try {
    return recorded(problem);
  } catch (const std::exception&) {
    return std::nullopt;  // plain doubles, a branch on values, or something of the user's own
  }
}

}  // namespace daedalus
