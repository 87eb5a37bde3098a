#include "formulation/recorded_problem.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
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
struct Index2Functions {
  int size = 0;
  std::vector<double> mass = {};  ///< diagonal
  std::vector<char> is_multiplier = {};
  std::function<void(double t, const double* y, double* f)> f = {};
};

template <class Form>
std::optional<Index2Functions> index_2_functions(const Problem&, const Form&) {
  return std::nullopt;
}

std::optional<Index2Functions> index_2_functions(const Problem& problem,
                                                 const LinearlyImplicit& form) {
  const int n = form.size;
  if (!form.f || !form.mass.is_constant() || std::ssize(problem.variable_index) != n)
    return std::nullopt;
  Index2Functions found{.size = n, .mass = std::vector<double>(problem.variable_index.size(), 0.0)};
  for (const Mass::Entry& entry : form.mass.entries(n)) {
    if (entry.row != entry.column || entry.row < 0 || entry.row >= n) return std::nullopt;
    found.mass[static_cast<std::size_t>(entry.row)] = entry.value;
  }
  for (const int index : problem.variable_index) found.is_multiplier.push_back(index == 2);
  found.f = [f = form.f, n](double t, const double* y, double* out) {
    f(t, {InputOf<double>(y, n)}, OutputOf<double>(out, n));
  };
  return found;
}

std::optional<Index2Functions> index_2_functions(const Problem&, const HessenbergIndex2& form) {
  if (!form.f || form.differential <= 0 || form.algebraic <= 0) return std::nullopt;
  const int differential = form.differential, algebraic = form.algebraic;
  Index2Functions found{.size = differential + algebraic};
  for (int i = 0; i < found.size; ++i) {
    found.mass.push_back(i < differential ? 1.0 : 0.0);
    found.is_multiplier.push_back(i >= differential);
  }
  found.f = [f = form.f, differential, algebraic](double t, const double* y, double* out) {
    std::fill(out + differential, out + differential + algebraic, 0.0);
    f(t, {InputOf<double>(y, differential), InputOf<double>(y + differential, algebraic)},
      OutputOf<double>(out, differential));
  };
  return found;
}

/// Second differences vanish.
bool multipliers_enter_linearly(const Index2Functions& functions, double t,
                                const std::vector<double>& y, const std::vector<double>& slopes) {
  std::vector<double> moved = y, once(y.size()), twice(y.size());
  for (std::vector<double>* out : {&once, &twice}) {
    for (std::size_t i = 0; i < y.size(); ++i)
      if (functions.is_multiplier[i]) moved[i] += 0.1 * std::max(1.0, std::abs(y[i]));
    functions.f(t, moved.data(), out->data());
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
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
double change_in_interval(const Problem& problem, const Index2Functions& functions,
                          const std::vector<double>& y, const std::vector<double>& slopes) {
  double size = 0, slope = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (functions.mass[i] == 0) continue;
    size = std::max(size, std::abs(y[i]));
    slope = std::max(slope, std::abs(slopes[i] / functions.mass[i]));
  }
  return slope * std::abs(problem.t_span.end - problem.t_span.begin) / size;
}

}  // namespace

std::string_view reason_not_to_record(const Problem& problem) {
  constexpr double little = 3;   // some twenty steps
  constexpr int cheap_size = 8;  // matrices fit into registers
  if (stated_index(problem) != 2 || problem.start.size() > size_of(problem.form)) return {};
  const auto functions =
      std::visit([&](const auto& form) { return index_2_functions(problem, form); }, problem.form);
  if (!functions) return {};
  std::vector<double> y(static_cast<std::size_t>(functions->size), 0.0), slopes(y.size());
  const Vector& start = problem.start;
  std::copy(start.data(), start.data() + start.size(), y.begin());
  try {
    functions->f(problem.t_span.begin, y.data(), slopes.data());
    if (!multipliers_enter_linearly(*functions, problem.t_span.begin, y, slopes))
      return "multipliers enter nonlinearly";  // several may satisfy the equations
    if (functions->size <= cheap_size &&
        change_in_interval(problem, *functions, y, slopes) < little)
      return "too little happens in the interval to be worth an analysis";
  } catch (const std::exception&) {
    // Whatever it is, the run will tell.
  }
  return {};
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
