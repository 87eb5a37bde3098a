#include "bench/suite/profile.h"

#include <algorithm>
#include <map>

#include "bench/suite/hot_kernels.h"

namespace daedalus::bench {
namespace {

/// The calls of the steps of one order.
struct Count {
  std::int64_t factorizations = 0, solves = 0;
};

struct Told {
  Solution solution = {};
  RunToTell way = {};
  std::map<int, Count> by_order = {};
};

std::vector<double> list_of(const Input& y) {
  return {y.data(), y.data() + y.size()};
}

Told told(const Problem& problem, Options options, std::int64_t middle_step) {
  Told run;
  Statistics before;
  options.progress = [&](const Progress& now) {
    Count& calls = run.by_order[now.order];
    calls.factorizations += now.statistics->factorizations - before.factorizations;
    calls.solves += now.statistics->solves - before.solves;
    before = *now.statistics;
    return true;
  };
  Integrator steps(problem, options);
  run.way.start = list_of(steps.y());
  for (std::int64_t k = 1; steps.step(); ++k)
    if (k == middle_step)
      run.way.t = steps.t(), run.way.h = steps.step_size(), run.way.values = list_of(steps.y());
  run.solution = steps.solution();
  run.way.steps = middle_step;
  run.way.method = run.solution.method, run.way.variables = run.solution.variables;
  for (const auto& [order, calls] : run.by_order) run.way.orders.push_back(order);
  return run;
}

/// The shortest of several batches of calls, each long enough for the clock.
class HotTime {
 public:
  explicit HotTime(const Calls& kernel) : kernel_(kernel) {
    if (!kernel_) return;
    constexpr double long_enough_us = 60;
    double spent = measure();
    while (spent * calls_ < long_enough_us) calls_ *= 2, spent = measure();
    shortest_ = spent;
  }
  void once_more() {
    if (kernel_) shortest_ = std::min(shortest_, measure());
  }
  double microseconds() const { return shortest_; }

 private:
  double measure() const {
    const double begin = cpu_microseconds();
    kernel_(calls_);
    return (cpu_microseconds() - begin) / calls_;
  }

  const Calls& kernel_;
  int calls_ = 1;
  double shortest_ = 0;
};

/// The run and its kernels take turns, so that a machine whose speed changes changes it for all.
class Turns {
 public:
  Turns(const Problem& problem, const Options& options, const HotKernels& kernels)
      : problem_(problem),
        options_(options),
        f_(kernels.f),
        jacobian_(kernels.jacobian),
        projection_(kernels.projection) {
    for (const HotKernels::Matrices& m : kernels.matrices)
      factor_.emplace_back(m.factor), solve_.emplace_back(m.solve);
  }

  void run(Profile& profile) {
    constexpr double enough_us = 2e4, long_us = 1e5;
    constexpr int few = 3, most = 40;
    const double begin = cpu_microseconds();
    for (int k = 0; k < most && (k < few || cpu_microseconds() - begin < enough_us); ++k) {
      run_several(profile);
      if (profile.run_us > long_us) break;
      for (HotTime* kernel : {&f_, &jacobian_, &projection_}) kernel->once_more();
      for (HotTime& kernel : factor_) kernel.once_more();
      for (HotTime& kernel : solve_) kernel.once_more();
    }
    profile.f_us = f_.microseconds(), profile.jacobian_us = jacobian_.microseconds();
    profile.projection_us = projection_.microseconds();
  }
  double factor_us(std::size_t k) const { return factor_[k].microseconds(); }
  double solve_us(std::size_t k) const { return solve_[k].microseconds(); }

 private:
  /// The first one after the kernels finds nothing where it was. The clock takes as long as a step:
  /// the start is asked for in every other run.
  void run_several(Profile& profile) const {
    constexpr double short_us = 1e3;
    run_once(true, profile);
    for (int k = 0; k < 6 && profile.run_us < short_us; ++k) run_once(k % 2 == 1, profile);
  }
  void run_once(bool asks, Profile& profile) const {
    const double begin = cpu_microseconds();
    Integrator run(problem_, options_);
    if (asks) {
      const double start = cpu_microseconds() - begin;
      if (!(profile.start_us <= start)) profile.start_us = start;
    }
    while (run.step()) {
    }
    const double whole = cpu_microseconds() - begin;
    if (!(profile.run_us <= whole)) profile.run_us = whole;
  }

  const Problem& problem_;
  const Options& options_;
  HotTime f_, jacobian_, projection_;
  std::vector<HotTime> factor_, solve_;
};

double mean(double sum, std::int64_t count) {
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

std::optional<Profile> profile_of(const Problem& problem, const Options& options) {
  try {
    const std::int64_t steps = told(problem, options, 0).solution.statistics.steps;
    const Told run = told(problem, options, std::max<std::int64_t>(steps / 2, 1));
    if (!run.solution.succeeded() || run.way.values.empty()) return {};
    const HotKernels kernels = hot_kernels(problem, options, run.way);
    Profile profile;
    profile.unknowns = kernels.unknowns, profile.on_manifold = kernels.on_manifold;
    Turns turns(problem, options, kernels);
    turns.run(profile);
    const Statistics& n = run.solution.statistics;
    profile.functions_us = static_cast<double>(n.rhs) * profile.f_us +
                           static_cast<double>(n.jacobians) * profile.jacobian_us;
    double factors_us = 0, solves_us = 0;
    for (std::size_t k = 0; k < kernels.matrices.size(); ++k) {
      const int order = kernels.matrices[k].order;
      const Count calls = order == 0 ? Count{n.factorizations, n.solves} : run.by_order.at(order);
      factors_us += static_cast<double>(calls.factorizations) * turns.factor_us(k);
      solves_us += static_cast<double>(calls.solves) * turns.solve_us(k);
    }
    profile.factor_us = mean(factors_us, n.factorizations);
    profile.solve_us = mean(solves_us, n.solves);
    if (kernels.on_manifold) profile.projections = n.steps;
    profile.linear_us =
        factors_us + solves_us + static_cast<double>(profile.projections) * profile.projection_us;
    return profile;
  } catch (const InvalidInput&) {
    return {};  // a form that is integrated in another way
  }
}

}  // namespace daedalus::bench
