// Problems of the public test set that are F(t, y, y') = 0 and no M y' = f with a constant M.
// [TestSet] Codes that know no other form get y' = z, 0 = F(t, y, z); where F alone does not
// determine y', z is of index 2.
#include <cmath>

#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

template <class F>
struct WithRates {
  F residual;
  int size;
  template <class T, class Y, class Out>
  void operator()(const T& t, const Y& y, Out& out) const {
    const int n = size;
    for (int i = 0; i < n; ++i) out[i] = y[n + i];
    residual(t, InputOf<T>(y.data(), n), InputOf<T>(y.data() + n, n),
             OutputOf<T>(out.data() + n, n));
  }
};

/// `rates`: y' at the start. `index`: of y' as an unknown.
template <class F>
TestProblem fully_implicit(const std::string& model, const std::string& title, F residual,
                           Interval t_span, const Values& start, const Values& rates, int index) {
  TestProblem result = shipped(model);
  result.title = title;
  const int n = start.size();
  result.statement.problem = {.form = FullyImplicit{.size = n, .residual = residual},
                              .t_span = t_span,
                              .start = start,
                              .start_derivative = rates};
  result.for_bdf = result.statement;
  Vector both(2 * n), diagonal = Vector::Zero(2 * n);
  both << start.vector(), rates.vector();
  diagonal.head(n).setOnes();
  std::vector<int> index_of_variables(static_cast<std::size_t>(2 * n), 1);
  std::fill(index_of_variables.begin() + n, index_of_variables.end(), index);
  Statement with_rates = {.place = result.statement.place, .highest_index = index};
  with_rates.problem = {.form = LinearlyImplicit{.size = 2 * n,
                                                 .mass = Mass::diagonal(diagonal),
                                                 .f = WithRates<F>{residual, n}},
                        .t_span = t_span,
                        .start = both,
                        .variable_index = index_of_variables};
  result.first_order = with_rates;
  return result;
}

}  // namespace

TestProblem brenan() {
  TestProblem result = fully_implicit(
      "brenan_index1", "Brenan's problem: M(t), derivative of an algebraic variable, index 1",
      [](auto t, auto y, auto yp, auto out) {
        out[0] = yp[0] - t * yp[1] + y[0] - (1.0 + t) * y[1];
        out[1] = y[1] - sin(t);
      },
      {0, 10}, {1, 0}, {-1, 1}, 2);
  result.differential = {0}, result.algebraic = {1};
  return result;
}

TestProblem kvaerno() {
  constexpr double begin = 0.25;
  const double e = std::exp(-begin), s = std::sin(begin), c = std::cos(begin);
  return fully_implicit(
      "kvaerno_index1", "Kvaerno's problem: M(y) of changing direction, index 1",
      [](auto t, auto y, auto yp, auto out) {
        out[0] = yp[0] + y[2] * yp[1] - (y[1] + 1.0) * yp[2] + y[0] - 1.0 - sin(t);
        out[1] = (y[2] + 1.0) * yp[0] + y[0] * yp[1] + exp(-t);
        out[2] = y[0] * y[1] * y[2] - 0.5 * exp(-t) * sin(2.0 * t);
      },
      {begin, 1.25}, {e, s, c}, {-e, c, -s}, 2);
}

TestProblem weissinger() {
  const double begin = std::sqrt(0.5);
  return fully_implicit(
      "weissinger", "Weissinger's equation, cubic in the derivative",
      [](auto t, auto y, auto yp, auto out) {
        const auto square = y[0] * y[0];
        out[0] = ((t * yp[0] - y[0]) * square * yp[0] + t * (t * t + 1.0)) * yp[0] - t * t * y[0];
      },
      {begin, 10}, {1}, {begin}, 1);
}

TestProblem kamke() {
  return fully_implicit(
      "kamke542", "Kamke's equation I.542, cubic in the derivative",
      [](auto t, auto y, auto yp, auto out) {
        out[0] = (16.0 * y[0] * y[0] * yp[0] * yp[0] + 2.0 * t) * yp[0] - y[0];
      },
      {0, 100}, {std::sqrt(2.0)}, {std::sqrt(0.125)}, 1);
}

}  // namespace daedalus::reproduce
