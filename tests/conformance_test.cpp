// What every method of the catalogue must do, whatever its family: solve to the tolerance, on the
// mesh and between, find events, resume to the same bits, allocate nothing, refuse what is wrong.
#include <cmath>
#include <numbers>
#include <sstream>

#include "allocation_count.h"
#include "exact_problems.h"
#include "expectations.h"

namespace daedalus {

/// A method as this suite sees it.
struct Conforming {
  std::string name;
  int order;
  bool takes_index_1;
  /// y of index 2 has the order of the method, or nearly so.
  bool takes_index_2;
  /// Factors the matrix of a System, so that storage matters.
  bool factors;
  /// Stages that are iterated to the tolerance.
  bool iterates;
  bool only_motions = false;
};

void PrintTo(const Conforming& method, std::ostream* out) {
  *out << method.name;
}

namespace {

using ::testing::HasSubstr;
using testing::refusal;

std::vector<Conforming> all_methods() {
  std::vector<Conforming> list = {{"radau", 5, true, true, true, true}};
  for (const Tableau& m : runge_kutta_methods())
    list.push_back({m.name, m.order, true, is_stiffly_accurate(m) && !has_explicit_first_stage(m),
                    true, true});
  for (const Tableau& m : explicit_runge_kutta_methods())
    list.push_back({m.name, m.order, false, true, false, false});
  for (const OtherMethod& m : other_methods()) {
    const bool motions = m.form == "motions";
    // Multipliers of the example of index 2 enter nonlinearly.
    const bool index_2 = !motions && m.name != "extrapolated_midpoint";
    list.push_back(
        {m.name, m.order, !m.on_constraints, index_2, !m.on_constraints, false, motions});
  }
  return list;
}

double worst_error(const exact::Exact& e, const Solution& s, int from, int to) {
  double worst = 0;
  for (int i = 0; i < s.rows(); ++i) {
    const Vector exact = e.solution(s.t[i]);
    for (int k = from; k < to; ++k)
      worst = std::max(worst, std::abs(s.y(i)[k] - exact[k]) / (1 + std::abs(exact[k])));
  }
  return worst;
}

class EveryMethod : public ::testing::TestWithParam<Conforming> {
 protected:
  /// With an algebraic variable.
  exact::Exact constrained() const {
    if (method_.takes_index_1) return exact::index_1();
    return method_.takes_index_2 ? exact::index_2() : exact::motion();
  }
  exact::Exact oscillating() const {
    return method_.only_motions ? exact::swing() : exact::oscillator();
  }

  const Conforming& method_ = GetParam();
  /// Low orders need too many steps for tight tolerances.
  double rtol_ = method_.order == 1 ? 1e-3 : method_.order == 2 ? 1e-4 : 1e-6;
  Options options_{.method = method_.name, .rtol = rtol_};
};

TEST_P(EveryMethod, SolvesSmoothProblemsToTheTolerance) {
  for (const exact::Exact& e : {oscillating(), constrained()}) {
    const Solution s = solve(e.problem, options_);
    ASSERT_EQ(s.status, Status::success) << e.name << ": " << s.message.text();
    // Local errors add up over the interval; 50 is generous for a unit of time.
    EXPECT_LE(worst_error(e, s, 0, s.size()), 50 * rtol_) << e.name;
    EXPECT_LT(s.statistics.steps, 2000) << e.name;
  }
}

TEST_P(EveryMethod, SolvesIndexTwoWhereItDeterminesTheMultiplier) {
  if (!method_.takes_index_2) return;
  const exact::Exact e = exact::index_2();
  const Solution s = solve(e.problem, options_);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_LE(worst_error(e, s, 0, 2), 100 * rtol_);
  // Multipliers count with h in the error, so that they are less accurate.
  EXPECT_LE(worst_error(e, s, 2, 3), 300 * rtol_);
  EXPECT_LT(s.statistics.steps, 4000);
}

TEST_P(EveryMethod, TakesExactlyTheFixedStepsAskedFor) {
  for (const int count : {1, 3, 7, 10, 64}) {
    Options o = options_;
    o.fixed_step = 1.0 / count;
    const Solution s = solve(oscillating().problem, o);
    ASSERT_EQ(s.status, Status::success) << s.message.text();
    EXPECT_EQ(s.statistics.steps, count);
    EXPECT_EQ(s.statistics.rejected, 0);
    EXPECT_EQ(s.t.back(), 1.0);
  }
}

TEST_P(EveryMethod, StepwiseUseEqualsSolveBitForBit) {
  const Problem p = constrained().problem;
  const Solution all = solve(p, options_);
  Integrator run(p, options_);
  std::size_t i = 0;
  while (run.step()) {
    ASSERT_LT(i, all.steps.size());
    EXPECT_EQ(run.t(), all.steps[i].t);
    EXPECT_EQ(run.step_size(), all.steps[i].h);
    ++i;
  }
  EXPECT_EQ(i, all.steps.size());
  EXPECT_EQ(run.solution().values, all.values);
}

TEST_P(EveryMethod, ResumesToTheSameBits) {
  Problem p = constrained().problem;
  Options o = options_;
  o.points = 23;
  const Solution all = solve(p, o);
  for (const int before : {0, 1, 3}) {
    Integrator run(p, o);
    for (int i = 0; i < before; ++i) (void)run.step();
    std::stringstream file;
    run.save(file);
    Integrator resumed = Integrator::resume(p, o, file);
    while (run.step()) {
      ASSERT_TRUE(resumed.step());
      ASSERT_EQ(run.t(), resumed.t());
      for (int k = 0; k < run.y().size(); ++k) ASSERT_EQ(run.y()[k], resumed.y()[k]);
    }
    EXPECT_FALSE(resumed.step());
    EXPECT_EQ(resumed.solution().statistics.rhs, run.solution().statistics.rhs);
    const std::vector<double>& rows = resumed.solution().values;
    ASSERT_LE(rows.size(), all.values.size());
    EXPECT_TRUE(std::equal(rows.rbegin(), rows.rend(), all.values.rbegin()));
  }
}

TEST_P(EveryMethod, AllocatesNothingWhileStepping) {
  // Steps much shorter than the tolerance asks for, so that there are some.
  Options o = options_;
  o.record = false, o.max_step = 0.03;
  o.evaluation = Evaluation::interpreted;  // code of the equations would be made in one of them
  Integrator run(constrained().problem, o);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(run.step());
  const long before = allocations;
  int steps = 0;
  while (run.step()) ++steps;
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(run.solution().succeeded()) << run.solution().message.text();
  EXPECT_GE(steps, 10);
}

TEST_P(EveryMethod, RespectsFirstAndLargestStep) {
  Options o = options_;
  o.first_step = 1e-4;
  o.max_step = 0.02;
  const Solution s = solve(oscillating().problem, o);
  EXPECT_EQ(s.steps.front().h, 1e-4);
  // The last step may be stretched by 1e-4 to reach the end.
  for (const StepRecord& r : s.steps) EXPECT_LE(r.h, 0.02 * (1 + 1.1e-4));
  EXPECT_GE(s.statistics.steps, 50);
}

TEST_P(EveryMethod, CountsWhatItDoes) {
  const Solution s = solve(constrained().problem, options_);
  const Statistics& n = s.statistics;
  EXPECT_EQ(n.steps, std::int64_t(s.steps.size()));
  EXPECT_EQ(s.rows(), int(n.steps) + 1);
  EXPECT_GE(n.rhs, n.newton);
  EXPECT_GT(n.rhs, n.steps);
  EXPECT_EQ(s.t.back(), constrained().problem.t_span.end);
  for (std::size_t i = 1; i < s.steps.size(); ++i)
    EXPECT_NEAR(s.steps[i].t - s.steps[i - 1].t, s.steps[i].h, 1e-14);
}

TEST_P(EveryMethod, KeepsWhatItHasWhenTheLimitOfStepsIsReached) {
  Options o = options_;
  o.max_steps = 3, o.max_step = 0.1;
  const Solution s = solve(oscillating().problem, o);
  testing::expect_failure(s, Reason::max_steps);
  EXPECT_EQ(s.rows(), 4);
  EXPECT_NO_THROW(static_cast<void>(s(0.5 * s.t.back())));
}

TEST_P(EveryMethod, RunsBackwards) {
  exact::Exact e = constrained();
  const double end = e.problem.t_span.end;
  e.problem.t_span = {end, 0};
  e.problem.start = e.solution(end);
  const Solution s = solve(e.problem, options_);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_EQ(s.t.back(), 0.0);
  EXPECT_LE(worst_error(e, s, 0, s.size()), 50 * rtol_);
}

TEST_P(EveryMethod, GivesTheSameInEveryStorage) {
  if (!method_.factors || method_.order > 13) return;
  const Problem p = exact::chain(40, 3);
  Options o = options_;
  o.linear_algebra = LinearAlgebra::dense;
  const Solution dense = solve(p, o);
  ASSERT_TRUE(dense.succeeded()) << dense.message.text();
  for (const LinearAlgebra storage : {LinearAlgebra::banded, LinearAlgebra::sparse}) {
    o.linear_algebra = storage;
    const Solution s = solve(p, o);
    EXPECT_EQ(s.statistics.steps, dense.statistics.steps);
    // Rounding errors of another elimination order, on values below 1. An iteration may end sooner:
    // it leaves 0.03 of the tolerance 0.1 rtol^(2/3) in root mean square.
    EXPECT_LE((s.y_end() - dense.y_end()).cwiseAbs().maxCoeff(),
              method_.iterates ? 0.01 * std::pow(rtol_, 2.0 / 3) : 1e-11);
  }
}

TEST_P(EveryMethod, IsAccurateBetweenMeshPointsAndOnTheConstraint) {
  const exact::Exact e = constrained();
  const Solution s = solve(e.problem, options_);
  // The ends of some steps meet the constraint to the tolerance only.
  for (int i = 1; i < 200; ++i) {
    const double t = e.problem.t_span.end * i / 200.0;
    const Vector y = s(t);
    EXPECT_LE((y - e.solution(t)).cwiseAbs().maxCoeff(), 100 * rtol_) << t;
    // Output of stage methods is solved to the tolerance where it is refined.
    EXPECT_LE(e.violation(t, y), method_.iterates ? 100 * rtol_ : 1e-10) << t;
  }
}

TEST_P(EveryMethod, FindsEventsAndGoesOnBehindThem) {
  // Falls from height 1 with gravity 1 and comes back with the same speed: impacts at
  // sqrt 2, 3 sqrt 2, ...
  Problem ball{.form = LinearlyImplicit{.size = 2,
                                        .f =
                                            [](auto y, auto& out) {
                                              out[0] = y[1];
                                              out[1] = -1.0;
                                            }},
               .t_span = {0, 10},
               .start = {1, 0}};
  if (method_.only_motions)
    ball.form = Mechanical{.coordinates = 1, .force = [](auto, auto, auto& out) { out[0] = -1.0; }};
  Options o = options_;
  o.events.push_back({.name = "bounce",
                      .value = [](double, Input y) { return y[0]; },
                      .direction = Direction::falling,
                      .reset = [](double, Output y) { y[0] = 0, y[1] *= -1; }});
  const Solution s = solve(ball, o);
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  ASSERT_EQ(s.events.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k)
    // What one impact is off the next ones are too, and order 1 is off by h/2 in every slope.
    EXPECT_NEAR(s.events[k].t, (2.0 * double(k) + 1) * std::numbers::sqrt2,
                (method_.order == 1 ? 200 : 50) * rtol_);
}

TEST_P(EveryMethod, EndsAtATerminalEventOfAnAlgebraicVariable) {
  const exact::Exact e = constrained();
  const int z = e.algebraic_from;
  const double at = 0.3, level = e.solution(at)[z];
  Options o = options_;
  o.events.push_back(
      {.value = [level, z](double, Input y) { return y[z] - level; }, .terminal = true});
  const Solution s = solve(e.problem, o);
  ASSERT_EQ(s.status, Status::event) << s.message.text();
  EXPECT_NEAR(s.t.back(), at, 50 * rtol_);
  EXPECT_LE(worst_error(e, s, 0, s.size()), 50 * rtol_);
}

TEST_P(EveryMethod, ReportsWhereTheEquationsEnd) {
  Problem p{.form = LinearlyImplicit{.size = 1,
                                     .f =
                                         [](auto y, auto& out) {
                                           using std::sqrt;
                                           out[0] = -1.0 / sqrt(y[0]);
                                         }},
            .t_span = {0, 2},
            .start = {1}};
  if (method_.only_motions) {
    p.form = Mechanical{.coordinates = 1, .force = [](auto, auto v, auto& out) {
                          using std::sqrt;
                          out[0] = -1.0 / sqrt(v[0]);
                        }};
    p.start = {0, 1};
  }
  const Solution s = solve(p, options_);  // y = (1 - 3 t / 2)^(2/3) ends at t = 2/3
  EXPECT_EQ(s.status, Status::failed);
  EXPECT_NEAR(s.t.back(), 2.0 / 3, 0.05);
  EXPECT_FALSE(s.message.what.empty() || s.message.where.empty() || s.message.why.empty() ||
               s.message.hint.empty());
}

TEST_P(EveryMethod, RefusesBadInput) {
  const Problem p = oscillating().problem;
  Options o = options_;
  o.rtol = -1;
  EXPECT_THAT(refusal(p, o), HasSubstr("rtol"));
  o = options_, o.atol = {1, 2, 3};
  EXPECT_THAT(refusal(p, o), HasSubstr("atol"));
  Problem wrong = p;
  wrong.t_span = {1, 1};
  EXPECT_THAT(refusal(wrong, options_), HasSubstr("t_span"));
  if (!method_.takes_index_1) {
    EXPECT_THAT(refusal(exact::index_1().problem, options_), HasSubstr("use "));
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryMethod, ::testing::ValuesIn(all_methods()),
                         [](const auto& method) { return method.param.name; });

TEST(Catalogue, NamesWhatIsNearlyRight) {
  EXPECT_THAT(refusal(exact::oscillator().problem, {.method = "rodas4"}), HasSubstr("rodas_4"));
}

}  // namespace
}  // namespace daedalus
