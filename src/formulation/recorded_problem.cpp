#include "formulation/recorded_problem.h"

#include <algorithm>
#include <exception>

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

}  // namespace

std::optional<Problem> recorded_if_of_higher_index(const Problem& problem) {
  const int index = stated_index(problem);
  if (index <= 1 ||
      size_of(problem.form) > (index == 2 ? most_recorded_of_index_2 : most_of_index_3))
    return std::nullopt;
  try {
    return recorded(problem);
  } catch (const std::exception&) {
    return std::nullopt;  // plain doubles, a branch on values, or something of the user's own
  }
}

}  // namespace daedalus
