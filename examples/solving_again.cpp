// One problem solved many times: how fast must a pendulum be pushed from below to pass over the
// top? Bisection takes some forty runs, and only the first has to find out what the equations are.
#include <chrono>
#include <cmath>
#include <daedalus/daedalus.h>
#include <iostream>

int main() {
  using namespace daedalus;
  const double gravity = 9.81, length = 0.5;
  Problem pendulum = {
      .form = Mechanical{
          .coordinates = 2,
          .holonomic = 1,
          .force = [=](auto, auto, auto f) { f << 0.0, -gravity; },
          .constraint = [=](auto q, auto g) { g[0] = (q.squaredNorm() - length * length) / 2; }},
      .t_span = {0, 20}};
  const Event turn{.name = "turns back",
                   .value = [](double, Input y) { return y[0] * y[3] - y[1] * y[2]; },
                   .terminal = true};
  const auto passes = [&](double speed) {
    pendulum.start = {0, -length, speed, 0};
    return solve(pendulum, {.rtol = 1e-9, .events = {turn}}).status == Status::success;
  };
  double slow = 0, fast = 10;
  std::chrono::duration<double, std::micro> first{}, last{};
  for (int k = 0; k < 40; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    const double speed = (slow + fast) / 2;
    (passes(speed) ? fast : slow) = speed;
    last = std::chrono::steady_clock::now() - begin;
    if (k == 0) first = last;
  }
  const double exact = 2 * std::sqrt(gravity * length);  // all of it becomes height
  std::cout << "speed " << fast << ", by energy " << exact << "\nfirst run " << first.count()
            << " us, last " << last.count() << " us\n";
  return std::abs(fast - exact) < 1e-5 * exact ? 0 : 1;
}
