// Andrews' squeezing mechanism: seven rigid bodies in the plane, three closed loops, index 3.
// Angles q = (beta, Theta, gamma, Phi, delta, Omega, epsilon). [TestSet]
#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

constexpr int angles = 7, loops = 6;
constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
                 m7 = 0.05498;
constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                 i6 = 5.667e-7, i7 = 1.912e-5;
constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
constexpr double stiffness = 4530, rest_length = 0.07785, torque = 0.033;
constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                 ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                 tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                 fa = 0.01421;

/// The six entries of the mass matrix that vary and the constant ones.
template <class Scalar>
struct MassEntries {
  static constexpr double m22 = m2 * da * da + i2, m33 = m3 * (sa * sa + sb * sb) + i3,
                          m44 = m4 * (e - ea) * (e - ea) + i4,
                          m66 = m6 * (zf - fa) * (zf - fa) + i6;
  Scalar m11, m21, m54, m55, m76, m77;

  template <class Q>
  explicit MassEntries(const Q& q) {
    const Scalar c = cos(q[1]), s4 = sin(q[3]), s6 = sin(q[5]);
    m11 = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * c + da * da) + i1 + i2;
    m21 = m2 * (da * da - da * rr * c) + i2;
    m54 = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * s4) + i4;
    m55 = m4 * (zt * zt + 2 * zt * (e - ea) * s4 + (e - ea) * (e - ea)) + m5 * (ta * ta + tb * tb) +
          i4 + i5;
    m76 = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * s6) + i6;
    m77 = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * s6 + u * u) + m7 * (ua * ua + ub * ub) +
          i6 + i7;
  }
};

template <class Q, class V, class Out>
void force(const Q& q, const V& v, Out&& out) {
  const auto s3 = sin(q[2]), c3 = cos(q[2]), s2 = sin(q[1]), c4 = cos(q[3]), c6 = cos(q[5]);
  const auto xd = sd * c3 + sc * s3 + xb, yd = sd * s3 - sc * c3 + yb;
  const auto length = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc));
  const auto pull = -stiffness * (length - rest_length) / length;
  const auto fx = pull * (xd - xc), fy = pull * (yd - yc);
  out[0] = torque - m2 * da * rr * v[1] * (v[1] + 2.0 * v[0]) * s2;
  out[1] = m2 * da * rr * v[0] * v[0] * s2;
  out[2] = fx * (sc * c3 - sd * s3) + fy * (sd * c3 + sc * s3);
  out[3] = m4 * zt * (e - ea) * v[4] * v[4] * c4;
  out[4] = -m4 * zt * (e - ea) * v[3] * (v[3] + 2.0 * v[4]) * c4;
  out[5] = -m6 * u * (zf - fa) * v[6] * v[6] * c6;
  out[6] = m6 * u * (zf - fa) * v[5] * (v[5] + 2.0 * v[6]) * c6;
}

template <class Q, class Out>
void constraint(const Q& q, Out&& out) {
  const auto x = rr * cos(q[0]) - d * cos(q[0] + q[1]);
  const auto y = rr * sin(q[0]) - d * sin(q[0] + q[1]);
  const auto s45 = sin(q[3] + q[4]), c45 = cos(q[3] + q[4]);
  const auto s67 = sin(q[5] + q[6]), c67 = cos(q[5] + q[6]);
  out[0] = x - ss * sin(q[2]) - xb;
  out[1] = y + ss * cos(q[2]) - yb;
  out[2] = x - e * s45 - zt * cos(q[4]) - xa;
  out[3] = y + e * c45 - zt * sin(q[4]) - ya;
  out[4] = x - zf * c67 - u * sin(q[6]) - xa;
  out[5] = y - zf * s67 + u * cos(q[6]) - ya;
}

/// y = (q, v, w, lambda), w the accelerations.
struct FirstOrder {
  template <class Y, class Out>
  void operator()(const Y& y, Out& out) const {
    using Scalar = std::decay_t<decltype(y[0])>;
    for (int i = 0; i < 2 * angles; ++i) out[i] = y[angles + i];
    const MassEntries<Scalar> m(y);
    const auto* w = y.data() + 2 * angles;
    const auto* l = y.data() + 3 * angles;
    auto* r = out.data() + 2 * angles;
    force(y, y.data() + angles, r);
    const auto s12 = d * sin(y[0] + y[1]), c12 = d * cos(y[0] + y[1]);
    const auto s45 = e * sin(y[3] + y[4]), c45 = e * cos(y[3] + y[4]);
    const auto s67 = zf * sin(y[5] + y[6]), c67 = zf * cos(y[5] + y[6]);
    const auto x = rr * cos(y[0]) - c12, h = rr * sin(y[0]) - s12;
    const auto lx = l[0] + l[2] + l[4], ly = l[1] + l[3] + l[5];
    r[0] -= m.m11 * w[0] + m.m21 * w[1] - h * lx + x * ly;
    r[1] -= m.m21 * w[0] + m.m22 * w[1] + s12 * lx - c12 * ly;
    r[2] -= m.m33 * w[2] - ss * cos(y[2]) * l[0] - ss * sin(y[2]) * l[1];
    r[3] -= m.m44 * w[3] + m.m54 * w[4] - c45 * l[2] - s45 * l[3];
    r[4] -=
        m.m54 * w[3] + m.m55 * w[4] + (zt * sin(y[4]) - c45) * l[2] - (zt * cos(y[4]) + s45) * l[3];
    r[5] -= m.m66 * w[5] + m.m76 * w[6] + s67 * l[4] - c67 * l[5];
    r[6] -=
        m.m76 * w[5] + m.m77 * w[6] + (s67 - u * cos(y[6])) * l[4] - (c67 + u * sin(y[6])) * l[5];
    constraint(y, out.data() + 3 * angles);
  }
};

const Mechanical mechanism = {
    .coordinates = angles,
    .holonomic = loops,
    .mass = Mass([](auto q, auto out) {
      const MassEntries<std::decay_t<decltype(q[0])>> m(q);
      out(0, 0) = m.m11, out(1, 0) = m.m21, out(0, 1) = m.m21, out(1, 1) = m.m22;
      out(2, 2) = m.m33;
      out(3, 3) = m.m44, out(4, 3) = m.m54, out(3, 4) = m.m54, out(4, 4) = m.m55;
      out(5, 5) = m.m66, out(6, 5) = m.m76, out(5, 6) = m.m76, out(6, 6) = m.m77;
    }),
    .force = [](auto q, auto v, auto out) { force(q, v, out); },
    .constraint = [](auto q, auto out) { constraint(q, out); },
};

}  // namespace

TestProblem andrews(Told told) {
  TestProblem result = shipped("andrews");
  result.title = "Andrews' squeezing mechanism, index 3";
  Vector start = Vector::Zero(3 * angles + loops);
  start.head(angles) << -0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
      0.487364979543842550, -0.222668390165885885, 1.23054744454982119;
  start.segment(2 * angles, 2) << 14222.4439199541139, -10666.8329399655854;
  start.segment(3 * angles, 2) << 98.5668703962410896, -6.12268834425566266;
  Vector diagonal = Vector::Zero(start.size());
  diagonal.head(2 * angles).setOnes();
  Statement published = {.place = result.statement.place, .highest_index = 3};
  published.problem = {.form = LinearlyImplicit{.size = static_cast<int>(start.size()),
                                                .mass = Mass::diagonal(diagonal),
                                                .f = FirstOrder()},
                       .t_span = {0, 0.03},
                       .start = start};
  for (int i = 0; i < start.size(); ++i)
    published.problem.variable_index.push_back(std::min(1 + i / angles, 3));
  // The angles, as is usual for this problem: velocities are a thousand times larger.
  result.differential.resize(angles);
  for (int i = 0; i < loops; ++i) result.algebraic.push_back(3 * angles + i);
  result.first_order = published;
  result.statement = published;
  if (told == Told::as_published) return result;
  for (int i = 0; i < static_cast<int>(start.size()); ++i) {
    int& place = result.statement.place[static_cast<std::size_t>(i)];
    place = i < 2 * angles ? i : i < 3 * angles ? -1 : i - angles;
  }
  Vector own_start(2 * angles + loops);
  own_start << start.head(2 * angles), start.tail(loops);
  result.statement.problem = {.form = mechanism, .t_span = {0, 0.03}, .start = own_start};
  return result;
}

}  // namespace daedalus::reproduce
