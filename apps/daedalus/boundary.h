#pragma once
// Models with a constraint section: from the options of `solve` to a solution in rows.
#include "commands.h"
#include "daedalus/daedalus.h"

namespace daedalus::command {

struct BoundaryOutcome {
  Solution solution = {};
  std::string summary = {};  ///< for people, several lines
};

/// Throws InvalidInput for options that only runs from a start have.
BoundaryOutcome solve_boundary_model(const SolveCommand& command, const Model& model,
                                     const Options& options);

}  // namespace daedalus::command
