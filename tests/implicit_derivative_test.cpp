// Index 1 where derivatives enter nonlinearly, also the equations that determine algebraic
// variables: F(t, y, y') = 0 with a singular dF/dy' that depends on y'.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "daedalus/model.h"
#include "daedalus/solve.h"

namespace daedalus {
namespace {

struct Case {
  const char* name;
  const char* text;
  FullyImplicit generic, plain;
  Values start;
  Names fixed;
  Values end;  ///< at t = 1
};

template <class F>
FullyImplicit generic(int n, F f) {
  return {n, f};
}

template <class F>
FullyImplicit plain(int n, F f) {
  return {n, [f](double t, const Input& y, const Input& yp, Output r) { f(t, y, yp, r); }};
}

template <class F>
Case make_case(const char* name, const char* text, F f, Values start, Names fixed, Values end) {
  const int n = static_cast<int>(end.size());
  return {name,          text, generic(n, f), plain(n, f), std::move(start), std::move(fixed),
          std::move(end)};
}

// The ends of the first two are those of 2000 classical Runge-Kutta steps for x, with x' and y by
// Newton's iteration in every stage; the others are made from their solutions.
std::vector<Case> cases() {
  const double e = std::exp(-1.0);
  return {
      make_case("sine",
                "model a Real x(start=1,fixed=true), y(start=0); equation "
                "der(x) = -x-y; y = sin(der(x)); end a;",
                [](auto, const auto& y, const auto& yp, auto r) {
                  r[0] = yp[0] + y[0] + y[1];
                  r[1] = y[1] - sin(yp[0]);
                },
                {1, 0}, {"y1"}, {0.602436235510058, -0.298898284132174}),
      make_case("square",
                "model b Real x(start=1,fixed=true), y(start=0); equation "
                "der(x)+y*der(x)^2 = -x; y^3+y = x-0.5+sin(der(x)); end b;",
                [](auto, const auto& y, const auto& yp, auto r) {
                  r[0] = yp[0] + y[1] * yp[0] * yp[0] + y[0];
                  r[1] = y[1] * y[1] * y[1] + y[1] - y[0] + 0.5 - sin(yp[0]);
                },
                {1, 0}, {"y1"}, {0.428312247760619, -0.381950139359661}),
      // x = e^-t, y = cos t
      make_case("exponential",
                "model c Real x(start=1,fixed=true), y(start=1); equation "
                "der(x)+0.3*y*der(x)^2+x = 0.3*cos(time)*exp(-2*time); "
                "y+exp(der(x)) = cos(time)+exp(-exp(-time)); end c;",
                [](auto t, const auto& y, const auto& yp, auto r) {
                  r[0] = yp[0] + 0.3 * y[1] * yp[0] * yp[0] + y[0] - 0.3 * cos(t) * exp(-2.0 * t);
                  r[1] = y[1] + exp(yp[0]) - cos(t) - exp(-exp(-t));
                },
                {1, 1}, {"y1"}, {e, std::cos(1.0)}),
      // u = sin t, v = e^-t, y = 1/(1 + t): the derivatives of both multiplied with each other
      make_case(
          "product",
          "model d Real u(start=0,fixed=true), v(start=1,fixed=true), y(start=1); equation "
          "der(u)+0.2*der(u)*der(v) = cos(time)*(1-0.2*exp(-time)); "
          "der(v)+y^2*der(v)^3+v = -exp(-3*time)/(1+time)^2; "
          "y+0.1*y^3+der(u)*der(v)^2 = 1/(1+time)+0.1/(1+time)^3+cos(time)*exp(-2*time); end d;",
          [](auto t, const auto& y, const auto& yp, auto r) {
            const auto w = 1.0 / (1.0 + t);
            r[0] = yp[0] + 0.2 * yp[0] * yp[1] - cos(t) * (1.0 - 0.2 * exp(-t));
            r[1] = yp[1] + y[2] * y[2] * yp[1] * yp[1] * yp[1] + y[1] + exp(-3.0 * t) * w * w;
            r[2] = y[2] + 0.1 * y[2] * y[2] * y[2] + yp[0] * yp[1] * yp[1] - w - 0.1 * w * w * w -
                   cos(t) * exp(-2.0 * t);
          },
          {0, 1, 1}, {"y1", "y2"}, {std::sin(1.0), e, 0.5}),
      // x = 2 + sin t, y = e^-t, z = x': a chain of two algebraic variables, stiff in x
      make_case("root",
                "model e Real x(start=2,fixed=true), y(start=1), z(start=1); equation "
                "der(x)+50*(x-2-sin(time))+0.1*(y-exp(-time))*z = cos(time); "
                "y+y^3 = sqrt(1+der(x)^2)-sqrt(1+cos(time)^2)+exp(-time)+exp(-3*time); "
                "z+0.5*sin(z) = y*der(x)-exp(-time)*cos(time)+cos(time)+0.5*sin(cos(time)); end e;",
                [](auto t, const auto& y, const auto& yp, auto r) {
                  const auto c = cos(t), w = exp(-t);
                  r[0] = yp[0] + 50.0 * (y[0] - 2.0 - sin(t)) + 0.1 * (y[1] - w) * y[2] - c;
                  r[1] = y[1] + y[1] * y[1] * y[1] - sqrt(1.0 + yp[0] * yp[0]) + sqrt(1.0 + c * c) -
                         w - w * w * w;
                  r[2] = y[2] + 0.5 * sin(y[2]) - y[1] * yp[0] + w * c - c - 0.5 * sin(c);
                },
                {2, 1, 1}, {"y1"}, {2 + std::sin(1.0), e, std::cos(1.0)}),
  };
}

void expect_end(const Problem& problem, const Options& options, const Case& expected,
                const std::string& how) {
  const Solution solution = solve(problem, options);
  const std::string what = std::string(expected.name) + " " + how + " " + options.method +
                           " rtol = " + std::to_string(options.rtol);
  ASSERT_TRUE(solution.succeeded()) << what << ": " << solution.message.text();
  for (int k = 0; k < expected.end.size(); ++k)
    EXPECT_NEAR(solution.y_end()[k], expected.end[k], 30 * options.rtol)
        << what << ", variable " << k;
  // The reason to shorten steps is their error; that of Newton's iteration does not vanish with h.
  EXPECT_LT(solution.statistics.newton_failures, 5 + solution.statistics.steps / 5) << what;
}

TEST(ImplicitDerivative, IsFollowedWhereItDeterminesAlgebraicVariables) {
  for (const Case& each : cases())
    for (const char* method : {"auto", "radau_iia_5", "gauss_6", "lobatto_iiic_4", "bdf"})
      for (const double rtol : {1e-3, 1e-6, 1e-9}) {
        Options options;
        options.rtol = rtol, options.method = method;
        Model model = Model::from_text(each.text, "m.mo");
        expect_end(model.problem(), model.scaled(options), each, "model");
        Problem problem;
        problem.t_span = {0, 1}, problem.start = each.start, problem.fixed = each.fixed;
        problem.form = each.generic;
        expect_end(problem, options, each, "generic");
        problem.form = each.plain;
        expect_end(problem, options, each, "plain");
      }
}

TEST(ImplicitDerivative, IsFollowedWhereNoVariableIsAlgebraic) {
  // With s = y1' + y2' alone in both rows dF/dy' is singular all the same. y1 = -s, and
  // y1' = -y1 / (3/2 + exp(-y1) - 3/2 y1^2).
  const auto f = [](auto, const auto& y, const auto& yp, auto r) {
    const auto s = yp[0] + yp[1];
    r[0] = s + y[0];
    r[1] = 0.5 * y[0] - y[1] - exp(s) + 0.5 * s * s * s;
  };
  const Case expected =
      make_case("sum", "", f, {1, -std::exp(-1.0)}, {}, {0.451373304680880, -0.457047358172027});
  for (const char* method : {"auto", "radau_iia_5", "gauss_6", "lobatto_iiic_4", "bdf"})
    for (const double rtol : {1e-3, 1e-6, 1e-9}) {
      Options options;
      options.rtol = rtol, options.method = method;
      Problem problem;
      problem.t_span = {0, 1}, problem.start = expected.start;
      problem.start_derivative = {-0.5, -0.5};
      problem.form = expected.generic;
      expect_end(problem, options, expected, "generic");
      problem.form = expected.plain;
      expect_end(problem, options, expected, "plain");
    }
}

}  // namespace
}  // namespace daedalus
