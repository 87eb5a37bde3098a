// Systems of index 2 whose structure says 1: what shows when they begin, which method takes them,
// and that a resumed run remembers it.
#include <cmath>
#include <gmock/gmock.h>
#include <sstream>

#include <fmt/format.h>

#include "daedalus/model.h"

namespace daedalus {
namespace {

using testing::HasSubstr;

/// Row g - x f says x = 2 + sin(t), which determines y = cos(t) by x' and z by f; its factors are
/// no numbers. Beside it heat in the plane, M x M.
Model cancels_beside_heat(int m) {
  return Model::from_text(fmt::format(R"(
model M
  parameter Integer M = {};
  Real x(start = 2), y(start = 1), z(start = -0.5);
  Real u[M, M](start = {{{{1 for i in 1:M}} for j in 1:M}});
initial equation
  for j in 2:M - 1 loop
    for i in 2:M - 1 loop
      u[j, i] = 1;
    end for;
  end for;
equation
  der(x) = y;
  y + x*z = 0;
  x*y + x^2*z + x - 2 - sin(time) = 0;
  for j in 2:M - 1 loop
    for i in 2:M - 1 loop
      der(u[j, i]) = u[j, i + 1] + u[j, i - 1] + u[j + 1, i] + u[j - 1, i] - 4*u[j, i];
    end for;
  end for;
  for i in 1:M loop
    u[1, i] = 0;
    u[M, i] = 0;
  end for;
  for j in 2:M - 1 loop
    u[j, 1] = 0;
    u[j, M] = 0;
  end for;
  annotation(experiment(StartTime = 0, StopTime = 0.5));
end M;)",
                                      m));
}

TEST(HiddenIndex, MakesRadauOfWhatWasChosenForIndex1) {
  const Model model = cancels_beside_heat(32);
  for (const double rtol : {1e-6, 1e-2}) {  // alone the field would get rodas_5p and bdf
    const Solution s = solve(model.problem(), {.rtol = rtol});
    ASSERT_TRUE(s.succeeded()) << rtol << ": " << s.message.text();
    EXPECT_EQ(s.method, "radau") << rtol;
    EXPECT_THAT(s.choice, HasSubstr("radau: the index is higher")) << rtol;
    for (const double t : {0.123, 0.5}) {
      const Vector at = s(t);
      EXPECT_NEAR(at[0], 2 + std::sin(t), 10 * rtol) << rtol;
      EXPECT_NEAR(at[1], std::cos(t), 100 * rtol) << rtol;
      EXPECT_NEAR(at[2], -std::cos(t) / (2 + std::sin(t)), 100 * rtol) << rtol;
    }
  }
}

TEST(HiddenIndex, IsRememberedByCheckpoints) {
  for (const char* method : {"auto", "radau", "bdf"})
    for (const int m : {9, 32}) {
      const Problem problem = cancels_beside_heat(m).problem();
      const Options options{.method = method, .rtol = 1e-5, .points = 21};
      Integrator whole(problem, options);
      for (int k = 0; k < 3; ++k) ASSERT_TRUE(whole.step()) << method << " " << m;
      std::stringstream checkpoint;
      whole.save(checkpoint);
      Integrator rest = Integrator::resume(problem, options, checkpoint);
      while (whole.step()) {
        ASSERT_TRUE(rest.step()) << method << " " << m;
        ASSERT_EQ(rest.t(), whole.t()) << method << " " << m;
        ASSERT_EQ(Vector(rest.y()), Vector(whole.y())) << method << " " << m;
      }
      EXPECT_EQ(rest.solution().method, whole.solution().method);
      EXPECT_EQ(rest.solution().choice, whole.solution().choice);
      EXPECT_EQ(rest.solution().y_end(), whole.solution().y_end());
    }
}

}  // namespace
}  // namespace daedalus
