#pragma once
// Mechanisms through singular points with a stiff motor: the torque stiffness (speed - theta') on
// the crank, whose joint is the first of the coordinates. In the one coordinate of the mechanism
//   I theta'' + I' theta'^2 / 2 = sum of forces times dq/dtheta + stiffness (speed - theta').
#include "reproduce/singular_mechanisms.h"

namespace daedalus::reproduce {

struct DrivenMechanism {
  SingularMechanism mechanism;  ///< one with natural coordinates
  double stiffness = 0;
  double speed = 8;

  Problem problem(double theta, double omega, double end) const {
    Problem p = mechanism.problem(theta, omega, end);
    Mechanical form = mechanism.form;
    form.force = [f = Vector(mechanism.forces), k = stiffness, w = speed](auto, auto q, auto v,
                                                                          auto out) {
      const auto torque = k * (w - (q[0] * v[1] - q[1] * v[0]));
      for (int i = 2; i < f.size(); ++i) out[i] = f[i];
      out[0] = f[0] - q[1] * torque;
      out[1] = f[1] + q[0] * torque;
    };
    p.form = form;
    return p;
  }

  Problem minimal(double theta, double omega, double end) const {
    Problem p = mechanism.minimal(theta, omega, end);
    const DrivenMechanism self = *this;
    const Function<1> free = std::get<LinearlyImplicit>(p.form).f;
    p.form = LinearlyImplicit{2, {}, [self, free](double t, Input y, Output out) {
                                free(t, {y}, out);
                                Vector q, first, second;
                                self.mechanism.kinematics(y[0], q, first, second);
                                double inertia = 0;
                                for (int i = 0; i < q.size(); ++i)
                                  inertia += self.mechanism.masses[i] * first[i] * first[i];
                                out[1] += self.stiffness * (self.speed - y[1]) / inertia;
                              }};
    return p;
  }
};

}  // namespace daedalus::reproduce
