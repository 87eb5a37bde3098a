#pragma once
// Where the time of a run goes.
#include "bench/suite/own_runs.h"

namespace daedalus::bench {

/// Runs the problem again, beside its kernels. Nothing: the run fails, or has no kernels that can
/// be called alone.
std::optional<Profile> profile_of(const Problem& problem, const Options& options);

}  // namespace daedalus::bench
