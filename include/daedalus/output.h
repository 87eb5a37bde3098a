#pragma once
// Solutions as files. Every file appears whole or not at all: it is written beside its target,
// flushed to the disk and renamed. What cannot be written throws OutputError; the solution is
// untouched and can be written elsewhere.
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daedalus/solution.h"

namespace daedalus {

/// The message names the file, the system's reason and what to try.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Name and value of what a run was asked for, as the user would write them.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The ending of `path` chooses: .csv, .json, .h5 or .hdf5; "-" is CSV on standard output.
/// Throws InvalidInput for another ending. HDF5 files carry `settings` as attributes.
void write_solution(const Solution& solution, const std::string& path,
                    const Settings& settings = {});

/// Header `time,NAME,...`, one line for each output time, 17 significant digits.
void write_csv(const Solution& solution, std::ostream& stream);

/// {"status", "reason", "message", "method", "formulation", "variables": [names],
/// "time": [...], "values": {name: [...]}}. NaN and infinities are null.
void write_json(const Solution& solution, std::ostream& stream);

/// Counters, residuals and outcome: what `daedalus solve --stats` writes.
std::string stats_json(const Solution& solution);

/// Any text as a whole file; "-" is standard output.
void write_text(std::string_view text, const std::string& path);

/// Throws OutputError where `path` could not be written (no such folder, no permission), so that
/// this is known before hours of computing; leaves nothing behind.
void check_writable(const std::string& path);

/// The same for write_solution; InvalidInput where the ending is unknown.
void check_solution_path(const std::string& path);

}  // namespace daedalus
