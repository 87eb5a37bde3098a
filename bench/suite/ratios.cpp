#include "bench/suite/ratios.h"

#include <algorithm>
#include <cmath>

namespace daedalus::bench {

std::string Series::label() const {
  if (solver == "daedalus" && method == "auto") return solver;
  if (method == "auto" || method == "dense") return solver;
  return solver + " " + method;
}

double Series::time_for(double digits, Time time, int pass) const {
  const auto microseconds = [&](const Row& row) {
    // What took long was not run in later passes.
    const bool is_known = pass >= 0 && pass < std::ssize(row.pass_us);
    const double whole = is_known ? row.pass_us[static_cast<std::size_t>(pass)] : row.cpu_us;
    return time == Time::whole_call   ? whole
           : time == Time::first_call ? row.first_us
                                      : whole - row.start_us;
  };
  const Row* before = nullptr;
  for (const Row& row : rows) {
    if (!row.succeeded() || !(row.digits > -1e300)) continue;
    if (row.digits >= digits) {
      const double us = microseconds(row);
      if (!before) return us;
      const double part = (digits - before->digits) / (row.digits - before->digits);
      return std::exp((1 - part) * std::log(microseconds(*before)) + part * std::log(us));
    }
    before = &row;
  }
  return unknown;
}

const Row* Series::first_with(double digits) const {
  for (const Row& row : rows)
    if (row.succeeded() && row.digits >= digits) return &row;
  return nullptr;
}

std::vector<Series> series_of(const std::vector<Row>& rows) {
  std::vector<Series> list;
  for (const Row& row : rows) {
    auto found = std::find_if(list.begin(), list.end(), [&](const Series& s) {
      return s.suite == row.suite && s.problem == row.problem && s.solver == row.solver &&
             s.method == row.method;
    });
    if (found == list.end())
      found = list.insert(found, {row.suite, row.problem, row.solver, row.method, {}});
    found->rows.push_back(row);
  }
  for (Series& s : list)
    std::stable_sort(s.rows.begin(), s.rows.end(),
                     [](const Row& a, const Row& b) { return a.rtol > b.rtol; });
  return list;
}

double median_ratio(const Series& own, const std::vector<const Series*>& others, double digits,
                    Time time) {
  std::size_t passes = 1;
  for (const Row& row : own.rows) passes = std::max(passes, row.pass_us.size());
  std::vector<double> ratios;
  for (int pass = 0; pass < static_cast<int>(passes); ++pass) {
    double best = unknown;
    for (const Series* other : others) {
      const double us = other->time_for(digits, Time::whole_call, pass);
      if (us > 0 && !(us >= best)) best = us;
    }
    const double ratio = best / own.time_for(digits, time, pass);
    if (!std::isfinite(ratio)) return unknown;
    ratios.push_back(ratio);
  }
  std::sort(ratios.begin(), ratios.end());
  return (ratios[(passes - 1) / 2] + ratios[passes / 2]) / 2;
}

std::vector<Comparison> compare(const std::vector<Row>& rows) {
  const std::vector<Series> all = series_of(rows);
  std::vector<Comparison> list;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Series& own = all[k];
    if (own.solver != "daedalus" || own.method != "auto") continue;
    std::vector<const Series*> peers;
    for (const Series& other : all)
      if (other.suite == own.suite && other.problem == own.problem && !other.is_own())
        peers.push_back(&other);
    if (peers.empty()) continue;
    for (const double digits : compared_digits) {
      Comparison c = {own.suite, own.problem, digits};
      c.own_us = own.time_for(digits);
      c.own_steps_us = own.time_for(digits, Time::steps_only);
      for (const Series& other : all) {
        if (other.suite != own.suite || other.problem != own.problem) continue;
        const double us = other.time_for(digits);
        if (other.solver == "daedalus-text" && other.method == "auto") c.text_us = us;
        if (other.is_own()) continue;
        if (us > 0 && !(us >= c.peer_us)) c.peer_us = us, c.best_peer = other.label();
      }
      c.median = median_ratio(own, peers, digits);
      c.steps_median = median_ratio(own, peers, digits, Time::steps_only);
      list.push_back(c);
    }
  }
  return list;
}

std::vector<Choice> choices(const std::vector<Row>& rows) {
  const std::vector<Series> all = series_of(rows);
  std::vector<Choice> list;
  for (const Series& own : all) {
    if (own.solver != "daedalus" || own.method != "auto") continue;
    for (const double digits : compared_digits) {
      Choice c = {own.suite, own.problem, digits};
      c.auto_us = own.time_for(digits);
      for (const Row& row : own.rows)
        if (c.chosen.empty() && row.digits >= digits)
          c.chosen = row.choice.substr(0, row.choice.find(':'));
      for (const Series& other : all) {
        if (other.suite != own.suite || other.problem != own.problem ||
            other.solver != own.solver || other.method == own.method)
          continue;
        const double us = other.time_for(digits);
        if (us > 0 && !(us >= c.best_us)) c.best_us = us, c.best = other.method;
      }
      if (!c.best.empty()) list.push_back(c);
    }
  }
  return list;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  int count = 0;
  for (const double value : values)
    if (value > 0 && std::isfinite(value)) sum += std::log(value), ++count;
  return count == 0 ? unknown : std::exp(sum / count);
}

double mean_ratio(const std::vector<Row>& rows, const std::string& solver, double digits,
                  Time time) {
  const std::vector<Series> all = series_of(rows);
  std::vector<double> ratios;
  for (const Series& own : all) {
    if (own.solver != "daedalus" || own.method != "auto") continue;
    std::vector<const Series*> peers;
    for (const Series& other : all)
      if (other.suite == own.suite && other.problem == own.problem && other.solver == solver)
        peers.push_back(&other);
    ratios.push_back(median_ratio(own, peers, digits, time));
  }
  return geometric_mean(ratios);
}

double unit_us(const std::vector<Row>& rows) {
  for (const Series& s : series_of(rows))
    if (s.problem == unit_problem) return s.time_for(6);
  for (const Series& s : series_of(rows))
    if (s.suite == "ivp" && s.problem == "robertson_4e10" && s.solver == "radau5")
      return s.time_for(6);
  return unknown;
}

double error_per_tolerance(const Row& row) {
  return std::pow(10, -row.digits) / row.rtol;
}

std::vector<Row> failures(const std::vector<Row>& rows) {
  constexpr double allowed = 30;
  std::vector<Row> list;
  for (const Row& row : rows) {
    if (!row.is_own() || row.method != "auto") continue;
    const bool is_seen = row.digits < row.reference_digits - 0.5;
    if (!row.succeeded() || (is_seen && error_per_tolerance(row) > allowed)) list.push_back(row);
  }
  return list;
}

}  // namespace daedalus::bench
