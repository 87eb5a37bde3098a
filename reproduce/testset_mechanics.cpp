// Mechanisms: a pendulum, car axis and Fekete points of [TestSet].
#include <array>
#include <cmath>
#include <numbers>

#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

std::vector<int> range(int begin, int end) {
  std::vector<int> list;
  for (int i = begin; i < end; ++i) list.push_back(i);
  return list;
}

// --- Car axis: q = (xl, yl, xr, yr) -------------------------------------------------------------

constexpr double car_length = 1, car_spring = 0.5, car_mass = 10 * 1e-2 * 1e-2 / 2;

template <class Scalar>
struct Road {
  Scalar y, x;
  explicit Road(const Scalar& t) : y(0.1 * sin(10.0 * t)), x(sqrt(car_length - y * y)) {}
};

struct CarForce {
  template <class T, class Q, class V, class Out>
  void operator()(const T& t, const Q& q, const V&, Out& out) const {
    const Road<T> road(t);
    const auto dx = q[2] - road.x, dy = q[3] - road.y;
    const auto left = car_spring / sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
    const auto right = car_spring / sqrt(dx * dx + dy * dy) - 1.0;
    out[0] = left * q[0];
    out[1] = left * q[1] - car_mass;
    out[2] = right * dx;
    out[3] = right * dy - car_mass;
  }
};

struct CarConstraint {
  template <class T, class Q, class Out>
  void operator()(const T& t, const Q& q, Out& out) const {
    const Road<T> road(t);
    const auto x = q[0] - q[2], y = q[1] - q[3];
    // Signs such that the multipliers are those of the published form.
    out[0] = -(q[0] * road.x + q[1] * road.y);
    out[1] = car_length * car_length - x * x - y * y;
  }
};

struct CarFirstOrder {
  template <class T, class Y, class Out>
  void operator()(const T& t, const Y& y, Out& out) const {
    using Scalar = std::decay_t<decltype(y[0])>;
    const Road<T> road(t);
    const auto dx = y[0] - y[2], dy = y[1] - y[3];
    for (int i = 0; i < 4; ++i) out[i] = y[4 + i];
    Scalar force[4];
    CarForce()(t, y, y, force);
    out[4] = force[0] + y[8] * road.x + 2.0 * y[9] * dx;
    out[5] = force[1] + y[8] * road.y + 2.0 * y[9] * dy;
    out[6] = force[2] - 2.0 * y[9] * dx;
    out[7] = force[3] - 2.0 * y[9] * dy;
    out[8] = y[0] * road.x + y[1] * road.y;
    out[9] = dx * dx + dy * dy - car_length * car_length;
  }
};

// --- Fekete points ------------------------------------------------------------------------------

constexpr int charges = 20;

/// Adds the repulsion of all pairs at the positions p: of each charge and the one `ahead` places
/// on, around the circle of all. So no charge comes twice in a round, and compilers may take
/// several pairs at once; each coordinate in an array of its own, twice in a row for the way
/// around.
template <class P, class Out>
void add_repulsion(const P& p, Out&& out) {
  using Scalar = std::decay_t<decltype(p[0])>;
  using Row = std::array<Scalar, charges>;
  using Circle = std::array<Scalar, 2 * charges>;
  Circle x, y, z, on_x{}, on_y{}, on_z{};
  Row from_x, from_y, from_z;
  for (int a = 0; a < charges; ++a) {
    x[a] = x[a + charges] = p[3 * a];
    y[a] = y[a + charges] = p[3 * a + 1];
    z[a] = z[a + charges] = p[3 * a + 2];
  }
  for (int ahead = 1; 2 * ahead <= charges; ++ahead) {
    const int pairs = 2 * ahead < charges ? charges : ahead;
    for (int a = 0; a < pairs; ++a) {
      const Scalar dx = x[a] - x[a + ahead], dy = y[a] - y[a + ahead], dz = z[a] - z[a + ahead];
      const Scalar r = 1.0 / (dx * dx + dy * dy + dz * dz);
      from_x[a] = dx * r, from_y[a] = dy * r, from_z[a] = dz * r;
      on_x[a] += from_x[a], on_y[a] += from_y[a], on_z[a] += from_z[a];
    }
    for (int a = 0; a < pairs; ++a)
      on_x[a + ahead] -= from_x[a], on_y[a + ahead] -= from_y[a], on_z[a + ahead] -= from_z[a];
  }
  for (int a = 0; a < charges; ++a) {
    out[3 * a] += on_x[a] + on_x[a + charges];
    out[3 * a + 1] += on_y[a] + on_y[a + charges];
    out[3 * a + 2] += on_z[a] + on_z[a + charges];
  }
}

Vector fekete_start() {
  Vector p(3 * charges);
  int i = 0;
  const auto ring = [&](int members, int first, double shift, double b) {
    for (int k = 0; k < members; ++k, ++i) {
      const double a = 2 * std::numbers::pi * (k + first) / members + shift;
      p.segment(3 * i, 3) << std::cos(a) * std::cos(b), std::sin(a) * std::cos(b), std::sin(b);
    }
  };
  constexpr double pi = std::numbers::pi;
  ring(3, 1, pi / 13, 3 * pi / 8), ring(7, 1, pi / 29, pi / 8);
  ring(6, 1, pi / 7, -2 * pi / 15), ring(4, 0, pi / 17, -3 * pi / 10);
  return p;
}

struct FeketeFirstOrder {
  template <class Y, class Out>
  void operator()(const Y& y, Out& out) const {
    constexpr int n = 3 * charges;
    for (int a = 0; a < charges; ++a) {
      const auto lambda = 2.0 * y[2 * n + a], mu = 2.0 * y[2 * n + charges + a];
      for (int c = 3 * a; c < 3 * a + 3; ++c) {
        out[c] = y[n + c] + mu * y[c];
        out[n + c] = -0.5 * y[n + c] + lambda * y[c];
      }
      const int k = 3 * a;
      out[2 * n + a] = y[k] * y[k] + y[k + 1] * y[k + 1] + y[k + 2] * y[k + 2] - 1.0;
      out[2 * n + charges + a] =
          2.0 * (y[k] * y[n + k] + y[k + 1] * y[n + k + 1] + y[k + 2] * y[n + k + 2]);
    }
    add_repulsion(y, out.data() + n);
  }
};

}  // namespace

TestProblem rod_pendulum() {
  constexpr double gravity = 9.81;
  TestProblem result = shipped("pendulum");
  result.title = "Pendulum; other codes are given its index 1 form";
  result.differential = range(0, 4);
  result.algebraic = {4};
  const Values start = {1, 0, 0, 0, 0};
  result.statement.problem = {
      .form = Mechanical{
          .coordinates = 2,
          .holonomic = 1,
          .force = [](auto, auto, auto out) { out[0] = 0.0, out[1] = -gravity; },
          // Half the squared radius: lambda is the tension of the rod.
          .constraint = [](auto q, auto out) { out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); }},
      .t_span = {0, 10},
      .start = start};
  Statement others = {.place = range(0, 5)};
  others.problem = {.form = LinearlyImplicit{.size = 5,
                                             .mass = Mass::diagonal({1, 1, 1, 1, 0}),
                                             .f =
                                                 [](auto y, auto out) {
                                                   out[0] = y[2];
                                                   out[1] = y[3];
                                                   out[2] = -y[4] * y[0];
                                                   out[3] = -y[4] * y[1] - gravity;
                                                   out[4] = y[2] * y[2] + y[3] * y[3] -
                                                            gravity * y[1] -
                                                            (y[0] * y[0] + y[1] * y[1]) * y[4];
                                                 }},
                    .t_span = {0, 10},
                    .start = start};
  result.first_order = others;
  return result;
}

TestProblem car_axis(Told told) {
  TestProblem result = shipped("caraxis");
  result.title = "Car axis over a bumpy road, index 3";
  result.differential = range(0, 8);
  result.algebraic = range(8, 10);
  const Vector start = Values{0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0, 0, 0};
  Vector diagonal = Vector::Ones(10);
  diagonal.segment(4, 4).setConstant(car_mass);
  diagonal.tail(2).setZero();
  Statement published = {.place = range(0, 10), .highest_index = 3};
  published.problem = {
      .form = LinearlyImplicit{.size = 10, .mass = Mass::diagonal(diagonal), .f = CarFirstOrder()},
      .t_span = {0, 3},
      .start = start,
      .variable_index = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3}};
  result.first_order = published;
  result.statement = published;
  if (told == Told::as_published) return result;
  result.statement.problem = {
      .form = Mechanical{.coordinates = 4,
                         .holonomic = 2,
                         .mass = Mass::diagonal(Vector(Vector::Constant(4, car_mass))),
                         .force = CarForce(),
                         .constraint = CarConstraint()},
      .t_span = {0, 3},
      .start = start};
  return result;
}

TestProblem fekete(Told told) {
  TestProblem result = shipped("fekete");
  result.title = "Fekete points: 20 charges on a sphere with friction, index 2";
  constexpr int n = 3 * charges;
  // Velocities have died away at the end.
  result.differential = range(0, n);
  result.algebraic = range(2 * n, 2 * n + charges);
  Vector start = Vector::Zero(2 * n + 2 * charges);
  start.head(n) = fekete_start();
  start.segment(2 * n, charges).setConstant(-4.75);
  Vector diagonal = Vector::Zero(start.size());
  diagonal.head(2 * n).setOnes();
  std::vector<int> index(static_cast<std::size_t>(start.size()), 1);
  std::fill(index.begin() + 2 * n, index.end(), 2);
  Statement published = {.place = range(0, 2 * n + 2 * charges), .highest_index = 2};
  published.problem = {.form = LinearlyImplicit{.size = static_cast<int>(start.size()),
                                                .mass = Mass::diagonal(diagonal),
                                                .f = FeketeFirstOrder()},
                       .t_span = {0, 1000},
                       .start = start,
                       .variable_index = index};
  result.first_order = published;
  result.statement = published;
  if (told == Told::as_published) return result;
  result.model = "fekete_mechanism";
  std::fill(result.statement.place.begin() + 2 * n + charges, result.statement.place.end(), -1);
  result.statement.problem = {.form = Mechanical{.coordinates = n,
                                                 .holonomic = charges,
                                                 .force =
                                                     [](auto q, auto v, auto out) {
                                                       for (int i = 0; i < n; ++i)
                                                         out[i] = -0.5 * v[i];
                                                       add_repulsion(q, out);
                                                     },
                                                 .constraint =
                                                     [](auto q, auto out) {
                                                       for (int a = 0; a < charges; ++a) {
                                                         const int k = 3 * a;
                                                         out[a] = 1.0 - q[k] * q[k] -
                                                                  q[k + 1] * q[k + 1] -
                                                                  q[k + 2] * q[k + 2];
                                                       }
                                                     }},
                              .t_span = {0, 1000},
                              .start = Values(Vector(start.head(2 * n + charges)))};
  return result;
}

}  // namespace daedalus::reproduce
