#pragma once
// What is asked beyond the codes that run here: data/bench/best_codes.csv, the best of thirteen
// codes measured on another occasion, and data/bench/mechanics.csv, what a study found attainable.
#include "bench/suite/ratios.h"

namespace daedalus::bench {

struct AgainstAll {
  std::string suite = {}, problem = {};
  double digits = 0;
  std::string code = {};     ///< the best of all
  double best_us = unknown;  ///< estimated: its ratio to RADAU5 times RADAU5's time in this run
  double own_us = unknown;   ///< method auto
  double ratio = unknown;    ///< median over passes
  double asked = unknown;    ///< NaN: nothing, the problem is not stiff
  bool in_units = false;     ///< RADAU5 did not reach the digits then: by its time for Robertson's
};

/// For each problem of the list that was run.
std::vector<AgainstAll> against_all(const std::vector<Row>& rows);

/// One problem of the suite mechanics beside RADAU5 with the best of its options.
struct AgainstRadau5 {
  std::string problem = {};
  std::string structure = {};  ///< of the matrices that what is asked was found with
  double asked = unknown;      ///< ratio to RADAU5; NaN: none
  struct Digits {
    double digits = 0;
    double own_us = unknown, radau5_us = unknown, ratio = unknown;
    double ratio_without_options = unknown;  ///< as the study compared
    /// The study's time, by RADAU5's for Robertson's problem then and in this run.
    double study_us = unknown;
  };
  std::vector<Digits> at = {};
};

std::vector<AgainstRadau5> against_radau5(const std::vector<Row>& rows);

}  // namespace daedalus::bench
