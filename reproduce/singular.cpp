// Mechanisms through singular points of their constraints, by every method and formulation that
// takes them: errors against the motion in one coordinate, failures included.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "reproduce/reproduction.h"
#include "reproduce/singular_mechanisms.h"
#include "reproduce/svg_plot.h"

namespace daedalus::reproduce {
namespace {

constexpr double t_end = 10;
constexpr double tolerances[] = {1e-4, 1e-6, 1e-8};
constexpr double lost = 0.1;  // positions of size 1 that far off are on another branch

struct Way {
  const char* name;
  const char* method;
  Formulation formulation;
};

constexpr Way ways[] = {
    {"dop853, projected stages", "dop853", Formulation::automatic},
    {"dormand_prince_5, projected stages", "dormand_prince_5", Formulation::automatic},
    {"srm, multipliers by products", "srm", Formulation::automatic},
    {"radau, stages on the manifold", "radau", Formulation::manifold},
    {"radau, stabilised index 2 (GGL)", "radau", Formulation::stabilized_index_2},
    {"radau, projected", "radau", Formulation::projected},
    {"radau, Baumgarte", "radau", Formulation::baumgarte},
    {"radau, index 1", "radau", Formulation::index_1},
    {"radau, index 2", "radau", Formulation::index_2},
    {"radau, index 3", "radau", Formulation::direct},
};

struct Run {
  bool finished = false;
  double t = 0;      ///< where it ended
  double error = 0;  ///< largest of the positions on a grid
  std::int64_t steps = 0;
};

Run run(const SingularMechanism& m, const Solution& reference, double theta, double omega,
        const Way& way, double rtol) {
  Options options;
  options.method = way.method, options.formulation = way.formulation, options.rtol = rtol;
  options.points = reference.rows(), options.max_steps = 20'000, options.time_limit = 5;
  const Solution s = solve(m.problem(theta, omega, t_end), options);
  Run result{s.succeeded(), s.t.empty() ? 0 : s.t.back(), 0, s.statistics.steps};
  Vector q, first, second;
  for (int i = 0; i < s.rows() && i < reference.rows(); ++i) {
    if (s.t[i] != reference.t[i]) continue;
    m.kinematics(reference.y(i)[0], q, first, second);
    result.error = std::max(result.error, (s.y(i).head(q.size()) - q).lpNorm<Eigen::Infinity>());
  }
  return result;
}

std::string text(const Run& r, double rtol) {
  if (!r.finished) return fmt::format("stops at t = {:.2f}", r.t);
  if (!(r.error < lost)) return "wrong branch";
  return fmt::format("{:.1e} = {:.0f} rtol", r.error, r.error / rtol);
}

/// The slider-crank turning: position of the slider and its acceleration by the constraints.
void write_figure(const std::string& path) {
  const SingularMechanism m = slider_crank();
  const Solution s = solve(m.problem(0.8, 3, 4), {.method = "dop853", .rtol = 1e-8, .points = 801});
  Plot motion{"Slider-crank with equal bars through its singular points",
              "t",
              "position",
              {},
              {},
              {},
              760,
              300};
  Plot force{"", "t", "multipliers", {}, {}, {}, 760, 300};
  const char* names[] = {"crank x", "crank y", "slider x"};
  for (int k = 0; k < 3; ++k) {
    Curve curve{names[k], s.t, {}, false};
    for (int i = 0; i < s.rows(); ++i) curve.y.push_back(s.y(i)[k]);
    motion.curves.push_back(curve);
  }
  for (const Singularity& singular : s.singularities)
    motion.curves.push_back({&singular == &s.singularities[0] ? "singular" : "",
                             {singular.t, singular.t},
                             {-2, 2},
                             true});
  const char* multipliers[] = {"crank", "coupler", "slider"};
  for (int k = 0; k < 3; ++k) {
    Curve curve{multipliers[k], {}, {}, false};
    for (int i = 0; i < s.rows(); ++i) {
      const double value = s.y(i)[8 + k];
      if (!std::isfinite(value)) continue;
      curve.x.push_back(s.t[i]), curve.y.push_back(value);
    }
    force.curves.push_back(curve);
  }
  write_svg(path, {motion, force});
}

}  // namespace

ReproduceSummary reproduce_singular(const ReproduceOptions& options, std::ostream& out) {
  ReproduceSummary summary;
  const double starts[][2] = {{7 * std::numbers::pi / 4, 0},
                              {std::numbers::pi / 4, 2 * std::numbers::sqrt2}};
  if (options.csv) fmt::print(out, "mechanism,theta,omega,way,rtol,finished,t,error,steps\n");
  for (const SingularMechanism& m :
       {slider_crank_angles(), slider_crank(), four_bar(), parallelogram(), double_slider_crank()})
    for (const auto& [theta, omega] : starts) {
      const Solution reference =
          solve(m.minimal(theta, omega, t_end), {.method = "dop853", .rtol = 1e-13, .points = 201});
      if (!options.csv)
        fmt::print(out, "\n{}, theta = {:.3f}, theta' = {:.3f}, to t = {}\n{:<36}", m.name, theta,
                   omega, t_end, "");
      for (const double rtol : tolerances)
        if (!options.csv) fmt::print(out, " {:>22}", fmt::format("rtol {:.0e}", rtol));
      if (!options.csv) fmt::print(out, "\n");
      for (const Way& way : ways) {
        if (!options.csv) fmt::print(out, "  {:<34}", way.name);
        for (const double rtol : tolerances) {
          const Run r = run(m, reference, theta, omega, way, rtol);
          if (options.csv)
            fmt::print(out, "{},{:.17g},{:.17g},\"{}\",{:g},{},{:.10g},{:.3e},{}\n", m.name, theta,
                       omega, way.name, rtol, r.finished ? "yes" : "no", r.t, r.error, r.steps);
          else
            fmt::print(out, " {:>22}", text(r, rtol));
          if (&way != &ways[0]) continue;
          ++summary.entries;
          if (r.finished && r.error <= 100 * rtol) ++summary.agree;
        }
        if (!options.csv) fmt::print(out, "\n");
      }
    }
  if (!options.output_path.empty()) write_figure(options.output_path);
  return summary;
}

}  // namespace daedalus::reproduce
