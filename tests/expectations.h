#pragma once
// What several test files expect: a refused call that says why, a failure told in four parts, and a
// trajectory close to an exact one.
#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "daedalus/solve.h"

namespace daedalus::testing {

/// The message of the InvalidInput that `call` throws; a test failure if it throws none.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

inline std::string refusal(const Problem& problem, const Options& options = {}) {
  return refusal([&] { (void)solve(problem, options); });
}

inline void expect_failure(const Solution& solution, Reason reason) {
  EXPECT_EQ(solution.status, Status::failed);
  EXPECT_STREQ(name_of(solution.reason), name_of(reason)) << solution.message.text();
  EXPECT_FALSE(solution.message.what.empty());
  EXPECT_FALSE(solution.message.where.empty());
  EXPECT_FALSE(solution.message.why.empty());
  EXPECT_FALSE(solution.message.hint.empty());
}

/// Largest |y - exact| / (1 + |exact|) over all rows and variables; `exact` is (t, Vector& y).
template <class Exact>
double worst_error(const Solution& solution, Exact exact) {
  EXPECT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_GT(solution.rows(), 0);
  double worst = 0;
  Vector expected(solution.size());
  for (int i = 0; i < solution.rows(); ++i) {
    exact(solution.t[i], expected);
    const Vector error = (solution.y(i) - expected).cwiseAbs();
    worst = std::max(
        worst, error.cwiseQuotient(Vector::Ones(error.size()) + expected.cwiseAbs()).maxCoeff());
    if (!error.allFinite()) worst = INFINITY;
  }
  return worst;
}

}  // namespace daedalus::testing
