// The pendulum of the README: a point mass on a rod, in Cartesian coordinates, index 3 as written.
#include <daedalus/daedalus.h>
#include <iostream>

int main() {
  const daedalus::Problem pendulum = {
      .form = daedalus::Mechanical{
          .coordinates = 2,
          .holonomic = 1,
          .force = [](auto, auto, auto f) { f << 0, -9.81; },
          .constraint = [](auto q, auto g) { g[0] = (q.squaredNorm() - 1) / 2; }},
      .t_span = {0, 10},
      .start = {1, 0},
  };
  const daedalus::Solution s = daedalus::solve(pendulum, {.rtol = 1e-8});
  if (!s.succeeded()) {
    std::cerr << s.message.text() << '\n';
    return 1;
  }
  std::cout.precision(10);
  std::cout << "t = 10:  " << s.y_end().transpose() << '\n';
  std::cout << "t = 3.7: " << s(3.7).transpose() << '\n';
  std::cout << s.statistics.steps << " steps; largest violation of the rod's length "
            << s.constraint_residual[0].maximum << '\n';
  // On the rod at any time: dense output satisfies the constraint.
  return std::abs(s(3.7).head(2).norm() - 1) < 1e-8 ? 0 : 1;
}
