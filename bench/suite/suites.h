#pragma once
// The suites of `daedalus bench`: which problems, and how each is made when it is needed.
#include <functional>
#include <string>
#include <vector>

#include "reproduce/testset.h"

namespace daedalus::bench {

struct SuiteProblem {
  std::string name = {};
  std::function<reproduce::TestProblem()> make = {};
  double sharpest = 1e-11;  ///< tolerances below are left out: the reference, or double, ends there
  std::string family = {};  ///< the same equations on grids of other sizes; empty: none
  int unknowns = 0;         ///< of members of a family
};

struct Suite {
  std::string name = {};
  std::string title = {};
  std::vector<SuiteProblem> problems = {};  ///< of `bvp`: none, see boundary_test_problems
};

const std::vector<Suite>& suites();
/// Throws InvalidInput with the nearest names.
const Suite& find_suite(const std::string& name);
const SuiteProblem& find_problem(const std::string& suite, const std::string& name);

}  // namespace daedalus::bench
