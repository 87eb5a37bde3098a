// A slider-crank written as a C++ function, recorded into an expression graph and solved: the
// hidden constraints of its index 3 are found from the graph, the Jacobian is symbolic and sparse.
#include <daedalus/daedalus.h>
#include <iostream>

int main() {
  using namespace daedalus;
  const Problem crank = {
      .form = Mechanical{.coordinates = 2,
                         .holonomic = 1,
                         .mass =
                             [](auto q, auto& m) {
                               m(0, 0) = 3.0, m(1, 1) = 1.0;
                               m(0, 1) = m(1, 0) = cos(q[0] - q[1]);
                             },
                         .force =
                             [](auto q, auto v, auto& f) {
                               // A stop that only pushes: select() where an `if` would branch.
                               const auto gap = q[0] - 0.2;
                               f[0] = -9.81 * cos(q[0]) - 0.1 * v[0] +
                                      select(gap < 0.0, 5000.0 * gap * gap, 0.0);
                               f[1] = -9.81 * cos(q[1]);
                             },
                         .constraint = [](auto q, auto& g) { g[0] = sin(q[0]) + 2.0 * sin(q[1]); }},
      .t_span = {0, 2},
      .start = {0.6, -std::asin(std::sin(0.6) / 2)}};
  const Solution called = solve(crank, {.rtol = 1e-8});
  const Solution graph = solve(recorded(crank), {.rtol = 1e-8});
  if (!called.succeeded() || !graph.succeeded()) {
    std::cerr << called.message.text() << graph.message.text() << '\n';
    return 1;
  }
  std::cout.precision(10);
  std::cout << "function: " << called.y_end().transpose() << "  (" << called.jacobian << ")\n";
  std::cout << "recorded: " << graph.y_end().transpose() << "  (" << graph.jacobian << ")\n";
  // Index 3 as it stands is less accurate than the stabilised formulation of the function.
  return (called.y_end() - graph.y_end()).head(4).norm() < 1e-4 ? 0 : 1;
}
