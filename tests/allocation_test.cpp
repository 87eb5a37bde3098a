// After the first step an integrator that keeps no output asks for no memory: counted by replacing
// operator new and, for KLU and Eigen, malloc (left alone under the sanitizers, which replace it).
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "allocation_count.h"
#include "daedalus/daedalus.h"
#include "exact_problems.h"
#include "reproduce/singular_mechanisms.h"

#if !defined(__SANITIZE_ADDRESS__)
// glibc's own entry points: dlsym itself allocates, so the next malloc in line is taken by name.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* p, std::size_t size);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  ++allocations;
  return __libc_realloc(p, size);
}
}
#endif

namespace daedalus {
namespace {

/// Allocations in the steps after the first `warm_up` ones.
long allocations_while_stepping(const Problem& problem, Options options, int warm_up = 1) {
  options.record = false;
  Integrator run(problem, options);
  for (int i = 0; i < warm_up; ++i) EXPECT_TRUE(run.step());
  const long before = allocations;
  int steps = 0;
  while (run.step()) ++steps;
  const long after = allocations;
  EXPECT_TRUE(run.solution().succeeded()) << run.solution().message.text();
  EXPECT_GE(steps, 5);
  return after - before;
}

/// A nonlinear dense system of any size: everything is coupled through a mean.
Problem coupled(int size) {
  return {.form = LinearlyImplicit{.size = size,
                                   .f =
                                       [size](auto t, auto y, auto& out) {
                                         using std::cos;
                                         auto mean = cos(t);
                                         for (int i = 0; i < size; ++i) mean += y[i] * y[i] / size;
                                         for (int i = 0; i < size; ++i)
                                           out[i] = mean * (1.0 + i) / size - 3.0 * y[i] * (1 + i);
                                       }},
          .t_span = {0, 5},
          .start = Values(Vector::Constant(size, 0.1))};
}

TEST(Allocation, IsSeenByTheCounter) {
  const long before = allocations;
  const std::vector<double> v(1000);
  EXPECT_GT(allocations, before) << v.size();
}

TEST(Allocation, DoesNotHappenInStepsWithDenseMatrices) {
  for (const int size : {1, 5, 27})
    for (const char* method :
         {"radau_iia_5", "radau", "gauss_4", "lobatto_iiia_4", "lobatto_iiic_4",
          "sdirk_hairer_wanner_4", "rodas_3", "rodas_5p", "bdf"})
      EXPECT_EQ(allocations_while_stepping(
                    coupled(size),
                    {.method = method, .rtol = 1e-6, .evaluation = Evaluation::interpreted}),
                0)
          << method << " " << size;
}

TEST(Allocation, HappensInOneStepOfALongRunWhenItsEquationsBecomeCode) {
  Problem problem = coupled(5);
  problem.t_span.end = 100;
  Integrator run(problem, {.method = "radau", .rtol = 1e-9, .record = false});
  EXPECT_TRUE(run.step());
  int steps = 0, allocating = 0;
  for (long before = allocations; run.step(); before = allocations)
    ++steps, allocating += allocations > before ? 1 : 0;
  EXPECT_GT(steps, 64);
  EXPECT_EQ(allocating, 1);
}

TEST(Allocation, DoesNotHappenWhenTheOrderChanges) {
  const Problem p = exact::chain(10, 20);
  Options o{.rtol = 1e-10, .evaluation = Evaluation::interpreted};
  int highest = 0;
  o.progress = [&highest](const Progress& at) {
    return highest = std::max(highest, at.order), true;
  };
  EXPECT_EQ(allocations_while_stepping(p, o), 0);
  EXPECT_GT(highest, 5) << "the test needs a run that changes its order";
}

TEST(Allocation, DoesNotHappenForAnyIndexOrFormulation) {
  for (const exact::Exact& e : exact::problems_of_every_index())
    EXPECT_EQ(
        allocations_while_stepping(
            e.problem, {.method = "radau", .rtol = 1e-11, .evaluation = Evaluation::interpreted}),
        0)
        << e.name;
  for (const Formulation f : {Formulation::stabilized_index_2, Formulation::direct,
                              Formulation::index_2, Formulation::index_1})
    EXPECT_EQ(allocations_while_stepping(exact::pendulum(3), {.formulation = f, .rtol = 1e-6}), 0)
        << name_of(f);
}

TEST(Allocation, DoesNotHappenInExplicitSteps) {
  for (const char* method : {"dop853", "dormand_prince_5", "srm"}) {
    const Options o{.method = method, .rtol = 1e-6};
    const Problem pendulum = exact::pendulum(9);
    const Problem four_bar = reproduce::four_bar().problem(0.3, 8, 5);
    // Code for whole steps is kept from the first run that was long enough for it.
    for (const Problem& problem : {pendulum, four_bar})
      for (std::int64_t steps = 0; steps < 1000;) {
        const Solution before = solve(problem, o);
        ASSERT_TRUE(before.succeeded()) << method;
        steps += before.statistics.steps;
      }
    EXPECT_EQ(allocations_while_stepping(pendulum, o), 0) << method;
    // What singular points need is made when the first one comes near.
    const int behind_first_crossing = 50;
    EXPECT_EQ(allocations_while_stepping(four_bar, o, behind_first_crossing), 0) << method;
    Problem longer = exact::index_2().problem;
    longer.t_span.end = 2;
    EXPECT_EQ(allocations_while_stepping(longer, {.method = method, .rtol = 1e-9}), 0) << method;
    EXPECT_EQ(allocations_while_stepping(coupled(5), o), 0) << method;
  }
}

TEST(Allocation, HappensInOneStepOfALongMotionWhenCodeIsMadeForAllTheOthers) {
  Integrator run(exact::pendulum(50), {.method = "dop853", .rtol = 1e-9, .record = false});
  EXPECT_TRUE(run.step());
  int steps = 0, allocating = 0;
  for (long before = allocations; run.step(); before = allocations)
    ++steps, allocating += allocations > before ? 1 : 0;
  EXPECT_GT(steps, 200);
  EXPECT_LE(allocating, 1);
}

TEST(Allocation, DoesNotHappenForLongNamesOfEquations) {
  exact::Exact e = exact::index_1();
  e.problem.equations = {"the first differential equation", "the second differential equation",
                         "an algebraic equation with a name that fits into no small buffer"};
  EXPECT_EQ(allocations_while_stepping(e.problem, {.rtol = 1e-9}), 0);
}

TEST(Allocation, DoesNotHappenWithNonholonomicConstraints) {
  // A skate on a slope: it moves only along its edge.
  const Problem skate{.form = Mechanical{.coordinates = 3,
                                         .nonholonomic = 1,
                                         .force =
                                             [](auto, auto, auto& out) {
                                               out[0] = 1.0;
                                               out[1] = 0.0;
                                               out[2] = 0.0;
                                             },
                                         .velocity_constraint =
                                             [](auto q, auto v, auto& out) {
                                               using std::cos, std::sin;
                                               out[0] = sin(q[2]) * v[0] - cos(q[2]) * v[1];
                                             }},
                      .t_span = {0, 5},
                      .start = {0, 0, 0, 0, 0, 1}};
  EXPECT_EQ(allocations_while_stepping(skate, {.rtol = 1e-6}), 0);
}

TEST(Allocation, DoesNotHappenWithBandedAndSparseMatrices) {
  for (const LinearAlgebra storage : {LinearAlgebra::banded, LinearAlgebra::sparse})
    for (const char* method : {"radau_iia_5", "sdirk_hairer_wanner_4", "rodas_4", "bdf"}) {
      const Options o{.method = method, .rtol = 1e-6, .linear_algebra = storage};
      EXPECT_EQ(allocations_while_stepping(exact::chain(60, 5), o), 0)
          << method << (storage == LinearAlgebra::banded ? " banded" : " sparse");
    }
}

TEST(Allocation, DoesNotHappenForEventsThatDoNotHappen) {
  Options o{.rtol = 1e-6};
  for (int i = 0; i < 3; ++i)
    o.events.push_back({.value = [](double, Input y) { return y[0] + 10; }});
  // Always near a dip, so that minimisation is tried too.
  o.events.push_back({.value = [](double t, Input) { return 1.01 + std::cos(40 * t); }});
  EXPECT_EQ(allocations_while_stepping(coupled(5), o), 0);
}

TEST(Allocation, DoesNotHappenForLimitsThatAreNotMet) {
  std::atomic<bool> interrupt = false;
  Options o{.rtol = 1e-6, .time_limit = 1e6};
  o.interrupt = &interrupt;
  EXPECT_EQ(allocations_while_stepping(coupled(5), o), 0);
}

TEST(Allocation, DoesNotHappenForJacobiansByDifferencesOrByTheUser) {
  Problem differences = coupled(5);
  const auto f = [](double, Input y, Output out) {
    for (int i = 0; i < 5; ++i) out[i] = std::sin(y.sum()) - (1 + i) * y[i];
  };
  differences.form = LinearlyImplicit{.size = 5, .f = f};
  EXPECT_EQ(allocations_while_stepping(differences, {.rtol = 1e-6}), 0);
  Problem supplied = differences;
  supplied.jacobian.right_hand_side = [](double, Input y, MatrixOutput df) {
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i) df(i, j) = std::cos(y.sum()) - (i == j ? 1 + i : 0);
  };
  EXPECT_EQ(allocations_while_stepping(supplied, {.rtol = 1e-6}), 0);
}

TEST(Allocation, DoesNotHappenForMassMatricesThatDependOnTheState) {
  const Problem p{.form = LinearlyImplicit{.size = 2,
                                           .mass =
                                               [](auto y, auto& out) {
                                                 out(0, 0) = 2.0 + y[0] * y[0];
                                                 out(1, 1) = 1.0;
                                                 out(0, 1) = y[1];
                                               },
                                           .f =
                                               [](auto y, auto& out) {
                                                 out[0] = -y[0] + y[1];
                                                 out[1] = -2.0 * y[1];
                                               }},
                  .t_span = {0, 5},
                  .start = {1, 1}};
  EXPECT_EQ(allocations_while_stepping(p, {.rtol = 1e-6}), 0);
}

/// Blocks that a thread keeps for its next run.
TEST(KeptMemory, IsNotSharedByRunsThatOverlapOrEndInAnotherThread) {
  const auto end_of = [](Integrator& run) {
    while (run.step()) {
    }
    return Vector(run.y());
  };
  const Problem small = coupled(3), larger = coupled(8);
  Integrator alone(small, {.rtol = 1e-6}), alone_larger(larger, {.rtol = 1e-6});
  const Vector expected = end_of(alone), expected_larger = end_of(alone_larger);
  for (int round = 0; round < 3; ++round) {
    auto first = std::make_unique<Integrator>(small, Options{.rtol = 1e-6});
    auto second = std::make_unique<Integrator>(larger, Options{.rtol = 1e-6});
    auto third = std::make_unique<Integrator>(small, Options{.rtol = 1e-6});
    for (int k = 0; k < 5; ++k) first->step(), second->step(), third->step();
    EXPECT_EQ(end_of(*first), expected);
    std::thread([&] {
      first.reset();
      Integrator elsewhere(small, {.rtol = 1e-6});
      EXPECT_EQ(end_of(elsewhere), expected);
      EXPECT_EQ(end_of(*second), expected_larger);
      second.reset();
    }).join();
    EXPECT_EQ(end_of(*third), expected);
  }
}

}  // namespace
}  // namespace daedalus
