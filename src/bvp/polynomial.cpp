#include "bvp/polynomial.h"

#include <algorithm>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {

PiecewisePolynomial::PiecewisePolynomial(const bvp::BoundaryGraph& graph,
                                         std::shared_ptr<const bvp::CollocationSystem> system,
                                         const bvp::Basis& basis, bvp::Iterate iterate)
    : system_(std::move(system)),
      basis_(basis),
      iterate_(std::move(iterate)),
      kernel_(*system_, basis_) {
  for (const auto& [variable, order] : graph.shown)
    shown_.push_back(system_->place(variable, order));
}

void PiecewisePolynomial::slots(double t, double* s) const {
  const std::vector<double>& mesh = iterate_.t;
  const auto right = std::lower_bound(mesh.begin(), mesh.end(), t);
  const int node =
      static_cast<int>(std::min<std::ptrdiff_t>(right - mesh.begin(), iterate_.elements()));
  const int i = std::max(0, node - 1);
  const double h = iterate_.length(i);
  kernel_.slots_inside((t - iterate_.left(i)) / h, h, iterate_.z.col(i).data(),
                       iterate_.w.col(i).data(), iterate_.y.col(i).data(), s);
  if (mesh[static_cast<std::size_t>(node)] == t)
    std::copy(iterate_.z.col(node).data(), iterate_.z.col(node).data() + system_->states(), s);
}

double PiecewisePolynomial::shown_value(int k, const double* s) const {
  double sum = 0;
  for (const int slot : shown_[static_cast<std::size_t>(k)]) sum += s[slot];
  return sum;
}

void PiecewisePolynomial::values(double t, double* out) const {
  std::vector<double> s(static_cast<std::size_t>(system_->slots()));
  slots(t, s.data());
  for (int k = 0; k < shown(); ++k) out[k] = shown_value(k, s.data());
}

Input BoundarySolution::row(int i) const {
  const int rows = static_cast<int>(t.size());
  if (i < 0) i += rows;
  if (i < 0 || i >= rows)
    throw InvalidInput(fmt::format("row: {} is not one of {} mesh points", i, rows));
  return Input(values.data() + static_cast<std::size_t>(i) * variables.size(), size());
}

Vector BoundarySolution::operator()(double time) const {
  if (!polynomial) throw InvalidInput("there is no solution to evaluate");
  if (t.empty() || time < t.front() || time > t.back())
    throw InvalidInput(fmt::format("t = {} lies outside of the interval", time));
  Vector result(size());
  polynomial->values(time, result.data());
  return result;
}

}  // namespace daedalus
