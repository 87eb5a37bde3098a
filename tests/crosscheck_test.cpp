// The same trajectory by every formulation, and two ways that differ where they should.
#include "daedalus/crosscheck.h"

#include <gmock/gmock.h>

#include "daedalus/model.h"
#include "io/embedded.h"
#include "reproduce/singular_mechanisms.h"

namespace daedalus {
namespace {

Model shipped(const char* name) {
  return Model::from_text(std::string(embedded("models/" + std::string(name) + ".mo")));
}

// Errors of positions, velocities and multipliers of different formulations add up over some
// hundred steps; multipliers follow velocities with the square of the frequency.
constexpr double some_hundred = 1000;

TEST(CrossCheck, EveryFormulationGivesTheSameTrajectoryOfModels) {
  for (const char* name : {"pendulum", "caraxis", "chain"}) {
    const Model m = shipped(name);
    const Options reference = m.scaled({.method = "dop853", .rtol = 1e-7});
    for (const Formulation formulation : {Formulation::projected, Formulation::stabilized_index_2,
                                          Formulation::baumgarte, Formulation::manifold}) {
      Options other = reference;
      other.method = "radau", other.formulation = formulation;
      const CrossCheck check = crosscheck(m.problem(), reference, other, 41);
      ASSERT_TRUE(check.both_succeeded())
          << name << ", " << name_of(formulation) << check.second.message.text();
      EXPECT_EQ(check.rows, 41);
      EXPECT_LE(check.largest(), some_hundred)
          << name << ", " << name_of(formulation) << ": " << check.differences[0].variable;
    }
  }
}

TEST(CrossCheck, EveryFormulationGivesTheSameTrajectoryOfMechanisms) {
  // Up to the first singular point, which some formulations do not pass.
  for (const reproduce::SingularMechanism& m :
       {reproduce::four_bar(), reproduce::slider_crank(), reproduce::slider_crank_angles(),
        reproduce::parallelogram(), reproduce::double_slider_crank()}) {
    const Problem problem = m.problem(0.3, 2, 0.2);
    const Options reference{.method = "dop853", .rtol = 1e-8};
    for (const Formulation formulation :
         {Formulation::stabilized_index_2, Formulation::projected, Formulation::index_1,
          Formulation::index_2, Formulation::direct, Formulation::baumgarte,
          Formulation::manifold}) {
      const Options other{.method = "radau", .formulation = formulation, .rtol = 1e-8};
      const CrossCheck check = crosscheck(problem, reference, other, 11);
      ASSERT_TRUE(check.both_succeeded()) << m.name << ", " << name_of(formulation);
      EXPECT_LE(check.largest(), some_hundred)
          << m.name << ", " << name_of(formulation) << ": " << check.differences[0].variable;
    }
  }
}

TEST(CrossCheck, TellsWhatDiffersMost) {
  const Model m = shipped("pendulum");
  const Options coarse = m.scaled({.method = "dop853", .rtol = 1e-9});
  Options wrong = coarse;
  wrong.method = "radau", wrong.rtol = 1e-3, wrong.atol = {1e-3};
  const CrossCheck check = crosscheck(m.problem(), coarse, wrong);
  ASSERT_TRUE(check.both_succeeded());
  EXPECT_GT(check.largest(), 1e3);
  EXPECT_TRUE(
      std::is_sorted(check.differences.rbegin(), check.differences.rend(),
                     [](const auto& a, const auto& b) { return a.tolerances < b.tolerances; }));
  EXPECT_EQ(check.differences.size(), static_cast<std::size_t>(check.first.size()));
}

TEST(CrossCheck, FindsAnotherWay) {
  const auto other = [](const char* method, const char* formulation) {
    Solution s;
    s.method = method, s.formulation = formulation;
    const Options o = another_way({}, s);
    return o.method + ", " + name_of(o.formulation);
  };
  EXPECT_EQ(other("dop853", "projected"), "radau, automatic");
  EXPECT_EQ(other("radau", "projected"), "radau, stabilized_index_2");
  EXPECT_EQ(other("radau", "stabilized_index_2"), "radau, projected");
  EXPECT_EQ(other("radau", "direct"), "bdf, automatic");
  EXPECT_EQ(other("bdf", "direct"), "radau, automatic");
}

}  // namespace
}  // namespace daedalus
