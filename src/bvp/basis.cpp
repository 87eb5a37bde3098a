#include "bvp/basis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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
  if (k < std::max(highest, fewest) || k > 9)
    throw InvalidInput(fmt::format("points: {} collocation points; needed are {} to 9", k,
                                   std::max(highest, fewest)));
  const Coefficients nodes = generate_coefficients(family_of(kind), k);
  const auto node = [&](int i) { return nodes.c[i]; };
  for (int i = 0; i < k; ++i) rho_.push_back(static_cast<double>(node(i)));
  std::vector<long double> all(static_cast<std::size_t>(k) + 1, 0);  // prod (s - rho_j)
  all[0] = 1;
  for (int j = 0; j < k; ++j)
    for (int p = j + 1; p >= 0; --p)
      all[static_cast<std::size_t>(p)] = (p > 0 ? all[static_cast<std::size_t>(p) - 1] : 0) -
                                         node(j) * all[static_cast<std::size_t>(p)];
  coefficient_.assign(static_cast<std::size_t>(k * k), 0);
  double factorial = 1;
  for (int p = 2; p < k; ++p) factorial *= p;
  for (int j = 0; j < k; ++j) {
    // all / (s - rho_j), divided by its value at rho_j.
    long double* c = &coefficient_[static_cast<std::size_t>(j * k)];
    long double carry = 0, scale = 1;
    for (int p = k - 1; p >= 0; --p)
      c[p] = carry = all[static_cast<std::size_t>(p) + 1] + node(j) * carry;
    for (int i = 0; i < k; ++i)
      if (i != j) scale *= node(j) - node(i);
    for (int p = 0; p < k; ++p) c[p] /= scale;
    top_.push_back(static_cast<double>(c[k - 1]) * factorial);
  }
  for (int r = 0; r <= highest; ++r)
    for (int i = 0; i <= k; ++i)
      for (int j = 0; j < k; ++j)
        table_.push_back(static_cast<double>(integrated(
            &coefficient_[static_cast<std::size_t>(j * k)], k, r, i < k ? node(i) : 1.0L)));
  for (int r = 0; r <= highest; ++r) {
    long double most = 0;
    for (int i = 0; i <= 200; ++i)
      most = std::max(most, std::abs(integrated(all.data(), k + 1, r, i / 200.0L)));
    error_.push_back(static_cast<double>(most) / (factorial * std::max(1, k)));
  }
}

void Basis::integrals(int r, double s, double* out) const {
  for (int j = 0; j < k_; ++j)
    out[j] =
        static_cast<double>(integrated(&coefficient_[static_cast<std::size_t>(j * k_)], k_, r, s));
}

}  // namespace daedalus::bvp
