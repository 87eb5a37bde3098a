#include "reproduce/collocation.h"

#include <algorithm>
#include <cmath>

#include "daedalus/error.h"

namespace daedalus::reproduce {
namespace {

constexpr int p1 = 0, v1 = 1, p2 = 2, v2 = 3;

}  // namespace

// With M^-1 = (2+t) [[2(2-t) nu^2, nu (2 nu - 1)], [nu (2 nu - 1), (nu^2 + (nu-1)^2)/(2-t)]]:
// p'' = A p' - B lambda + q, B = M^-1 C^T, C = (1, t - 2), and q such that p = (e^t, e^t),
// lambda = e^t/(2 - t) is a solution. [AscherPetzold1992, Example 4.1]
BoundaryProblem ascher_petzold_example_1(double nu, double alpha) {
  BoundaryProblem p;
  p.orders = {2, 2}, p.algebraic = 1;
  p.t_span = {0, 1};
  p.f = [nu, alpha](auto t, auto z, auto y, auto out) {
    auto a1 = alpha * (2 * nu - 1), a2 = alpha * (2 * nu - 2 + 1 / nu);
    auto b1 = nu * (4 - t * t), b2 = (nu - 1) * (t + 2);
    auto e = exp(t), multiplier = y[0] - e / (2 - t);
    out[0] = e + a1 * (z[v2] - e) - b1 * multiplier;
    out[1] = e + a2 / (2 - t) * (z[v2] - e) - b2 * multiplier;
  };
  p.g = [](auto t, auto z, auto, auto out) { out[0] = z[p1] + (t - 2) * z[p2] - (t - 1) * exp(t); };
  return p;
}

// [AscherPetzold1992, Example 4.2], with y = 0 on the solution.
BoundaryProblem ascher_petzold_example_2(double nu) {
  BoundaryProblem p;
  p.orders = {2, 2}, p.algebraic = 1;
  p.t_span = {0, 1};
  p.f = [nu](auto t, auto z, auto y, auto out) {
    auto s = sin(nu * t), c = cos(nu * t), e = exp(t);
    out[0] = e - nu * nu * (z[v1] - e) + s * y[0];
    out[1] = e - nu * nu * (z[v2] - e) + c * y[0];
  };
  p.g = [nu](auto t, auto z, auto, auto out) {
    auto s = sin(nu * t), c = cos(nu * t);
    out[0] = s * z[p1] + c * z[p2] - exp(t) * (s + c);
  };
  return p;
}

CollocationErrors collocation_errors(const CollocationCase& of) {
  const BoundarySolution s = collocate_initial_values(of.problem, Values{1, 1, 1, 1}, of.options);
  if (!s.succeeded()) throw InvalidInput(s.message.text());
  CollocationErrors errors;
  Vector drift(1), multiplier = Vector::Zero(1);
  for (std::size_t i = 1; i < s.t.size(); ++i) {
    const Input row = s.row(static_cast<int>(i));
    const double exact = std::exp(s.t[i]);
    errors.position = std::max(errors.position, std::abs(row[p1] - exact));
    errors.velocity = std::max(errors.velocity, std::abs(row[v1] - exact));
    of.problem.g(s.t[i], {Input(row.data(), 4), Input(multiplier.data(), 1)},
                 Output(drift.data(), 1));
    errors.drift = std::max(errors.drift, std::abs(drift[0]));
  }
  return errors;
}

}  // namespace daedalus::reproduce
