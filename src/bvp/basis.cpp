#include "bvp/basis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "bvp/constant.h"
#include "daedalus/error.h"
#include "method/generate.h"

namespace daedalus::bvp {
namespace {

/// sum_p c_p p!/(p+r)! s^(p+r): the polynomial c integrated r times from 0.
long double integrated(const long double* c, int count, int r, long double s) {
  long double sum = 0;
  for (int p = count - 1; p >= 0; --p) {
    long double factor = 1;
    for (int q = 1; q <= r; ++q) factor /= p + q;
    sum = sum * s + c[p] * factor;
  }
  for (int q = 0; q < r; ++q) sum *= s;
  return sum;
}

/// P_0, P_1, ... of x.
void legendre(long double x, int count, long double* p) {
  p[0] = 1;
  if (count > 1) p[1] = x;
  for (int q = 1; q + 1 < count; ++q)
    p[q + 1] = ((2 * q + 1) * x * p[q] - q * p[q - 1]) / static_cast<long double>(q + 1);
}

const char* family_of(CollocationPoints kind) {
  switch (kind) {
    case CollocationPoints::gauss:
      return "gauss";
    case CollocationPoints::radau:
      return "radau_iia";
    case CollocationPoints::lobatto:
      return "lobatto_iiia";
  }
  return "";
}

}  // namespace

Basis::Basis(CollocationPoints kind, int k, int highest) : kind_(kind), k_(k), highest_(highest) {
  const int fewest = kind == CollocationPoints::lobatto ? 2 : 1;
  if (k < std::max(highest, fewest) || k > most_points)
    throw InvalidInput(fmt::format("points: {} collocation points; needed are {} to {}", k,
                                   std::max(highest, fewest), most_points));
  const Coefficients nodes = generate_coefficients(family_of(kind), k);
  const auto node = [&](int i) { return nodes.c[i]; };
  for (int i = 0; i < k; ++i) rho_.push_back(static_cast<double>(node(i)));
  std::vector<long double> all(static_cast<std::size_t>(k) + 1, 0);  // prod (s - rho_j)
  all[0] = 1;
  for (int j = 0; j < k; ++j)
    for (int p = j + 1; p >= 0; --p)
      all[static_cast<std::size_t>(p)] = (p > 0 ? all[static_cast<std::size_t>(p) - 1] : 0) -
                                         node(j) * all[static_cast<std::size_t>(p)];
  std::vector<long double> coefficient(static_cast<std::size_t>(k * k), 0);  // [j][power] of L_j
  double factorial = 1;
  for (int p = 2; p < k; ++p) factorial *= p;
  for (int j = 0; j < k; ++j) {
    // all / (s - rho_j), divided by its value at rho_j.
    long double* c = &coefficient[static_cast<std::size_t>(j * k)];
    long double carry = 0, scale = 1;
    for (int p = k - 1; p >= 0; --p)
      c[p] = carry = all[static_cast<std::size_t>(p) + 1] + node(j) * carry;
    for (int i = 0; i < k; ++i)
      if (i != j) scale *= node(j) - node(i);
    for (int p = 0; p < k; ++p) c[p] /= scale;
    top_.push_back(static_cast<double>(c[k - 1]) * factorial);
  }
  for (int r = 0; r <= highest; ++r)
    for (int j = 0; j < k; ++j) {
      for (int i = 0; i <= k; ++i)
        table_.push_back(static_cast<double>(integrated(
            &coefficient[static_cast<std::size_t>(j * k)], k, r, i < k ? node(i) : 1.0L)));
      if (padded(k + 1) > k + 1) table_.push_back(0);
    }
  for (int r = 0; r <= highest; ++r)
    for (int i = 0; i <= k; ++i)
      for (int j = 0; j < k; ++j) by_point_.push_back(integral(r, j, i));
  for (int r = 0; r <= highest; ++r) {
    long double most = 0;
    for (int i = 0; i <= 200; ++i)
      most = std::max(most, std::abs(integrated(all.data(), k + 1, r, i / 200.0L)));
    error_.push_back(static_cast<double>(most) / (factorial * std::max(1, k)));
  }
  expand({nodes.c.begin(), nodes.c.end()});
}

/// L_j by the Gauss rule of k points, exact for its products with P_0 .. P_(k-1); then
/// int P_q = (P_(q+1) - P_(q-1)) / (2 (2 q + 1)) for the variable s = (1 + x) / 2.
void Basis::expand(const std::vector<long double>& node) {
  const int degrees = k_ + highest_;
  const Coefficients rule = generate_coefficients("gauss", k_);
  const auto at = [&](int i) { return node[static_cast<std::size_t>(i)]; };
  const auto place = [&](int r, int q, int j) {
    return static_cast<std::size_t>((r * degrees + q) * k_ + j);
  };
  std::vector<long double> exact(static_cast<std::size_t>((highest_ + 1) * degrees * k_), 0);
  std::vector<long double> p(static_cast<std::size_t>(degrees));
  for (int i = 0; i < k_; ++i) {
    legendre(2 * rule.c[i] - 1, k_, p.data());
    for (int j = 0; j < k_; ++j) {
      long double value = rule.b[i];
      for (int other = 0; other < k_; ++other)
        if (other != j) value *= (rule.c[i] - at(other)) / (at(j) - at(other));
      for (int q = 0; q < k_; ++q)
        exact[place(0, q, j)] += (2 * q + 1) * value * p[static_cast<std::size_t>(q)];
    }
  }
  for (int r = 1; r <= highest_; ++r)
    for (int j = 0; j < k_; ++j)
      for (int q = 0; q + 1 < degrees; ++q) {
        const long double part = exact[place(r - 1, q, j)] / (2 * (2 * q + 1));
        exact[place(r, q + 1, j)] += part;
        exact[place(r, q == 0 ? 0 : q - 1, j)] += q == 0 ? part : -part;
      }
  for (const long double value : exact) legendre_.push_back(static_cast<double>(value));
}

const Basis& Basis::shared(CollocationPoints kind, int k, int highest) {
  struct Made {
    std::once_flag once;
    std::unique_ptr<const Basis> basis;
  };
  static Made all[3][most_points + 1][most_points + 1];
  if (k < 1 || k > most_points || highest < 0 || highest > k) Basis(kind, k, highest);  // throws
  Made& made = all[static_cast<int>(kind)][k][highest];
  std::call_once(made.once, [&] { made.basis = std::make_unique<Basis>(kind, k, highest); });
  return *made.basis;
}

template <int k>
void Basis::sum_integrals(const double* legendre, double* out) const {
  const double* from = legendre_.data();
  for (int r = 0; r <= highest_; ++r, out += k, from += (highest_ - r + 1) * k) {
    double sums[k] = {};
    for (int q = 0; q < k + r; ++q, from += k)
      for (int j = 0; j < k; ++j) sums[j] += legendre[q] * from[j];
    std::copy_n(sums, k, out);
  }
}

void Basis::integrals(double s, double* out) const {
  // P_(q+1) = x P_q + q / (q + 1) (x P_q - P_(q-1))
  static const std::array<double, 2 * most_points + 1> ratio = [] {
    std::array<double, 2 * most_points + 1> list = {};
    for (std::size_t q = 1; q < list.size(); ++q)
      list[q] = static_cast<double>(q) / static_cast<double>(q + 1);
    return list;
  }();
  double p[2 * most_points + 1];
  const double x = 2 * s - 1;
  p[0] = 1, p[1] = x;
  for (int q = 1; q + 1 < k_ + highest_; ++q) {
    const double next = x * p[q];
    p[q + 1] = next + ratio[static_cast<std::size_t>(q)] * (next - p[q - 1]);
  }
  with_constant<most_points>(k_, [&]<int k>() { sum_integrals<k>(p, out); });
}

}  // namespace daedalus::bvp
