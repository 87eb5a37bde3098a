#pragma once
// Mechanisms that pass singular points of their constraints, each with one degree of freedom and
// its motion in that coordinate, which knows of no singularity: positions q(theta) that stay smooth
// across it, and from the kinetic energy I(theta) theta'^2 / 2
//   I theta'' + I' theta'^2 / 2 = sum of forces times dq/dtheta.
#include <functional>
#include <numbers>
#include <string>

#include "daedalus/daedalus.h"

namespace daedalus::reproduce {

struct SingularMechanism {
  std::string name;
  Mechanical form;
  Values masses;  ///< of the coordinates
  Values forces;
  Function<1> positions;  ///< (theta, q)
  std::vector<double> singular_angles;

  /// q, q' and q'' with respect to theta.
  void kinematics(double theta, Vector& q, Vector& first, Vector& second) const {
    const int n = form.coordinates;
    std::vector<Dual2> out(static_cast<std::size_t>(n));
    Dual2 angle(theta);
    angle.value.d[0] = 1, angle.d[0] = Dual(1.0);
    positions(Dual2(0.0), {InputOf<Dual2>(&angle, 1)}, OutputOf<Dual2>(out.data(), n));
    q.resize(n), first.resize(n), second.resize(n);
    for (int i = 0; i < n; ++i) {
      q[i] = out[i].value.value, first[i] = out[i].d[0].value, second[i] = out[i].d[0].d[0];
    }
  }

  Problem problem(double theta, double omega, double end) const {
    Vector q, first, second;
    kinematics(theta, q, first, second);
    const int n = form.coordinates;
    Vector start(2 * n);
    start << q, omega * first;
    Problem p;
    p.form = form;
    p.t_span = {0, end};
    p.start = start;
    return p;
  }

  /// theta and theta' as an ordinary differential equation.
  Problem minimal(double theta, double omega, double end) const {
    Problem p;
    const SingularMechanism self = *this;
    p.form = LinearlyImplicit{2, {}, [self](Input y, Output out) {
                                Vector q, first, second;
                                self.kinematics(y[0], q, first, second);
                                double inertia = 0, half_rate = 0, force = 0;
                                for (int i = 0; i < q.size(); ++i) {
                                  inertia += self.masses[i] * first[i] * first[i];
                                  half_rate += self.masses[i] * first[i] * second[i];
                                  force += self.forces[i] * first[i];
                                }
                                out[0] = y[1];
                                out[1] = (force - half_rate * y[1] * y[1]) / inertia;
                              }};
    p.t_span = {0, end};
    Vector start(2);
    start << theta, omega;
    p.start = start;
    return p;
  }
};

inline Function<2> constant_force(const Values& forces) {
  const Vector f = forces;
  return [f](auto, auto, auto, auto out) {
    for (int i = 0; i < f.size(); ++i) out[i] = f[i];
  };
}

inline SingularMechanism finished(SingularMechanism mechanism) {
  mechanism.form.mass = Mass::diagonal(mechanism.masses);
  mechanism.form.force = constant_force(mechanism.forces);
  return mechanism;
}

/// Bars 1, 2, 3 on a ground of length 4 = 2 + 3 - 1: collinear at theta = pi, without symmetry.
/// Coordinates are those of the two moving joints.
inline SingularMechanism four_bar() {
  SingularMechanism m;
  m.name = "four-bar 1, 2, 3, 4";
  m.form.coordinates = 4, m.form.holonomic = 3;
  m.form.constraint = [](auto q, auto out) {
    const auto dx = q[2] - q[0], dy = q[3] - q[1], ex = q[2] - 4.0;
    out[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    out[1] = dx * dx + dy * dy - 4.0;
    out[2] = ex * ex + q[3] * q[3] - 9.0;
  };
  m.masses = Vector{{1.0, 1.0, 1.5, 1.5}};
  m.forces = Vector{{0.0, -9.81, 0.0, -1.5 * 9.81}};
  m.positions = [](auto a, auto q) {
    const auto x = cos(a[0]), y = sin(a[0]);
    // Square of the distance d from the first joint to the far pivot; 25 - d^2 = 16 cos^2(a/2).
    const auto d2 = 17.0 - 8.0 * x;
    const auto along = (d2 - 5.0) / (2.0 * d2);
    const auto across = 2.0 * sqrt(16.0 - 8.0 * x) * cos(0.5 * a[0]) / d2;
    q[0] = x, q[1] = y;
    q[2] = x + along * (4.0 - x) + across * y;
    q[3] = y - along * y + across * (4.0 - x);
  };
  m.singular_angles = {std::numbers::pi};
  return finished(m);
}

/// Crank and coupler of length 1, coordinates of the two joints, the second one on the x axis.
inline SingularMechanism slider_crank() {
  SingularMechanism m;
  m.name = "slider-crank, natural coordinates";
  m.form.coordinates = 4, m.form.holonomic = 3;
  m.form.constraint = [](auto q, auto out) {
    const auto dx = q[2] - q[0], dy = q[3] - q[1];
    out[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    out[1] = dx * dx + dy * dy - 1.0;
    out[2] = q[3] + 0.0;
  };
  m.masses = Vector{{1.0, 1.0, 2.0, 2.0}};
  m.forces = Vector{{0.0, -9.81, 0.0, -2 * 9.81}};
  m.positions = [](auto a, auto q) {
    q[0] = cos(a[0]), q[1] = sin(a[0]), q[2] = 2.0 * cos(a[0]), q[3] = 0.0 * a[0];
  };
  m.singular_angles = {std::numbers::pi / 2, 3 * std::numbers::pi / 2};
  return finished(m);
}

/// The one of [AscherLin1997, section 5]: centres and angles of two equal bars, five constraints.
inline SingularMechanism slider_crank_angles() {
  SingularMechanism m;
  m.name = "slider-crank, centres and angles";
  m.form.coordinates = 6, m.form.holonomic = 5;
  m.form.constraint = [](auto q, auto out) {
    out[0] = q[0] - 0.5 * cos(q[2]);
    out[1] = q[1] - 0.5 * sin(q[2]);
    out[2] = q[3] - 2.0 * q[0] - 0.5 * cos(q[5]);
    out[3] = q[4] - 2.0 * q[1] - 0.5 * sin(q[5]);
    out[4] = sin(q[2]) + sin(q[5]);
  };
  m.masses = Vector{{1.0, 1.0, 1.0 / 12, 1.0, 1.0, 1.0 / 12}};
  m.forces = Vector{{0.0, -9.81, 0.0, 0.0, -9.81, 0.0}};
  m.positions = [](auto a, auto q) {
    const auto c = cos(a[0]), s = sin(a[0]);
    q[0] = 0.5 * c, q[1] = 0.5 * s, q[2] = a[0] + 0.0;
    q[3] = 1.5 * c, q[4] = 0.5 * s, q[5] = -a[0];
  };
  m.singular_angles = {std::numbers::pi / 2, 3 * std::numbers::pi / 2};
  return finished(m);
}

/// Two cranks of length 1 on pivots 2 apart, joined by a bar of length 2.
inline SingularMechanism parallelogram() {
  SingularMechanism m;
  m.name = "parallelogram";
  m.form.coordinates = 4, m.form.holonomic = 3;
  m.form.constraint = [](auto q, auto out) {
    const auto dx = q[2] - q[0], dy = q[3] - q[1], ex = q[2] - 2.0;
    out[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    out[1] = dx * dx + dy * dy - 4.0;
    out[2] = ex * ex + q[3] * q[3] - 1.0;
  };
  m.masses = Vector{{1.0, 1.0, 3.0, 3.0}};
  m.forces = Vector{{0.0, -9.81, 0.0, -3 * 9.81}};
  m.positions = [](auto a, auto q) {
    q[0] = cos(a[0]), q[1] = sin(a[0]), q[2] = 2.0 + cos(a[0]), q[3] = sin(a[0]);
  };
  m.singular_angles = {0, std::numbers::pi};
  return finished(m);
}

/// Two couplers with sliders on one crank: two conditions are lost at the same time.
inline SingularMechanism double_slider_crank() {
  SingularMechanism m;
  m.name = "double slider-crank";
  m.form.coordinates = 6, m.form.holonomic = 5;
  m.form.constraint = [](auto q, auto out) {
    const auto dx = q[2] - q[0], dy = q[3] - q[1], ex = q[4] - q[0], ey = q[5] - q[1];
    out[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    out[1] = dx * dx + dy * dy - 1.0;
    out[2] = q[3] + 0.0;
    out[3] = ex * ex + ey * ey - 1.0;
    out[4] = q[5] + 0.0;
  };
  m.masses = Vector{{1.0, 1.0, 2.0, 2.0, 0.5, 0.5}};
  m.forces = Vector{{0.0, -9.81, 0.0, -2 * 9.81, 1.0, -0.5 * 9.81}};
  m.positions = [](auto a, auto q) {
    q[0] = cos(a[0]), q[1] = sin(a[0]), q[2] = 2.0 * cos(a[0]), q[3] = 0.0 * a[0];
    q[4] = 2.0 * cos(a[0]), q[5] = 0.0 * a[0];
  };
  m.singular_angles = {std::numbers::pi / 2, 3 * std::numbers::pi / 2};
  return finished(m);
}

}  // namespace daedalus::reproduce
