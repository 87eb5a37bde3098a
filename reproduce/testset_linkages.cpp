// Mechanisms of few bodies in the coordinates of the models of the same name. Other codes are given
// y' = f with the multipliers as unknowns: constraints on positions (index 3) for RADAU5, on
// accelerations (index 1) for codes by backward differentiation, which lose their step size with
// the others.
#include <cmath>
#include <numbers>
#include <numeric>

#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

constexpr double gravity = 9.81;

enum class On { positions, accelerations };

/// `F{on}` gives the rates of q and v and the constraints.
template <class F>
Statement first_order(On on, const Problem& problem, int constraints) {
  const int n = 2 * std::get<Mechanical>(problem.form).coordinates, size = n + constraints;
  Vector start = Vector::Zero(size), diagonal = Vector::Zero(size);
  start.head(n) = problem.start.vector(), diagonal.head(n).setOnes();
  Statement result = {.start_is_guess = true};
  result.place.resize(static_cast<std::size_t>(size));
  std::iota(result.place.begin(), result.place.end(), 0);
  result.problem = {
      .form = LinearlyImplicit{.size = size, .mass = Mass::diagonal(diagonal), .f = F{on}},
      .t_span = problem.t_span,
      .start = start};
  if (on == On::accelerations) return result;
  result.highest_index = 3;
  for (int i = 0; i < size; ++i)
    result.problem.variable_index.push_back(i < n / 2 ? 1 : i < n ? 2 : 3);
  return result;
}

template <class F>
TestProblem linkage(const std::string& model, const std::string& title, const Mechanical& form,
                    Interval t_span, const Values& start) {
  TestProblem result = shipped(model);
  result.title = title;
  result.statement.problem = {.form = form, .t_span = t_span, .start = start};
  result.first_order = first_order<F>(On::positions, result.statement.problem, form.holonomic);
  result.for_bdf = first_order<F>(On::accelerations, result.statement.problem, form.holonomic);
  return result;
}

/// Of half the squared length of a rod: how far it is from what it should be, or its second
/// derivative.
template <class S>
auto rod(On on, const S& dx, const S& dy, const S& du, const S& dv, const S& ax, const S& ay,
         double length) {
  return on == On::positions ? S(0.5 * (dx * dx + dy * dy - length * length))
                             : S(dx * ax + dy * ay + du * du + dv * dv);
}

/// y = (x1, y1, x2, y2, their rates, two multipliers)
struct DoublePendulum {
  On on;
  template <class Y, class Out>
  void operator()(const Y& y, Out& out) const {
    using S = std::decay_t<decltype(y[0])>;
    for (int i = 0; i < 4; ++i) out[i] = y[4 + i];
    const S dx = y[2] - y[0], dy = y[3] - y[1];
    const S pull_x = y[9] * dx, pull_y = y[9] * dy;
    const S a1 = pull_x - y[8] * y[0], b1 = pull_y - y[8] * y[1] - gravity;
    const S a2 = -pull_x, b2 = -pull_y - gravity;
    out[4] = a1, out[5] = b1, out[6] = a2, out[7] = b2;
    out[8] = rod<S>(on, y[0], y[1], y[4], y[5], a1, b1, 1);
    out[9] = rod<S>(on, dx, dy, y[6] - y[4], y[7] - y[5], a2 - a1, b2 - b1, 1);
  }
};

constexpr double crank = 1, coupler = 3.5, rocker = 3, frame = 4;

/// y = (x1, y1, x2, y2, their rates, three multipliers)
struct FourBar {
  On on;
  template <class Y, class Out>
  void operator()(const Y& y, Out& out) const {
    using S = std::decay_t<decltype(y[0])>;
    for (int i = 0; i < 4; ++i) out[i] = y[4 + i];
    const S dx = y[2] - y[0], dy = y[3] - y[1], ex = y[2] - frame;
    const S pull_x = y[9] * dx, pull_y = y[9] * dy;
    const S a1 = pull_x - y[8] * y[0], b1 = pull_y - y[8] * y[1] - gravity;
    const S a2 = -pull_x - y[10] * ex, b2 = -pull_y - y[10] * y[3] - gravity;
    out[4] = a1, out[5] = b1, out[6] = a2, out[7] = b2;
    out[8] = rod<S>(on, y[0], y[1], y[4], y[5], a1, b1, crank);
    out[9] = rod<S>(on, dx, dy, y[6] - y[4], y[7] - y[5], a2 - a1, b2 - b1, coupler);
    out[10] = rod<S>(on, ex, y[3], y[6], y[7], a2, b2, rocker);
  }
};

/// Of centres of mass and the ends of cosines and sines, or of their second derivatives: joints of
/// crank (length 1) and frame, of rod (length 2) and crank, slider.
template <class S, class Out>
void joints(const S& x1, const S& y1, const S& cos1, const S& sin1, const S& x2, const S& y2,
            const S& cos2, const S& sin2, Out&& out) {
  out[0] = x1 - 0.5 * cos1;
  out[1] = y1 - 0.5 * sin1;
  out[2] = x2 - cos2 - x1 - 0.5 * cos1;
  out[3] = y2 - sin2 - y1 - 0.5 * sin1;
  out[4] = y2 + sin2;
}

/// Moments of inertia over masses of 1.
constexpr double crank_inertia = 1.0 / 12, rod_inertia = 4.0 / 12;

/// y = (x1, y1, phi1, x2, y2, phi2, their rates, five multipliers)
struct SliderCrank {
  On on;
  template <class Y, class Out>
  void operator()(const Y& y, Out& out) const {
    using S = std::decay_t<decltype(y[0])>;
    for (int i = 0; i < 6; ++i) out[i] = y[6 + i];
    const S c1 = cos(y[2]), s1 = sin(y[2]), c2 = cos(y[5]), s2 = sin(y[5]);
    const auto* const force = y.data() + 12;
    auto* const a = out.data() + 6;
    a[0] = force[0] - force[2];
    a[1] = force[1] - force[3] - gravity;
    a[2] = 0.5 / crank_inertia * (s1 * (force[0] + force[2]) - c1 * (force[1] + force[3]));
    a[3] = force[2];
    a[4] = force[3] + force[4] - gravity;
    a[5] = 1.0 / rod_inertia * (s2 * force[2] + c2 * (force[4] - force[3]));
    if (on == On::positions) {
      joints<S>(y[0], y[1], c1, s1, y[3], y[4], c2, s2, out.data() + 12);
    } else {
      const S square1 = y[8] * y[8], square2 = y[11] * y[11];
      joints<S>(a[0], a[1], -s1 * a[2] - c1 * square1, c1 * a[2] - s1 * square1, a[3], a[4],
                -s2 * a[5] - c2 * square2, c2 * a[5] - s2 * square2, out.data() + 12);
    }
  }
};

/// Of mass 1 each.
constexpr auto weight_of_two_points = [](auto, auto, auto out) {
  out[0] = 0.0, out[1] = -gravity;
  out[2] = 0.0, out[3] = -gravity;
};

/// Of the skate, on a slope of 30 degrees.
constexpr double turn = 2, pull = gravity / 2;

}  // namespace

TestProblem double_pendulum() {
  const Mechanical form = {.coordinates = 4,
                           .holonomic = 2,
                           .force = weight_of_two_points,
                           .constraint = [](auto q, auto out) {
                             const auto dx = q[2] - q[0], dy = q[3] - q[1];
                             out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
                             out[1] = 0.5 * (dx * dx + dy * dy - 1.0);
                           }};
  return linkage<DoublePendulum>("double_pendulum", "Double pendulum, index 3", form, {0, 3},
                                 {1, 0, 2, 0, 0, 0, 0, 0});
}

TestProblem four_bar_linkage() {
  const Mechanical form = {.coordinates = 4,
                           .holonomic = 3,
                           .force = weight_of_two_points,
                           .constraint = [](auto q, auto out) {
                             const auto dx = q[2] - q[0], dy = q[3] - q[1], ex = q[2] - frame;
                             out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - crank * crank);
                             out[1] = 0.5 * (dx * dx + dy * dy - coupler * coupler);
                             out[2] = 0.5 * (ex * ex + q[3] * q[3] - rocker * rocker);
                           }};
  // The crank stands upright and begins to turn at -8/s: the far joint lies on two circles, and
  // its velocity is across the rocker.
  const double apart = std::hypot(frame, crank);
  const double along =
      (apart * apart + coupler * coupler - rocker * rocker) / (2 * apart);  // the frame's diagonal
  const double across = std::sqrt(coupler * coupler - along * along);
  const double x = (along * frame + across * crank) / apart;
  const double y = crank + (across * frame - along * crank) / apart;
  constexpr double u = -8;
  const double rate = x * u / (x * -y + (y - crank) * (x - frame));
  return linkage<FourBar>("four_bar", "Four-bar linkage, crank and rocker, index 3", form, {0, 2},
                          {0, crank, x, y, u, 0, -y * rate, (x - frame) * rate});
}

TestProblem slider_crank_linkage() {
  const Mechanical form = {.coordinates = 6,
                           .holonomic = 5,
                           .mass = Mass::diagonal({1, 1, crank_inertia, 1, 1, rod_inertia}),
                           .force =
                               [](auto, auto, auto out) {
                                 for (int i = 0; i < 6; ++i)
                                   out[i] = i == 1 || i == 4 ? -gravity : 0.0;
                               },
                           .constraint =
                               [](auto q, auto out) {
                                 using S = std::decay_t<decltype(q[0])>;
                                 joints<S>(q[0], q[1], cos(q[2]), sin(q[2]), q[3], q[4], cos(q[5]),
                                           sin(q[5]), out);
                               }};
  const double angle1 = std::numbers::pi / 4, rate1 = 5;
  const double c1 = std::cos(angle1), s1 = std::sin(angle1);
  const double s2 = -s1 / 2, c2 = std::sqrt(1 - s2 * s2), rate2 = -c1 * rate1 / (2 * c2);
  return linkage<SliderCrank>(
      "slider_crank", "Slider and crank, three coordinates for each body, index 3", form, {0, 3},
      {c1 / 2, s1 / 2, angle1, c1 + c2, s1 + s2, std::asin(s2), -s1 / 2 * rate1, c1 / 2 * rate1,
       rate1, -s1 * rate1 - s2 * rate2, c1 * rate1 + c2 * rate2, rate2});
}

TestProblem skate() {
  TestProblem result = shipped("skate");
  result.title = "Skate on a slope, a constraint on velocities, index 2";
  result.differential = {0, 1, 2, 3, 4}, result.algebraic = {5};
  const Interval t_span = {0, 5};
  result.statement.problem = {
      .form = Mechanical{
          .coordinates = 3,
          .nonholonomic = 1,
          .force = [](auto, auto, auto out) { out[0] = pull, out[1] = 0.0, out[2] = 0.0; },
          .velocity_constraint = [](auto q, auto v,
                                    auto out) { out[0] = v[1] * cos(q[2]) - v[0] * sin(q[2]); }},
      .t_span = t_span,
      .start = {0, 0, 0, 0, 0, turn}};
  result.statement.place = {0, 1, 2, 3, 4, 6};
  Statement others = {.place = {0, 1, 2, 3, 4, 5}, .highest_index = 2};
  others.problem = {.form = LinearlyImplicit{.size = 6,
                                             .mass = Mass::diagonal({1, 1, 1, 1, 1, 0}),
                                             .f =
                                                 [](auto y, auto out) {
                                                   const auto s = sin(y[2]), c = cos(y[2]);
                                                   out[0] = y[3];
                                                   out[1] = y[4];
                                                   out[2] = turn;
                                                   out[3] = pull + y[5] * s;
                                                   out[4] = -y[5] * c;
                                                   out[5] = y[3] * s - y[4] * c;
                                                 }},
                    .t_span = t_span,
                    .start = Vector(Vector::Zero(6)),
                    .variable_index = {1, 1, 1, 1, 1, 2}};
  result.first_order = others;
  return result;
}

}  // namespace daedalus::reproduce
