// M u' = f(t, u) with a singular M: the one-transistor amplifier of [HairerWanner1996, VI.1] with
// the matrix as Kirchhoff's laws give it. The algebraic equations hidden in it are found.
#include <cmath>
#include <daedalus/daedalus.h>
#include <iostream>

int main() {
  const double c1 = 1e-6, c2 = 2e-6, c3 = 3e-6;
  daedalus::Matrix mass = daedalus::Matrix::Zero(5, 5);
  mass << -c1, c1, 0, 0, 0,  //
      c1, -c1, 0, 0, 0,      //
      0, 0, -c2, 0, 0,       //
      0, 0, 0, -c3, c3,      //
      0, 0, 0, c3, -c3;
  const auto currents = [](auto t, auto u, auto out) {
    const double supply = 6, r0 = 1000, r = 9000;
    const auto input = 0.4 * sin(200 * M_PI * t);
    const auto base = 1e-6 * (exp((u[1] - u[2]) / 0.026) - 1.0);
    out << (u[0] - input) / r0, u[1] * (2 / r) - supply / r + 0.01 * base, u[2] / r - base,
        (u[3] - supply) / r + 0.99 * base, u[4] / r;
  };
  const daedalus::Problem amplifier = {
      .form = daedalus::LinearlyImplicit{.size = 5, .mass = mass, .f = currents},
      .t_span = {0, 0.2},
      .start = {0, 3, 3, 6, 0},
      .variables = {"U1", "U2", "U3", "U4", "U5"},
  };
  const daedalus::Solution s = daedalus::solve(amplifier, {.rtol = 1e-8});
  const double output = s.value(-1, "U5");
  std::cout.precision(10);
  std::cout << "U5(0.2) = " << output << " after " << s.statistics.steps << " steps\n";
  return std::abs(output + 1.73505664412) < 1e-7 ? 0 : 1;
}
