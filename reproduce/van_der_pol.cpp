// Van der Pol's equation for small epsilon: the plane of Figures 1.1 and 1.2, the period of the
// limit cycle, and what the two ways to treat the algebraic variable cost.
//   y' = -z,  eps z' = y - (z^3/3 - z),  T = 3 - 2 ln 2 + 7.0143 eps^(2/3) + O(eps ln eps)
// [HairerWanner1996, VI.1; Dorodnicyn1947]
#include <array>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "daedalus/order_check.h"
#include "reproduce/orders.h"
#include "reproduce/problems.h"
#include "reproduce/reproduction.h"
#include "reproduce/svg_plot.h"

namespace daedalus::reproduce {
namespace {

const double limit_period = 3 - 2 * std::log(2.0);
/// 3 times the first zero of the Airy function.
constexpr double period_slope = 3 * 2.338107410459767;

Curve manifold() {
  Curve curve = {.label = "manifold y = z^3/3 - z", .is_dashed = true};
  for (int i = 0; i <= 400; ++i) {
    const double z = -2.6 + 5.2 * i / 400;
    curve.x.push_back(z * z * z / 3 - z);
    curve.y.push_back(z);
  }
  return curve;
}

Curve trajectory(const Problem& problem, int points) {
  const Solution solution = solve(problem, {.rtol = 1e-8, .points = points});
  Curve curve;
  for (int i = 0; i < solution.rows(); ++i) {
    curve.x.push_back(solution.y(i)[0]);
    curve.y.push_back(solution.y(i)[1]);
  }
  return curve;
}

/// Figure 1.1: solutions from the border of the plane run to the manifold and round the cycle.
Plot perturbed_figure() {
  Plot plot = {.title = "Van der Pol, eps = 0.03 (Hairer & Wanner 1996, Fig. VI.1.1)",
               .x_label = "y",
               .y_label = "z",
               .curves = {manifold()},
               .x_range = Interval{-2, 2},
               .y_range = Interval{-2.6, 2.6}};
  constexpr std::array<std::array<double, 2>, 10> starts = {{{-1.8, -2.5},
                                                             {-0.9, -2.5},
                                                             {0, -2.5},
                                                             {0.9, -2.5},
                                                             {-0.1, 0.3},
                                                             {0.1, -0.3},
                                                             {-0.9, 2.5},
                                                             {0, 2.5},
                                                             {0.9, 2.5},
                                                             {1.8, 2.5}}};
  for (const auto& start : starts) {
    Problem problem = van_der_pol_lienard(0.03).problem;
    problem.t_span = {0, 2};
    problem.start = {start[0], start[1]};
    plot.curves.push_back(trajectory(problem, 1500));
    if (plot.curves.size() == 2) plot.curves.back().label = "solutions";
  }
  return plot;
}

/// Figure 1.2: solutions on the stable parts of the manifold end where dg/dz = 0.
Plot reduced_figure() {
  Plot plot = {.title = "Reduced problem, eps = 0 (Hairer & Wanner 1996, Fig. VI.1.2)",
               .x_label = "y",
               .y_label = "z",
               .curves = {manifold()},
               .x_range = Interval{-2, 2},
               .y_range = Interval{-2.6, 2.6}};
  for (const double sign : {1.0, -1.0}) {
    // From z = 2.5 to z = 1.02, just before the singularity.
    const auto time = [](double z) { return std::log(z) - z * z / 2; };
    Problem problem = van_der_pol_reduced(time(1.02) - time(2.5)).problem;
    problem.start = {sign * (2.5 * 2.5 * 2.5 / 3 - 2.5), sign * 2.5};
    plot.curves.push_back(trajectory(problem, 300));
    if (sign > 0) plot.curves.back().label = "solutions of the reduced problem";
  }
  Curve upper_jump = {.label = "jumps for eps -> 0", .x = {-2.0 / 3, -2.0 / 3}, .y = {1, -2}};
  Curve lower_jump = {.x = {2.0 / 3, 2.0 / 3}, .y = {-1, 2}};
  plot.curves.push_back(upper_jump);
  plot.curves.push_back(lower_jump);
  return plot;
}

/// Time between the last two passages of z through zero, upwards.
double period(double epsilon) {
  Problem problem = van_der_pol_lienard(epsilon).problem;
  problem.t_span = {0, 8};
  Options options = {.rtol = 1e-9, .dense = false};
  options.events = {{.name = "z rises through zero",
                     .value = [](double, Input y) { return y[1]; },
                     .direction = Direction::rising}};
  const Solution solution = solve(problem, options);
  const std::size_t count = solution.events.size();
  if (count < 2) return std::nan("");
  return solution.events[count - 1].t - solution.events[count - 2].t;
}

void add_periods(std::ostream& out, ReproduceSummary& summary) {
  fmt::print(out, "Period of the limit cycle; T0 = 3 - 2 ln 2 = {:.9f}\n", limit_period);
  fmt::print(out, "{:>8} {:>14} {:>12} {:>20}\n", "eps", "T", "T - T0", "(T - T0) / eps^(2/3)");
  double quotient = 0;
  for (const double epsilon : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const double difference = period(epsilon) - limit_period;
    quotient = difference / std::cbrt(epsilon * epsilon);
    fmt::print(out, "{:>8.0e} {:>14.9f} {:>12.4e} {:>20.5f}\n", epsilon, difference + limit_period,
               difference, quotient);
    ++summary.entries;
    // The next term of the expansion is O(eps ln eps): 0.4 in the quotient at eps = 1e-3.
    const double next = std::cbrt(epsilon) * (1.4 - std::log(epsilon) / 3);
    if (std::abs(quotient - period_slope) < 1.2 * next) ++summary.agree;
  }
  fmt::print(out, "{:>8} {:>14.9f} {:>12} {:>20.5f}  (Dorodnicyn 1947)\n\n", "-> 0", limit_period,
             "", period_slope);
}

double reduced_error(const std::string& method, AlgebraicUpdate update, int steps) {
  const ReferenceProblem reduced = van_der_pol_reduced();
  Options options = {.method = method, .rtol = 1e-12, .atol = {1e-12}, .dense = false};
  options.fixed_step = reduced.problem.t_span.end / steps;
  options.algebraic_update = update;
  const Solution solution = solve(reduced.problem, options);
  return std::abs(solution.y_end()[1] - reduced.at_end()[1]);
}

/// Theorem 1.1: z converges with order min(p, q + 1) or less when carried along, with p when
/// recomputed from g = 0.
void add_reduced_orders(std::ostream& out, ReproduceSummary& summary) {
  fmt::print(out,
             "Reduced problem, error of z(0.5) with 10 and 20 steps, methods that are not "
             "stiffly accurate\n");
  fmt::print(out, "{:<18} {:^34} {:^34}\n", "", "z carried along", "z from 0 = g(y, z)");
  fmt::print(out, "{:<18} {:>9} {:>9} {:>6} {:>6}   {:>9} {:>9} {:>6} {:>6}\n", "method", "10",
             "20", "order", "theory", "10", "20", "order", "theory");
  for (const char* name :
       {"gauss_2", "gauss_4", "gauss_6", "radau_ia_3", "radau_ia_5", "sdirk_crouzeix_4"}) {
    const Tableau& method = find_method(name);
    fmt::print(out, "{:<18}", name);
    for (const AlgebraicUpdate update :
         {AlgebraicUpdate::embedding, AlgebraicUpdate::state_space}) {
      const double coarse = reduced_error(name, update, 10);
      const double fine = reduced_error(name, update, 20);
      const double order = std::log2(coarse / fine);
      const int theory = update == AlgebraicUpdate::state_space
                             ? method.order
                             : convergence_orders(method).index1_z.value_or(0);
      fmt::print(out, " {:>9.2e} {:>9.2e} {:>6.2f} {:>6} ", coarse, fine, order, theory);
      ++summary.entries;
      // 10 steps are few: a quarter of an order as elsewhere, twice that for Crouzeix (gamma
      // = 1.07).
      if (std::abs(order - theory) < 0.5) ++summary.agree;
    }
    fmt::print(out, "\n");
  }
  fmt::print(out, "\n");
}

double fixed_step_z(const Problem& problem, AlgebraicUpdate update) {
  Options options = {.method = "gauss_4", .rtol = 1e-12, .atol = {1e-12}, .dense = false};
  options.fixed_step = problem.t_span.end / 20;
  options.algebraic_update = update;
  return solve(problem, options).y_end()[1];
}

/// The method for eps > 0 tends to its embedding, not to the state space form.
void add_limits(std::ostream& out, ReproduceSummary& summary) {
  const Problem reduced = van_der_pol_reduced().problem;
  const double embedding = fixed_step_z(reduced, AlgebraicUpdate::embedding);
  const double state_space = fixed_step_z(reduced, AlgebraicUpdate::state_space);
  fmt::print(out, "gauss_4, 20 steps to x = 0.5: z for eps > 0 against the two ways for eps = 0\n");
  fmt::print(out, "{:>8} {:>22} {:>22}\n", "eps", "|z - z carried along|", "|z - z from g = 0|");
  double distance = 0;
  double last_epsilon = 0;
  for (const double epsilon : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
    Problem problem = van_der_pol_lienard(epsilon).problem;
    const double y = 2.0 / 3 + epsilon * (-2.0 / 3 + 10.0 * epsilon / 81);
    problem.start = {y, 2};
    const double z = fixed_step_z(problem, AlgebraicUpdate::embedding);
    distance = std::abs(z - embedding);
    last_epsilon = epsilon;
    fmt::print(out, "{:>8.0e} {:>22.3e} {:>22.3e}\n", epsilon, distance, std::abs(z - state_space));
  }
  ++summary.entries;
  if (distance < 10 * last_epsilon && std::abs(embedding - state_space) > 100 * last_epsilon) {
    ++summary.agree;
  }
}

}  // namespace

ReproduceSummary reproduce_van_der_pol(const ReproduceOptions& options, std::ostream& out) {
  ReproduceSummary summary;
  std::vector<Plot> plots;
  if (options.csv || !options.output_path.empty()) plots = {perturbed_figure(), reduced_figure()};
  if (!options.output_path.empty()) write_svg(options.output_path, plots);
  if (options.csv) {
    out << curves_csv(plots);
    return summary;
  }
  add_periods(out, summary);
  add_reduced_orders(out, summary);
  add_limits(out, summary);
  return summary;
}

}  // namespace daedalus::reproduce
