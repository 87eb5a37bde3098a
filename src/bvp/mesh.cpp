#include "bvp/mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// (k-1)-st derivatives of the polynomials through k values in each column, and how much of them
/// rounding errors of these may be.
struct TopDerivatives {
  Matrix value, noise;

  TopDerivatives(const Basis& basis, const Iterate& u, const Matrix& values) {
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    const int k = basis.points(), count = static_cast<int>(values.rows()) / k;
    value.setZero(count, u.elements()), noise.setZero(count, u.elements());
    for (int i = 0; i < u.elements(); ++i) {
      double power = 1;
      for (int p = 1; p < k; ++p) power *= u.length(i);
      for (int j = 0; j < k; ++j) {
        const double factor = basis.top_derivative(j) / power;
        for (int c = 0; c < count; ++c) {
          const double part = factor * values(j * count + c, i);
          value(c, i) += part, noise(c, i) += rounding * std::abs(part);
        }
      }
    }
  }

  /// Size of the derivative one above, at the node between elements i - 1 and i.
  double slope(const Iterate& u, int row, int i) const {
    const double distance = 0.5 * (u.length(i - 1) + u.length(i));
    const double difference = std::abs(value(row, i) - value(row, i - 1));
    return std::max(0.0, difference - noise(row, i) - noise(row, i - 1)) / distance;
  }
};

int element_of(const Iterate& u, double t) {
  const auto right = std::upper_bound(u.t.begin(), u.t.end(), t);
  return std::clamp(static_cast<int>(right - u.t.begin()) - 1, 0, u.elements() - 1);
}

/// A density in an element, given at its ends and exponential between: layers grow so, and a mesh
/// that has few elements in one still tells where in them it is.
struct Exponential {
  double a, rate, h;
  Exponential(double left, double right, double length)
      : a(left), rate(std::log(right / left)), h(length) {}

  /// Over this part of the element from its left end.
  double integral(double part) const {
    const double x = rate * part;
    return h * a * part * (std::abs(x) < 1e-5 ? 1 + 0.5 * x : std::expm1(x) / x);
  }
  /// The part whose integral is that.
  double part(double integral) const {
    const double s = integral / (h * a);
    return s * (std::abs(rate * s) < 1e-5 ? 1 - 0.5 * rate * s : std::log1p(rate * s) / (rate * s));
  }
};

/// Integrals of the basis at places of elements, kept for each of a few kinds of places: on halved
/// meshes and on every second point of one they are the same in all elements but for rounding.
class PlaceWeights {
 public:
  explicit PlaceWeights(const Basis& basis)
      : basis_(basis), place_(at(kinds()), HUGE_VAL), weights_(at(kinds() * basis.weights())) {}

  const double* at_place(double sigma, int kind) {
    constexpr double rounding = 1e-14;
    double* own = weights_.data() + kind * basis_.weights();
    if (!(std::abs(sigma - place_[at(kind)]) <= rounding))
      basis_.integrals(place_[at(kind)] = sigma, own);
    return own;
  }

 private:
  int kinds() const { return 2 * basis_.points() + 1; }
  const Basis& basis_;
  std::vector<double> place_, weights_;
};

}  // namespace

Monitor monitor(const CollocationSystem& system, const Basis& basis, const Iterate& u,
                double tolerance) {
  const int k = basis.points(), n = system.components(), d = system.algebraic();
  const TopDerivatives top_w(basis, u, u.w), top_y(basis, u, u.y);
  const int last = u.elements();
  Monitor result;
  result.need.assign(at(last + 1), 0.0);
  for (int i = 1; i < last; ++i) {
    double need = 0;
    for (int c = 0; c < n; ++c) {
      const double derivative = top_w.slope(u, c, i);
      for (int l = 0; l < system.order[at(c)]; ++l) {
        const int slot = system.offset[at(c)] + l, r = system.order[at(c)] - l;
        if (!system.controlled[at(slot)]) continue;
        const double size = 1 + std::abs(u.z(slot, i));
        need = std::max(need, std::pow(basis.error_constant(r) * derivative / (tolerance * size),
                                       1.0 / (k + r)));
      }
    }
    for (int a = 0; a < d; ++a) {
      if (!system.controlled[at(system.states() + n + a)]) continue;
      const double size = 1 + std::max(std::abs(u.y((k - 1) * d + a, i - 1)), std::abs(u.y(a, i)));
      need = std::max(
          need,
          std::pow(basis.error_constant(0) * top_y.slope(u, a, i) / (tolerance * size), 1.0 / k));
    }
    result.need[at(i)] = std::isfinite(need) ? need : 0;
  }
  // At the ends as it grows towards them.
  const auto beyond = [&](int next, int before, double ratio) {
    constexpr double most_growth = 4;
    const double a = result.need[at(next)], b = result.need[at(before)];
    return last > 2 && a > b && b > 0 ? a * std::min(std::pow(a / b, ratio), most_growth) : a;
  };
  if (last > 1) {
    result.need.front() = beyond(1, 2, u.length(0) / u.length(1));
    result.need.back() = beyond(last - 1, last - 2, u.length(last - 1) / u.length(last - 2));
  }
  for (int i = 0; i < last; ++i) {
    const double a = result.need[at(i)], b = result.need[at(i) + 1];
    const double own = std::min(a, b) > 0 ? Exponential(a, b, u.length(i)).integral(1)
                                          : 0.5 * (a + b) * u.length(i);
    result.largest = std::max(result.largest, own);
    result.elements += own;
  }
  return result;
}

std::vector<double> spread(const Monitor& monitor, const std::vector<double>& mesh, int elements,
                           const std::vector<double>& fixed) {
  // Regions that need nothing still get some elements, and neighbours do not differ too much.
  const int old = static_cast<int>(mesh.size()) - 1;
  const double length = mesh.back() - mesh.front();
  std::vector<double> density = monitor.need;
  const double least = std::max(0.15 * monitor.elements / length, 1e-300);
  for (double& each : density) each = std::max(each, least);
  for (int i = 1; i <= old; ++i)
    density[at(i)] = std::max(density[at(i)], 0.25 * density[at(i - 1)]);
  for (int i = old - 1; i >= 0; --i)
    density[at(i)] = std::max(density[at(i)], 0.25 * density[at(i + 1)]);
  const auto inside = [&](int i) {
    return Exponential(density[at(i)], density[at(i) + 1], mesh[at(i) + 1] - mesh[at(i)]);
  };
  std::vector<double> sum(at(old + 1), 0.0);
  for (int i = 0; i < old; ++i) sum[at(i + 1)] = sum[at(i)] + inside(i).integral(1);
  const auto place_in = [&](const std::vector<double>& list, double value) {
    const auto after = std::upper_bound(list.begin(), list.end(), value);
    return std::clamp(static_cast<int>(after - list.begin()) - 1, 0, old - 1);
  };
  const auto cumulative = [&](double t) {
    const int i = place_in(mesh, t);
    return sum[at(i)] + inside(i).integral((t - mesh[at(i)]) / (mesh[at(i) + 1] - mesh[at(i)]));
  };
  std::vector<double> result = {mesh.front()};
  std::vector<double> ends;
  for (const double t : fixed)
    if (t > mesh.front() && t < mesh.back()) ends.push_back(t);
  std::sort(ends.begin(), ends.end());
  ends.push_back(mesh.back());
  double begin = mesh.front();
  for (const double end : ends) {
    const double from = cumulative(begin), to = cumulative(end);
    const int count =
        std::max(1, static_cast<int>(std::lround((to - from) / sum.back() * elements)));
    for (int j = 1; j < count; ++j) {
      const double wanted = from + (to - from) * j / count;
      const int i = place_in(sum, wanted);
      const double t =
          mesh[at(i)] + inside(i).part(wanted - sum[at(i)]) * (mesh[at(i) + 1] - mesh[at(i)]);
      if (t > result.back() && t < end) result.push_back(t);
    }
    result.push_back(end);
    begin = end;
  }
  return result;
}

std::vector<double> halved(const std::vector<double>& mesh) {
  std::vector<double> result = {mesh.front()};
  for (std::size_t i = 1; i < mesh.size(); ++i) {
    result.push_back(0.5 * (mesh[i - 1] + mesh[i]));
    result.push_back(mesh[i]);
  }
  return result;
}

std::vector<double> equal_mesh(int elements, Interval span, const std::vector<double>& fixed) {
  Monitor even;
  even.need = {1, 1};
  even.elements = span.end - span.begin;
  return spread(even, {span.begin, span.end}, elements, fixed);
}

Iterate transferred(const ElementKernel& kernel, const Basis& basis, const Iterate& u,
                    const std::vector<double>& mesh) {
  const CollocationSystem& system = kernel.system();
  const int n = system.components(), d = system.algebraic(), k = basis.points();
  const int states = system.states(), elements = static_cast<int>(mesh.size()) - 1;
  Iterate result;
  result.t = mesh;
  result.z.resize(states, elements + 1);
  result.w.resize(n * k, elements), result.y.resize(d * k, elements);
  Vector s(system.slots());
  PlaceWeights weights(basis);
  const auto evaluate = [&](int i, double t, int kind) {
    const double sigma = (t - u.left(i)) / u.length(i);
    kernel.slots_inside(sigma, weights.at_place(sigma, kind), u.length(i), u.z.col(i).data(),
                        u.w.col(i).data(), u.y.col(i).data(), s.data());
  };
  for (int i = 0; i <= elements; ++i) {
    const double t = mesh[at(i)];
    const int from = element_of(u, t);
    if (t == u.t[at(from)]) {
      result.z.col(i) = u.z.col(from);
    } else if (t == u.t[at(from) + 1]) {
      result.z.col(i) = u.z.col(from + 1);
    } else {
      evaluate(from, t, 2 * k);
      result.z.col(i) = s.head(states);
    }
  }
  for (int i = 0; i < elements; ++i)
    for (int j = 0; j < k; ++j) {
      const double t = result.left(i) + basis.rho(j) * result.length(i);
      evaluate(element_of(u, t), t, i % 2 * k + j);
      result.w.col(i).segment(j * n, n) = s.segment(states, n);
      result.y.col(i).segment(j * d, d) = s.tail(d);
    }
  return result;
}

Vector estimate_error(const ElementKernel& kernel, const Basis& basis, const Iterate& u,
                      const Iterate& fine) {
  const CollocationSystem& system = kernel.system();
  const int k = basis.points(), states = system.states(), n = system.components();
  Vector power = Vector::Constant(system.slots(), std::pow(2.0, k) - 1);
  for (int c = 0; c < n; ++c)
    for (int l = 0; l < system.order[at(c)]; ++l)
      power[system.offset[at(c)] + l] = std::pow(2.0, k + system.order[at(c)] - l) - 1;
  Vector a(system.slots()), b(system.slots()), result = Vector::Zero(system.slots());
  const auto take = [&](int first, int last) {
    for (int j = first; j < last; ++j)
      if (system.controlled[at(j)]) {
        const double error = std::abs(a[j] - b[j]) / (power[j] * (1 + std::abs(b[j])));
        result[j] = std::isfinite(error) ? std::max(result[j], error) : HUGE_VAL;
      }
  };
  // Thirds of each half, its ends included.
  constexpr int samples = 4;
  std::vector<double> in_whole(at(2 * samples * basis.weights())), in_half(in_whole.size() / 2),
      own(at(basis.weights()));
  const auto weights = [&](std::vector<double>& from, int q) {
    return from.data() + q * basis.weights();
  };
  const auto place = [](int q) { return q / (samples - 1.0); };
  for (int q = 0; q < samples; ++q) {
    basis.integrals(place(q), weights(in_half, q));
    for (const int half : {0, 1})
      basis.integrals(0.5 * (half + place(q)), weights(in_whole, half * samples + q));
  }
  const auto evaluate = [&](const Iterate& from, int i, double sigma, const double* w, Vector& to) {
    kernel.slots_inside(sigma, w, from.length(i), from.z.col(i).data(), from.w.col(i).data(),
                        from.y.col(i).data(), to.data());
  };
  for (int i = 0; i < u.elements(); ++i) {
    for (const int half : {0, 1})
      for (int q = 0; q < samples; ++q) {
        // In layers the middle is rounded visibly.
        const int part = 2 * i + half;
        const double sigma =
            (fine.left(part) - u.left(i) + place(q) * fine.length(part)) / u.length(i);
        const double* w = weights(in_whole, half * samples + q);
        if (std::abs(sigma - 0.5 * (half + place(q))) > 1e-13)
          basis.integrals(sigma, own.data()), w = own.data();
        evaluate(u, i, sigma, w, a);
        evaluate(fine, 2 * i + half, place(q), weights(in_half, q), b);
        take(0, system.slots());
      }
    // Mesh values, which projection has moved.
    a.head(states) = u.z.col(i + 1), b.head(states) = fine.z.col(2 * i + 2);
    take(0, states);
  }
  return result;
}

}  // namespace daedalus::bvp
