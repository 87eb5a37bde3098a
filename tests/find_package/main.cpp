// A program that knows only the installed library: vectors go into it and come out of it.
#include <cmath>
#include <cstdio>

#include "daedalus/daedalus.h"
#include "daedalus/version.h"

int main() {
  const daedalus::Problem pendulum = {
      .form = daedalus::Mechanical{
          .coordinates = 2,
          .holonomic = 1,
          .force = [](auto, auto, auto f) { f << 0, -9.81; },
          .constraint = [](auto q, auto g) { g[0] = (q.squaredNorm() - 1) / 2; }},
      .t_span = {0, 1},
      .start = {1, 0},
  };
  const daedalus::Solution solution = daedalus::solve(pendulum, {.rtol = 1e-6});
  daedalus::Vector end = solution.y_end();
  end = (2 * end - solution(1)).eval();
  std::printf("daedalus %s, length %g\n", daedalus::version().data(), end.head(2).norm());
  return solution.succeeded() && std::abs(end.head(2).norm() - 1) < 1e-10 ? 0 : 1;
}
