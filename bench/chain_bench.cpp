// A chain of n links by explicit steps on its constraints: how the time per step grows with n, and
// what becomes of energy and lengths in 10^5 steps.
#include <cmath>
#include <cstdio>
#include <ctime>

#include "linear/sum_kernels.h"
#include "method/explicit.h"
#include "reproduce/link_chain.h"

namespace {

using namespace daedalus;
using namespace daedalus::reproduce;

struct Work {
  double per_step = 0;
  long long steps = 0;
};

double cpu_seconds() {
  return double(std::clock()) / CLOCKS_PER_SEC;
}

/// The least of several runs, without the analysis before the first step.
Work measured(int links) {
  Work best{1e300, 0};
  for (int repeat = 0; repeat < 5; ++repeat) {
    Integrator run(link_chain(links, 0.2), {.method = "dop853", .rtol = 1e-6, .record = false});
    const double before = cpu_seconds();
    long long steps = 0;
    while (run.step()) ++steps;
    best = {std::min(best.per_step, (cpu_seconds() - before) / double(steps)), steps};
  }
  return best;
}

/// Of the sums over stages in a step: what storage of second order (Nystroem's, accelerations
/// alone) would have half the memory for.
double sums_per_step(int links) {
  const ExplicitTable& method = dop853;
  const int n = 4 * links, repeats = 1 + 4'000'000 / n;
  const auto sum = sum_kernels(best_instruction_set()).sum;
  std::vector<double> slopes(static_cast<std::size_t>(n * method.stages), 1e-3);
  std::vector<double> from(static_cast<std::size_t>(n), 1.0), to = from;
  const auto add_up = [&](const auto& weights, int count) {
    double weight[max_stages];
    const double* term[max_stages];
    int terms = 0;
    for (int j = 0; j < count; ++j)
      if (weights[j] != 0) weight[terms] = weights[j], term[terms++] = slopes.data() + j * n;
    sum(n, terms, weight, term, from.data(), to.data());
  };
  const double before = cpu_seconds();
  for (int k = 0; k < repeats; ++k) {
    for (int i = 1; i < method.stages; ++i) add_up(method.a[i], i);
    for (const auto& weights : {method.b, method.e[0], method.e[1]}) add_up(weights, method.stages);
  }
  return (cpu_seconds() - before) / repeats;
}

void growth() {
  std::printf(
      "links   steps   microseconds per step   sums over stages   exponent since the last line\n");
  double last = 0;
  for (const int links : {10, 32, 100, 316, 1000}) {
    const Work work = measured(links);
    std::printf("%5d %7lld %12.1f %20.1f %%", links, work.steps, 1e6 * work.per_step,
                100 * sums_per_step(links) / work.per_step);
    if (last > 0) std::printf(" %20.2f", std::log10(work.per_step / last) / 0.5);
    std::printf("\n");
    last = work.per_step;
  }
  const double first = measured(10).per_step, middle = measured(100).per_step,
               largest = measured(1000).per_step;
  std::printf("fitted exponent, 10 to 1000 links: %.2f; 100 to 1000: %.2f\n",
              std::log10(largest / first) / 2, std::log10(largest / middle));
}

void drift() {
  std::printf(
      "\n10^5 steps of 10 links, rtol 1e-8\n         t   energy drift   relative error of "
      "lengths\n");
  constexpr int links = 10;
  Integrator run(link_chain(links, 1e9), {.method = "dop853", .rtol = 1e-8, .record = false});
  const double energy = chain_energy(links, Vector(run.y()));
  for (int step = 1; step <= 100000 && run.step(); ++step)
    if (step % 20000 == 0) {
      const Vector y = run.y();
      std::printf("%10.2f %14.2e %20.2e\n", run.t(), chain_energy(links, y) - energy,
                  chain_stretch(links, y));
    }
}

}  // namespace

int main() {
  growth();
  drift();
}
