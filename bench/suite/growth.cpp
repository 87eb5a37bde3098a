#include "bench/suite/growth.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/suite/suites.h"

namespace daedalus::bench {
namespace {

struct Points {
  Growth of;
  std::vector<double> log_size = {}, log_time = {};
};

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
  for (std::size_t k = 0; k < x.size(); ++k) mean_x += x[k] / n, mean_y += y[k] / n;
  for (std::size_t k = 0; k < x.size(); ++k)
    xy += (x[k] - mean_x) * (y[k] - mean_y), xx += (x[k] - mean_x) * (x[k] - mean_x);
  return xx > 0 ? xy / xx : unknown;
}

/// Null: it is none. Rows may come from a file of another version.
const SuiteProblem* member_of_a_family(const Row& row) {
  for (const Suite& suite : suites())
    for (const SuiteProblem& problem : suite.problems)
      if (suite.name == row.suite && problem.name == row.problem && !problem.family.empty())
        return &problem;
  return nullptr;
}

}  // namespace

std::vector<Growth> growth(const std::vector<Row>& rows) {
  std::vector<Points> all;
  for (const Row& row : rows) {
    const SuiteProblem* member = row.succeeded() ? member_of_a_family(row) : nullptr;
    if (!member) continue;
    const SuiteProblem& problem = *member;
    auto found = std::find_if(all.begin(), all.end(), [&](const Points& p) {
      return p.of.suite == row.suite && p.of.family == problem.family &&
             p.of.solver == row.solver && p.of.method == row.method && p.of.rtol == row.rtol;
    });
    if (found == all.end())
      found = all.insert(found, {{row.suite, problem.family, row.solver, row.method, row.rtol,
                                  std::numeric_limits<int>::max(), 0}});
    found->of.smallest = std::min(found->of.smallest, problem.unknowns);
    found->of.largest = std::max(found->of.largest, problem.unknowns);
    found->log_size.push_back(std::log(problem.unknowns));
    found->log_time.push_back(std::log(row.cpu_us));
  }
  constexpr std::size_t sizes_at_least = 3;
  std::vector<Growth> list;
  for (Points& points : all) {
    if (points.log_size.size() < sizes_at_least) continue;
    points.of.exponent = slope(points.log_size, points.log_time);
    list.push_back(points.of);
  }
  return list;
}

}  // namespace daedalus::bench
