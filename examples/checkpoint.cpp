// One step at a time, saved half-way and resumed: the rest has the same bits.
#include <daedalus/daedalus.h>
#include <iostream>
#include <sstream>

int main() {
  // Van der Pol's equation in Lienard form, y' = -z, epsilon z' = y - (z^3/3 - z).
  const daedalus::Problem oscillator = {
      .form = daedalus::SingularlyPerturbed{
          .slow = 1,
          .fast = 1,
          .epsilon = 1e-5,
          .f = [](auto, auto z, auto out) { out[0] = -z[0]; },
          .g = [](auto y, auto z, auto out) { out[0] = y[0] - (z[0] * z[0] * z[0] / 3 - z[0]); }},
      .t_span = {0, 2},
      .start = {2.0 / 3, 2},
  };
  const daedalus::Options options = {.rtol = 1e-6};
  daedalus::Integrator whole(oscillator, options);
  std::stringstream file;
  for (int k = 0; k < 40; ++k) whole.step();
  whole.save(file);
  daedalus::Integrator resumed = daedalus::Integrator::resume(oscillator, options, file);
  while (whole.step()) {
  }
  while (resumed.step()) {
  }
  std::cout << "uninterrupted " << whole.y().transpose() << "\nresumed       "
            << resumed.y().transpose() << '\n';
  return whole.y() == resumed.y() ? 0 : 1;
}
