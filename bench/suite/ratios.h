#pragma once
// What the rows say: time for a number of digits, and how that compares.
#include "bench/suite/row.h"

namespace daedalus::bench {

enum class Time { whole_call, steps_only, first_call };

/// One code with one method on one problem, from crude to sharp tolerances.
struct Series {
  std::string suite = {}, problem = {}, solver = {}, method = {};
  std::vector<Row> rows = {};

  std::string label() const;
  bool is_own() const { return rows.front().is_own(); }
  /// Microseconds, linear in digits and log time where `digits` is first reached; NaN: never.
  /// Of one pass; -1: the shortest of all.
  double time_for(double digits, Time time = Time::whole_call, int pass = -1) const;
  /// The first one that reaches the digits; null: none.
  const Row* first_with(double digits) const;
};

/// In the order in which they first appear.
std::vector<Series> series_of(const std::vector<Row>& rows);

struct Comparison {
  std::string suite = {}, problem = {};
  double digits = 0;
  double own_us = unknown, own_steps_us = unknown, text_us = unknown;  ///< method auto
  std::string best_peer = {};
  double peer_us = unknown;
  double median = unknown, steps_median = unknown;  ///< see median_ratio
  /// How many times faster `auto` is than the best of the others; NaN: one of them is missing.
  double ratio() const { return median; }
  double steps_ratio() const { return steps_median; }
};

inline constexpr double compared_digits[] = {4, 6, 8};

/// The median over all passes of the best time of the others over the own one of the same pass: a
/// machine that slows down in one pass does so for all codes. NaN: not known.
double median_ratio(const Series& own, const std::vector<const Series*>& others, double digits,
                    Time time = Time::whole_call);

/// For each problem with other codes, at 4, 6 and 8 digits.
std::vector<Comparison> compare(const std::vector<Row>& rows);
/// Of those that are known; NaN for none.
double geometric_mean(const std::vector<double>& values);
/// Against one code where both reach the digits.
double mean_ratio(const std::vector<Row>& rows, const std::string& solver, double digits,
                  Time time);

/// Method auto beside the best single method of Daedalus.
struct Choice {
  std::string suite = {}, problem = {};
  double digits = 0;
  std::string chosen = {};  ///< by auto, at the tolerance that first gives the digits
  double auto_us = unknown;
  std::string best = {};
  double best_us = unknown;
  double ratio() const { return auto_us / best_us; }
};
/// For each problem that other methods than auto solved too, at 4, 6 and 8 digits.
std::vector<Choice> choices(const std::vector<Row>& rows);

/// Rows of the suite bvp with this name: RADAU5 on Robertson's problem.
inline constexpr const char* unit_problem = "unit";
/// Its time for six digits, there or in the suite ivp; NaN: it was not run.
double unit_us(const std::vector<Row>& rows);

/// Runs of Daedalus with method auto that failed, or whose error is above 30 rtol.
std::vector<Row> failures(const std::vector<Row>& rows);
/// The error of the differential variables in units of rtol; NaN: not known.
double error_per_tolerance(const Row& row);

}  // namespace daedalus::bench
