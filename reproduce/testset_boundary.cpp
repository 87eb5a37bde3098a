// Boundary value problems by which collocation codes are compared. Times of COLDAE
// [AscherSpiteri1994] with its best number of collocation points, in units of RADAU5's time for
// Robertson's problem at six digits, were measured once on one machine.
#include <cmath>

#include "reproduce/testset.h"

namespace daedalus::reproduce {

std::vector<BoundaryTestProblem> boundary_test_problems() {
  BoundaryTestProblem bratu = {
      .name = "bratu", .title = "Bratu, lambda = 3, index 1", .differential = 2, .coldae = 0.91};
  bratu.problem.orders = {2}, bratu.problem.algebraic = 1, bratu.problem.t_span = {0, 1};
  bratu.problem.f = [](auto, auto, auto y, auto out) { out[0] = -y[0]; };
  bratu.problem.g = [](auto, auto z, auto y, auto out) { out[0] = y[0] - 3.0 * exp(z[0]); };
  bratu.problem.conditions = 2;
  bratu.problem.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[2]; };

  BoundaryTestProblem troesch = {
      .name = "troesch", .title = "Troesch, mu = 10, index 1", .differential = 2, .coldae = 9.7};
  troesch.problem.orders = {2}, troesch.problem.algebraic = 1, troesch.problem.t_span = {0, 1};
  troesch.problem.f = [](auto, auto, auto y, auto out) { out[0] = y[0]; };
  troesch.problem.g = [](auto, auto z, auto y, auto out) {
    out[0] = y[0] - 10.0 * sinh(10.0 * z[0]);
  };
  troesch.problem.conditions = 2;
  troesch.problem.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[2] - 1.0; };
  troesch.problem.guess = [](double t, Output z, Output y) { z[0] = t, z[1] = 1, y[0] = 0; };

  BoundaryTestProblem thrown = {.name = "pendulum_bvp_index2",
                                .title = "Pendulum that reaches a given place, index 2",
                                .differential = 4,
                                .coldae = 8.0};
  thrown.problem.orders = {1, 1, 1, 1}, thrown.problem.algebraic = 1;
  thrown.problem.t_span = {0, 0.5};
  thrown.problem.f = [](auto, auto z, auto y, auto out) {
    out[0] = z[2];
    out[1] = z[3];
    out[2] = -y[0] * z[0];
    out[3] = -y[0] * z[1] - 9.81;
  };
  thrown.problem.g = [](auto, auto z, auto, auto out) { out[0] = z[0] * z[2] + z[1] * z[3]; };
  thrown.problem.conditions = 3;
  thrown.problem.condition = [](auto z, auto out) {
    out[0] = z[0] - 1.0, out[1] = z[1], out[2] = z[4] - 0.2;
  };
  thrown.problem.guess = [](double t, Output z, Output y) {
    constexpr double speed = 2.74;
    z[0] = std::cos(speed * t), z[1] = -std::sin(speed * t);
    z[2] = speed * z[1], z[3] = -speed * z[0];
    y[0] = 8;
  };

  BoundaryTestProblem layer = {.name = "layer",
                               .title = "Layers at both ends, eps = 0.01, index 1",
                               .differential = 2,
                               .coldae = 4.2};
  layer.problem.orders = {2}, layer.problem.algebraic = 1, layer.problem.t_span = {0, 1};
  layer.problem.f = [](auto, auto, auto y, auto out) { out[0] = y[0] / 0.01; };
  layer.problem.g = [](auto, auto z, auto y, auto out) { out[0] = y[0] - z[0] * z[1] + z[0]; };
  layer.problem.conditions = 2;
  layer.problem.condition = [](auto z, auto out) {
    out[0] = z[0] + 1.0 / 3, out[1] = z[2] - 1.0 / 3;
  };
  layer.problem.guess = [](double t, Output z, Output y) {
    z[0] = -1.0 / 3 + 2 * t / 3, z[1] = 2.0 / 3, y[0] = 0;
  };
  return {bratu, troesch, thrown, layer};
}

}  // namespace daedalus::reproduce
