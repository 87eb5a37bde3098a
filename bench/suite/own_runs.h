#pragma once
// Daedalus on the test problems, timed.
#include "bench/suite/row.h"
#include "reproduce/testset.h"

namespace daedalus::bench {

struct Repeats {
  double seconds = 0.1;  ///< a run is repeated until so much CPU time is spent
  int most = 50;
  double time_limit = 10;  ///< of one run
};

/// What one run is given.
struct Stated {
  Problem problem = {};
  Options options = {};
};
Stated stated_as_functions(const reproduce::TestProblem& problem, const std::string& method,
                           double rtol, const Repeats& repeats);
Stated stated_as_text(const reproduce::TestProblem& problem, const std::string& method, double rtol,
                      const Repeats& repeats);

/// In the form of `problem.statement`.
Row run_functions(const reproduce::TestProblem& problem, const std::string& method, double rtol,
                  const Repeats& repeats);
/// As the text of its model.
Row run_text(const reproduce::TestProblem& problem, const std::string& method, double rtol,
             const Repeats& repeats);
/// steps: elements of the last mesh; rhs, jacobians: at single times; factorizations: elements;
/// solves: Newton iterations.
class BoundaryRuns {
 public:
  explicit BoundaryRuns(const reproduce::BoundaryTestProblem& problem);
  /// `stages` 0: chosen.
  Row run(int stages, double tolerance, const Repeats& repeats) const;

 private:
  const reproduce::BoundaryTestProblem& problem_;
  BoundarySolution reference_;
};

}  // namespace daedalus::bench
