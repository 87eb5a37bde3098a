// Where mesh points are put.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bvp/mesh.h"
#include "reproduce/testset.h"

namespace daedalus::bvp {
namespace {

/// Of need = 1 / (1.01 - t), which a mesh of 12 elements sees at its nodes only.
Monitor pole(const std::vector<double>& mesh) {
  Monitor monitor;
  for (const double t : mesh) monitor.need.push_back(1 / (1.01 - t));
  monitor.elements = std::log(1.01 / 0.01);
  return monitor;
}

TEST(Meshes, HaveElementsOfEqualNeed) {
  std::vector<double> mesh = equal_mesh(12, {0, 1}, {});
  // From 12 elements of which the last holds half of all that is needed.
  for (int round = 0; round < 2; ++round) mesh = spread(pole(mesh), mesh, 12, {});
  ASSERT_EQ(mesh.size(), 13u);
  // The rule for regions that need little takes effect on the left: there elements are shorter.
  const double equal = std::log(1.01 / 0.01) / 12;
  for (std::size_t i = 4; i < mesh.size(); ++i)
    EXPECT_NEAR(std::log((1.01 - mesh[i - 1]) / (1.01 - mesh[i])), equal, 0.1 * equal) << i;
}

TEST(Meshes, AreFoundForSteepLayersAtOnce) {
  for (const auto& test : reproduce::boundary_test_problems()) {
    const BoundarySolution s = solve_boundary(test.problem, {.tolerance = 1e-6});
    ASSERT_TRUE(s.succeeded()) << test.name;
    // Guess, better distribution, halved mesh, and one of them again.
    EXPECT_LE(s.statistics.meshes, 4) << test.name;
  }
}

TEST(Meshes, KeepFixedPoints) {
  const std::vector<double> mesh = spread(pole({0, 0.5, 1}), {0, 0.5, 1}, 9, {0.3, 0.97});
  EXPECT_EQ(std::count(mesh.begin(), mesh.end(), 0.3), 1);
  EXPECT_EQ(std::count(mesh.begin(), mesh.end(), 0.97), 1);
  EXPECT_TRUE(std::is_sorted(mesh.begin(), mesh.end()));
}

}  // namespace
}  // namespace daedalus::bvp
