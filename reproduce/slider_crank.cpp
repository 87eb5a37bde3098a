// Table 6.5 and Figures 6.1, 6.2 of [AscherLin1997]: two bars of equal length, one end fixed, the
// other sliding on the x axis, with the method for singular constraints (5.5)-(5.6). Masses,
// lengths and gravity are not printed; here m = 1, L = 1, J = 1/12, g = 9.81. So the table is not
// comparable, and the figures are held against the same motion in one coordinate,
//     (2/3 + 2 s^2) phi'' + 2 s c phi'^2 + g c = 0,   s = sin(phi), c = cos(phi), phi = phi_1.
#include <cmath>
#include <numbers>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "daedalus/regularisation.h"
#include "daedalus/solve.h"
#include "reproduce/printed_table.h"
#include "reproduce/svg_plot.h"

namespace daedalus::reproduce {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double gravity = 9.81;
constexpr double h = 1e-4;
constexpr double eps = 1e-4;

/// q = (x1, y1, phi1, x2, y2, phi2): centres and angles. The last constraint has a vanishing
/// gradient where both bars stand upright.
Problem slider_crank(double phi, double omega, double end) {
  const Mechanical form = {
      .coordinates = 6,
      .holonomic = 5,
      .mass = Mass::diagonal({1, 1, 1.0 / 12, 1, 1, 1.0 / 12}),
      .force =
          [](auto, auto, auto f) {
            f.setZero();
            f[1] = -gravity;
            f[4] = -gravity;
          },
      .constraint =
          [](auto q, auto g) {
            const auto s1 = sin(q[2]), c1 = cos(q[2]), s2 = sin(q[5]), c2 = cos(q[5]);
            g[0] = q[0] - 0.5 * c1;
            g[1] = q[1] - 0.5 * s1;
            g[2] = q[3] - 2.0 * q[0] - 0.5 * c2;
            g[3] = q[4] - 2.0 * q[1] - 0.5 * s2;
            g[4] = s1 + s2;
          },
  };
  const double s = std::sin(phi), c = std::cos(phi);
  // phi_2 = -phi_1 up to whole turns; the figure counts from the first quadrant.
  const double phi_2 = phi > pi ? 2 * pi - phi : -phi;
  return {.form = form,
          .t_span = {0, end},
          .start = {0.5 * c, 0.5 * s, phi, 1.5 * c, 0.5 * s, phi_2,  //
                    -0.5 * s * omega, 0.5 * c * omega, omega, -1.5 * s * omega, 0.5 * c * omega,
                    -omega}};
}

Solution in_one_coordinate(double phi, double omega, double end) {
  const LinearlyImplicit form = {.size = 2, .f = [](auto, auto y, auto f) {
                                   const auto s = sin(y[0]), c = cos(y[0]);
                                   f[0] = y[1];
                                   f[1] = -(2.0 * s * c * y[1] * y[1] + gravity * c) /
                                          (2.0 / 3 + 2.0 * s * s);
                                 }};
  const Problem problem = {.form = form, .t_span = {0, end}, .start = {phi, omega}};
  return solve(problem, {.rtol = 1e-11, .atol = {1e-11}});
}

Regularisation singular_settings(int iterations) {
  return {.eps = eps, .pull = Pull::levels, .carried = Carried::product, .iterations = iterations};
}

std::vector<double> mesh_to(double end) {
  return uniform_mesh({0, end}, static_cast<int>(std::lround(end / h)));
}

double position_drift(const Vector& x) {
  const Vector g = Values{x[0] - 0.5 * std::cos(x[2]), x[1] - 0.5 * std::sin(x[2]),
                          x[3] - 2 * x[0] - 0.5 * std::cos(x[5]),
                          x[4] - 2 * x[1] - 0.5 * std::sin(x[5]), std::sin(x[2]) + std::sin(x[5])};
  return g.cwiseAbs().maxCoeff();
}

double velocity_drift(const Vector& x) {
  const double s1 = std::sin(x[2]), c1 = std::cos(x[2]), s2 = std::sin(x[5]), c2 = std::cos(x[5]);
  const Vector v = x.tail(6);
  const Vector g =
      Values{v[0] + 0.5 * s1 * v[2], v[1] - 0.5 * c1 * v[2], v[3] - 2 * v[0] + 0.5 * s2 * v[5],
             v[4] - 2 * v[1] - 0.5 * c2 * v[5], c1 * v[2] + c2 * v[5]};
  return g.cwiseAbs().maxCoeff();
}

/// Horizontal acceleration of the sliding end x2 + c2/2, from v' = M^-1 f - (M^-1 G^T lambda).
double slider_acceleration(const Vector& x, const Vector& product) {
  const double s = std::sin(x[5]), c = std::cos(x[5]);
  return -product[3] + 0.5 * s * product[5] - 0.5 * c * x[11] * x[11];
}

/// The same of 2 cos(phi) in one coordinate.
double slider_acceleration_in_one(double phi, double omega) {
  const double s = std::sin(phi), c = std::cos(phi);
  const double rate = -(2 * s * c * omega * omega + gravity * c) / (2.0 / 3 + 2 * s * s);
  return -2 * (c * omega * omega + s * rate);
}

/// Largest distance of each iterate from the motion in one coordinate.
struct Distance {
  std::vector<double> angle = {};
  std::vector<double> acceleration = {};
};

struct FigureRun {
  std::vector<Curve> curves = {};
  Distance distance = {};
};

/// Runs, samples the last iterate `samples` times into the curves that `draw` fills.
FigureRun run_figure(
    double phi, double omega, double end, int iterations, int samples, std::vector<Curve> curves,
    const std::function<void(double, const Vector&, const Vector&, std::vector<Curve>&)>& draw) {
  const Solution reference = in_one_coordinate(phi, omega, end);
  FigureRun figure;
  figure.curves = std::move(curves);
  figure.distance.angle.assign(iterations, 0);
  figure.distance.acceleration.assign(iterations, 0);
  const auto every = std::lround(end / h / samples);
  long count = 0;
  // The product starts from zero and has settled after a few eps.
  const double settled = 100 * eps;
  regularise(slider_crank(phi, omega, end), singular_settings(iterations), mesh_to(end),
             [&](const RegularisedPoint& point) {
               if (count++ % every != 0) return;
               const Vector exact = reference(point.t);
               for (int s = 0; s < iterations; ++s) {
                 const Vector x = point.x.col(s), product = point.carried.col(s);
                 double& angle = figure.distance.angle[s];
                 angle = std::max(angle, std::abs(x[2] - exact[0]));
                 if (point.t < settled) continue;
                 double& acceleration = figure.distance.acceleration[s];
                 acceleration = std::max(acceleration,
                                         std::abs(slider_acceleration(x, product) -
                                                  slider_acceleration_in_one(exact[0], exact[1])));
               }
               draw(point.t, point.x.col(iterations - 1), point.carried.col(iterations - 1),
                    figure.curves);
             });
  return figure;
}

void append(Curve& curve, double x, double y) {
  curve.x.push_back(x);
  curve.y.push_back(y);
}

/// Writes the figure, or its numbers. It agrees if the last iterate, which is drawn, stays within
/// `limit` of the motion in one coordinate: less than the width of a line.
ReproduceSummary show_figure(const std::vector<Plot>& plots, const Distance& distance, double limit,
                             const ReproduceOptions& options, std::ostream& out) {
  if (!options.output_path.empty()) write_svg(options.output_path, plots);
  const ReproduceSummary summary = {.entries = 1, .agree = distance.angle.back() <= limit ? 1 : 0};
  if (options.csv) {
    out << curves_csv(plots);
    return summary;
  }
  fmt::print(
      out,
      "The curves are not printed as numbers, nor are masses, lengths and gravity (here m = 1, "
      "L = 1,\nJ = 1/12, g = 9.81). Largest distance from the same motion in one coordinate:\n"
      "\n{:<10} {:>12} {:>24}\n",
      "iteration", "angle", "slider acceleration");
  for (std::size_t s = 0; s < distance.angle.size(); ++s)
    fmt::print(out, "{:<10} {:>12.2e} {:>24.2e}\n", s + 1, distance.angle[s],
               distance.acceleration[s]);
  fmt::print(out, "\nThe last iterate, which is drawn, {} within {:g}.\n",
             summary.agree == 1 ? "stays" : "DOES NOT STAY", limit);
  return summary;
}

}  // namespace

ReproduceSummary reproduce_table_6_5(const ReproduceOptions& options, std::ostream& out) {
  RegularisedRun run;
  return compare_with_print(
      "6_5",
      [&](const PrintedEntry& entry) {
        if (run.mesh.empty())
          run = regularise(slider_crank(7 * pi / 4, 0, entry.t), singular_settings(2),
                           mesh_to(entry.t), [](const RegularisedPoint&) {});
        const Vector x = run.iterates[entry.iteration - 1].x.col(0);
        return entry.quantity == "pdrift" ? position_drift(x) : velocity_drift(x);
      },
      options, out);
}

ReproduceSummary reproduce_figure_6_1(const ReproduceOptions& options, std::ostream& out) {
  const FigureRun figure =
      run_figure(7 * pi / 4, 0, 70, 2, 1400,
                 {{.label = "theta_1 = phi_1 - 3 pi/2"},
                  {.label = "theta_2 = phi_2 - pi/2"},
                  {.label = "theta_1'"},
                  {.label = "theta_2'"}},
                 [](double t, const Vector& x, const Vector&, std::vector<Curve>& curves) {
                   append(curves[0], t, x[2] - 3 * pi / 2);
                   append(curves[1], t, x[5] - pi / 2);
                   append(curves[2], t, x[8]);
                   append(curves[3], t, x[11]);
                 });
  const auto& c = figure.curves;
  return show_figure({{.title = "Slider-crank through singularities (Ascher & Lin 1997, Fig. 6.1)",
                       .x_label = "t",
                       .y_label = "angle",
                       .curves = {c[0], c[1]},
                       .height = 320},
                      {.title = "Its angular velocities",
                       .x_label = "t",
                       .y_label = "velocity",
                       .curves = {c[2], c[3]},
                       .height = 320}},
                     figure.distance, 1e-3, options, out);
}

ReproduceSummary reproduce_figure_6_2(const ReproduceOptions& options, std::ostream& out) {
  const FigureRun figure =
      run_figure(pi / 4, 2 * std::numbers::sqrt2, 10, 3, 2000, {{.label = "third iterate"}},
                 [](double t, const Vector& x, const Vector& product, std::vector<Curve>& curves) {
                   if (t > 0) append(curves[0], t, slider_acceleration(x, product));
                 });
  return show_figure({{.title = "Acceleration of the slider end (Ascher & Lin 1997, Fig. 6.2)",
                       .x_label = "t",
                       .y_label = "horizontal acceleration",
                       .curves = figure.curves}},
                     figure.distance, 1e-2, options, out);
}

}  // namespace daedalus::reproduce
