#pragma once
// A chain of rigid links with point masses in the plane, total length and mass 1, released at rest
// 45 degrees below the horizontal. Unknowns: x and y by links, velocities likewise, link forces.
#include <cmath>

#include "daedalus/daedalus.h"

namespace daedalus::reproduce {

constexpr double chain_gravity = 9.81;

inline Problem link_chain(int links, double end) {
  Mechanical form;
  form.coordinates = 2 * links, form.holonomic = links;
  const double length = 1.0 / links, mass = 1.0 / links;
  form.mass = Mass::diagonal(Vector::Constant(2 * links, mass));
  form.force = [=](auto, const auto&, const auto&, auto f) {
    for (int i = 0; i < links; ++i) f[2 * i] = 0.0, f[2 * i + 1] = -mass * chain_gravity;
  };
  form.constraint = [=](auto, const auto& q, auto g) {
    g[0] = q[0] * q[0] + q[1] * q[1] - length * length;
    for (int i = 1; i < links; ++i) {
      const auto dx = q[2 * i] - q[2 * i - 2], dy = q[2 * i + 1] - q[2 * i - 1];
      g[i] = dx * dx + dy * dy - length * length;
    }
  };
  Problem problem;
  problem.form = form;
  Vector start = Vector::Zero(5 * links);
  for (int i = 0; i < links; ++i) {
    start[2 * i] = (i + 1) * length * std::sqrt(0.5);
    start[2 * i + 1] = -start[2 * i];
  }
  problem.start = start;
  problem.t_span = {0, end};
  return problem;
}

/// Kinetic and potential.
inline double chain_energy(int links, const Vector& y) {
  const Vector v = y.segment(2 * links, 2 * links);
  double height = 0;
  for (int i = 0; i < links; ++i) height += y[2 * i + 1];
  return (0.5 * v.squaredNorm() + chain_gravity * height) / links;
}

/// The largest relative error of the length of a link.
inline double chain_stretch(int links, const Vector& y) {
  double worst = 0, x = 0, h = 0;
  for (int i = 0; i < links; ++i) {
    worst = std::max(worst, std::abs(std::hypot(y[2 * i] - x, y[2 * i + 1] - h) * links - 1));
    x = y[2 * i], h = y[2 * i + 1];
  }
  return worst;
}

}  // namespace daedalus::reproduce
