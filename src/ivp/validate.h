#pragma once
// Wrong calls are found before any work; what options leave open is filled in.
#include <vector>

#include "problem/system.h"

namespace daedalus {

/// Throws InvalidInput with field, value and requirement.
void validate(const Problem& problem, const Options& options);
/// Interval and start alone.
void validate_problem(const Problem& problem);
/// One for each variable.
void require_tolerances(const Vector& atol, int variables);
Vector absolute_tolerance(const Problem& problem, const Options& options, const System& system);
/// Sorted in the direction of the run; empty: every step.
std::vector<double> output_times(const Problem& problem, const Options& options);

}  // namespace daedalus
