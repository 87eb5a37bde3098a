// Through a singularity: x' = f - B y, 0 = g with B = (0, x1) and x1 = 1 - 2t, so that y is
// infinite at t = 1/2 while B y and x are smooth. [AscherLin1997, Example 6.3]
#include <cmath>
#include <daedalus/daedalus.h>
#include <iostream>

int main() {
  const daedalus::HessenbergIndex2 form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto x, auto y, auto out) {
            out[0] = -x[0] + x[1] - sin(t) - 1 - 2 * t;
            out[1] = -x[0] * y[0];
          },
      .g = [](auto t, auto x, auto out) { out[0] = x[0] * (x[0] + x[1] - sin(t) - 1 + 2 * t); }};
  const daedalus::Problem problem = {.form = form, .t_span = {0, 1}, .start = {1, 0}};
  // t = 1/2 is a mesh point.
  const std::vector<double> mesh = daedalus::uniform_mesh({0, 1}, 1000);

  const auto sequential = daedalus::regularise(problem, {.eps = 0.001, .iterations = 3}, mesh);
  const auto differentiated = daedalus::regularise(problem, daedalus::baumgarte(1000), mesh);

  const auto error = [&](const daedalus::RegularisedIterate& iterate) {
    const auto x = iterate.x.rightCols(1);
    return std::max(std::abs(x(0) + 1), std::abs(x(1) - std::sin(1.0)));
  };
  for (std::size_t s = 0; s < 3; ++s)
    std::cout << "iteration " << s + 1 << ": error at t = 1 is " << error(sequential.iterates[s])
              << '\n';
  std::cout << "Baumgarte: " << differentiated.message << '\n';
  // Three powers of eps, down to the error h^2 of Heun's method.
  return error(sequential.last()) < 1e-6 && !differentiated.succeeded() ? 0 : 1;
}
