#pragma once
// How time grows with the number of unknowns: problems of one family, one code, one tolerance.
#include <string>
#include <vector>

#include "bench/suite/row.h"

namespace daedalus::bench {

struct Growth {
  std::string suite = {}, family = {}, solver = {}, method = {};
  double rtol = 0;
  int smallest = 0, largest = 0;  ///< unknowns
  double exponent = unknown;      ///< p of the least squares fit time = c n^p
};

/// Of everything that was solved for three sizes at least.
std::vector<Growth> growth(const std::vector<Row>& rows);

}  // namespace daedalus::bench
