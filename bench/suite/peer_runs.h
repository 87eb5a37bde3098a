#pragma once
// Other codes on the test problems, each in a child process that may crash or never end.
#include "bench/suite/own_runs.h"

namespace daedalus::bench {

/// The program daedalus-peer beside this one; empty: it is not there.
std::string peer_program();
/// ida, radau5, daspk.
const std::vector<std::string>& peer_names();

/// One row for each variant of the code's linear algebra. None: the code is not installed, or the
/// problem has no form for it.
std::vector<Row> run_peer(const std::string& program, const std::string& suite,
                          const reproduce::TestProblem& problem, const std::string& name,
                          const std::string& solver, double rtol, const Repeats& repeats);

}  // namespace daedalus::bench
