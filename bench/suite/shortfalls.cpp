#include "bench/suite/shortfalls.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/suite/tables.h"

namespace daedalus::bench {
namespace {

bool asks_for_a_ratio(const std::string& suite) {
  return suite == "ivp" || suite == "mechanics" || suite == "circuits";
}

}  // namespace

double Shortfall::start_us() const {
  if (run.start_us > 0 || !has_profile()) return run.start_us;
  return row.own_us * run.profile->start_us / run.profile->run_us;
}

double Shortfall::floor_us() const {
  if (!has_profile()) return unknown;
  const Profile& p = *run.profile;
  return (row.own_us - start_us()) * p.floor_us() / (p.run_us - p.start_us);
}

std::string Shortfall::verdict() const {
  if (!std::isfinite(row.own_us)) return "the digits are not reached";
  if (!has_profile()) return "no profile";
  const double kernels = floor_us(), start = start_us();
  if (kernels > target_us())
    return "out of reach with so many steps: the kernels alone take longer";
  if (kernels + start > target_us())
    return "out of reach with this start: kernels and start take longer";
  const double rest = row.own_us - kernels - start, allowed = target_us() - kernels - start;
  if (rest <= allowed) return "within reach: the shortest times meet it, the median does not";
  return fmt::format("within reach of the kernels: all else would have to take {} us, not {}",
                     number(allowed), number(rest));
}

std::vector<Shortfall> shortfalls(const std::vector<Row>& rows) {
  const std::vector<Series> series = series_of(rows);
  std::vector<Shortfall> list;
  for (const Comparison& c : compare(rows)) {
    if (!asks_for_a_ratio(c.suite) || !std::isfinite(c.peer_us) || c.ratio() >= asked_ratio)
      continue;
    Shortfall found = {c};
    for (const Series& own : series) {
      if (own.suite != c.suite || own.problem != c.problem || own.solver != "daedalus" ||
          own.method != "auto")
        continue;
      if (const Row* run = own.first_with(c.digits)) found.run = *run;
    }
    list.push_back(std::move(found));
  }
  return list;
}

std::vector<Row> profiled_runs(const std::vector<Row>& rows) {
  std::vector<Row> list;
  for (const Row& row : rows)
    if (row.profile) list.push_back(row);
  return list;
}

}  // namespace daedalus::bench
