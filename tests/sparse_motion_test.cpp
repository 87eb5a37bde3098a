// Motions of many bodies: sparse matrices give what dense ones give, at a cost that grows with the
// number of bodies.
#include "formulation/sparse_motion.h"

#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "formulation/constrained_motion.h"
#include "linear/gram_factors.h"
#include "reproduce/link_chain.h"
#include "reproduce/singular_mechanisms.h"

namespace daedalus {
namespace {

using reproduce::link_chain;

TEST(GramFactors, SolveLikeDenseOnes) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const int rows : {1, 5, 40}) {
    const int columns = 2 * rows + 3;
    std::vector<int> start = {0}, column;
    std::vector<double> values;
    Matrix a = Matrix::Zero(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < 4; ++k) {
        const int j = (7 * i + 5 * k * k) % columns;
        if (a(i, j) != 0) continue;
        a(i, j) = number(generator) + 2;
        column.push_back(j), values.push_back(a(i, j));
      }
      start.push_back(static_cast<int>(column.size()));
    }
    const Matrix s = a * a.transpose();
    if (s.fullPivLu().rank() < rows) continue;
    GramFactors factors(columns, start, column);
    ASSERT_TRUE(factors.factor(values.data()));
    Vector c = Vector::LinSpaced(rows, -1, 2), x = c;
    factors.solve(x.data());
    EXPECT_LE((s * x - c).norm(), 1e-11 * s.norm() * x.norm());
  }
}

TEST(GramFactors, OfAChainHaveNoFill) {
  std::vector<int> start = {0}, column;
  constexpr int links = 500;
  for (int i = 0; i < links; ++i) {
    for (int k = i == 0 ? 2 : 0; k < 4; ++k) column.push_back(2 * (i - 1) + k);
    start.push_back(static_cast<int>(column.size()));
  }
  EXPECT_EQ(GramFactors(2 * links, start, column).fill(), links - 1);
}

TEST(MassBlocks, FactorBodyByBody) {
  // Two bodies of two coordinates, interleaved, and one point.
  MassBlocks mass(5, {{0, 0}, {2, 2}, {0, 2}, {2, 0}, {1, 1}, {3, 3}, {1, 3}, {3, 1}, {4, 4}});
  EXPECT_EQ(mass.largest(), 2);
  const double values[] = {4, 5, 1, 1, 2, 3, -1, -1, 9};
  ASSERT_TRUE(mass.factor(values));
  Matrix m = Matrix::Zero(5, 5);
  m(0, 0) = 4, m(2, 2) = 5, m(0, 2) = m(2, 0) = 1, m(1, 1) = 2, m(3, 3) = 3;
  m(1, 3) = m(3, 1) = -1, m(4, 4) = 9;
  Vector x = Vector::LinSpaced(5, 1, 3), solved = x;
  mass.to_scaled_force(solved.data());
  mass.from_scaled_motion(solved.data());
  EXPECT_LE((m * solved - x).norm(), 1e-14);
  EXPECT_NEAR(mass.size_of(x.data()), std::sqrt(x.dot(m * x)), 1e-14);
}

std::unique_ptr<ProjectedField> field_of(const Problem& problem) {
  return make_projected_field(problem, nullptr, Solves::by_factors);
}

/// As code, and by factors where the coordinates are too many for that.
class SparseChain : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Links, SparseChain, ::testing::Values(24, 140));

TEST_P(SparseChain, HasTheSlopesOfTheDenseOne) {
  const int links = GetParam(), size = 4 * links;
  const Problem problem = link_chain(links, 1);
  const auto sparse = field_of(problem);
  ASSERT_TRUE(sparse->is_sparse());
  ConstrainedMotion dense(motion_of(std::get<Mechanical>(problem.form), false), Solves::by_factors);
  Vector x = Vector(problem.start).head(size), one(size), other(size), lambda(links), mu(links);
  for (int i = 0; i < size; ++i) x[i] += 0.2 / links * std::sin(3.0 * i);
  sparse->begin(0, x.data()), dense.begin(0, x.data());
  const Vector tolerance = Vector::Constant(size, 1.0);
  ASSERT_TRUE(sparse->project_end(0, x.data(), tolerance.data()));
  // Velocities are a hundredth of the positions whose rounding they see.
  EXPECT_LE(dense.distance(0, x.data()), 1e-13);
  ASSERT_TRUE(sparse->slope(0, x.data(), one.data()));
  ASSERT_TRUE(dense.slope(0, x.data(), other.data()));
  EXPECT_LE((one - other).norm(), 1e-11 * other.norm());
  sparse->multipliers(lambda.data()), dense.multipliers(mu.data());
  EXPECT_LE((lambda - mu).norm(), 1e-11 * mu.norm());
}

TEST(SparseMotion, IsTakenForModelsAsWell) {
  const Problem problem = link_chain(24, 0.5);
  const Options options = {.method = "dop853", .rtol = 1e-9};
  const Solution own = solve(problem, options), text = solve(recorded(problem), options);
  ASSERT_TRUE(own.succeeded() && text.succeeded());
  EXPECT_TRUE(field_of(recorded(problem))->is_sparse());
  EXPECT_LE((own.y_end() - text.y_end()).head(96).lpNorm<Eigen::Infinity>(), 1e-8);
}

TEST(SparseMotion, TellsTheMultipliersOfTheUser) {
  // The constraint of the model is four times that of its forces.
  const int links = 24;
  Problem problem = recorded(link_chain(links, 0.1)), scaled = link_chain(links, 0.1);
  auto& form = std::get<Mechanical>(scaled.form);
  const auto g = form.constraint;
  form.constraint = [g, links](auto t, const auto& q, auto out) {
    g(t, {q}, out);
    for (int i = 0; i < links; ++i) out[i] = 4.0 * out[i];
  };
  const Options options = {.method = "dop853", .rtol = 1e-9};
  const Vector one = solve(problem, options).y_end(), other = solve(scaled, options).y_end();
  EXPECT_LE((one.tail(links) - 4 * other.tail(links)).norm(), 1e-6 * one.tail(links).norm());
}

/// What its functions hold may change between runs of the same problem.
struct Held {
  double gravity = 1, length = 1;
};

Problem changing_chain(std::shared_ptr<const Held> held) {
  constexpr int links = 30;
  Problem problem = link_chain(links, 0.3);
  Mechanical& form = std::get<Mechanical>(problem.form);
  form.force = [held](auto, const auto&, const auto&, auto f) {
    for (int i = 0; i < links; ++i) f[2 * i] = 0.0, f[2 * i + 1] = -held->gravity / links;
  };
  form.constraint = [held](auto, const auto& q, auto g) {
    const double length = held->length / links;
    for (int i = 0; i < links; ++i) {
      auto dx = q[2 * i], dy = q[2 * i + 1];
      if (i > 0) dx -= q[2 * i - 2], dy -= q[2 * i - 1];
      g[i] = dx * dx + dy * dy - length * length;
    }
  };
  return problem;
}

TEST(SparseMotion, SolvedAgainSeesWhatFunctionsHold) {
  const Options options = {.method = "dop853", .rtol = 1e-7};
  const auto held = std::make_shared<Held>();
  const Problem problem = changing_chain(held);
  ASSERT_TRUE(field_of(problem)->is_sparse());
  for (const Held now : {Held{9.81, 1}, Held{1.62, 1}, Held{1.62, 1.01}, Held{9.81, 1}}) {
    *held = now;
    const Solution again = solve(problem, options);
    const Solution first = solve(changing_chain(std::make_shared<Held>(now)), options);
    ASSERT_TRUE(again.succeeded()) << again.message.text();
    EXPECT_EQ(again.y_end(), first.y_end()) << now.gravity << ' ' << now.length;
  }
}

TEST(SparseMotion, KeepsEnergyAndLengths) {
  constexpr int links = 40;
  const Problem problem = link_chain(links, 1);
  const Solution s = solve(problem, {.method = "dop853", .rtol = 1e-10});
  ASSERT_TRUE(s.succeeded());
  EXPECT_NEAR(reproduce::chain_energy(links, s.y_end()),
              reproduce::chain_energy(links, problem.start), 1e-9);
  EXPECT_LE(reproduce::chain_stretch(links, s.y_end()), 1e-13);
}

/// Copies of a mechanism beside each other.
Problem side_by_side(const reproduce::SingularMechanism& m, int copies, double end) {
  const Mechanical one = m.form;
  const int n = one.coordinates, k = one.holonomic;
  Mechanical all;
  all.coordinates = copies * n, all.holonomic = copies * k;
  Vector masses(copies * n), start(2 * copies * n);
  for (int c = 0; c < copies; ++c) {
    masses.segment(c * n, n) = Vector(m.masses);
    const Vector own = m.problem(0.4, 8, end).start;
    start.segment(c * n, n) = own.head(n);
    start.segment((copies + c) * n, n) = own.segment(n, n);
  }
  all.mass = Mass::diagonal(masses);
  all.force = [one, copies, n](auto t, const auto& q, const auto& v, auto f) {
    for (int c = 0; c < copies; ++c) {
      using S = std::decay_t<decltype(f[0])>;
      one.force(S(t), {InputOf<S>(q.data() + c * n, n), InputOf<S>(v.data() + c * n, n)},
                OutputOf<S>(f.data() + c * n, n));
    }
  };
  all.constraint = [one, copies, n, k](auto t, const auto& q, auto g) {
    for (int c = 0; c < copies; ++c) {
      using S = std::decay_t<decltype(g[0])>;
      one.constraint(S(t), {InputOf<S>(q.data() + c * n, n)}, OutputOf<S>(g.data() + c * k, k));
    }
  };
  Problem problem;
  problem.form = all, problem.start = start, problem.t_span = {0, end};
  return problem;
}

TEST(SparseMotion, LeavesSingularPointsToTheDenseOne) {
  const auto mechanism = reproduce::four_bar();
  const Options options = {.method = "dop853", .rtol = 1e-7};
  constexpr int copies = 11;
  const Problem many = side_by_side(mechanism, copies, 3);
  ASSERT_TRUE(field_of(many)->is_sparse());
  const Solution all = solve(many, options), one = solve(mechanism.problem(0.4, 8, 3), options);
  ASSERT_TRUE(all.succeeded());
  EXPECT_GE(all.singularities.size(), 3u);
  const int n = mechanism.form.coordinates;
  for (int c = 0; c < copies; ++c)
    EXPECT_LE((all.y_end().segment(c * n, n) - one.y_end().head(n)).norm(), 1e-4);
}

}  // namespace
}  // namespace daedalus
