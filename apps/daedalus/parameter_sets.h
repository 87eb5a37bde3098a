#pragma once
// The parameter sets of a sweep: grids from the command line, rows of a CSV file, or every grid
// point for every row.
#include <string>
#include <vector>

#include "run_options.h"

namespace daedalus::command {

struct ParameterSets {
  std::vector<std::string> names;
  std::vector<double> values;  ///< one row of all names for each set

  std::size_t count() const { return names.empty() ? 0 : values.size() / names.size(); }
  double value(std::size_t set, std::size_t name) const {
    return values[set * names.size() + name];
  }
  Assignments assignments(std::size_t set) const;
};

/// `grid`: words NAME=VALUES, VALUES a list of numbers and ranges start:stop or start:step:stop;
/// the last word varies fastest, the rows of `csv_file` (may be empty) slowest. Throws
/// InvalidInput.
ParameterSets parameter_sets(const std::vector<std::string>& grid, const std::string& csv_file);

}  // namespace daedalus::command
