#pragma once
// Functions of problems of higher index, recorded: a graph tells which derivatives of which
// equations are needed, so that the index is reduced and motions are found as in a model text.
#include <optional>
#include <string_view>

#include "daedalus/problem.h"

namespace daedalus {

/// Explicit steps have dense matrices there, and derivatives of all of their entries; motions that
/// hold their constraints twice have not.
inline constexpr int most_recorded_of_index_2 = 40;
inline constexpr int most_recorded_motion_of_index_2 = 400;

/// What a few evaluations at the start tell against recording functions of index 2, which takes the
/// time of some fifty small implicit steps; empty: nothing.
std::string_view reason_not_to_record(const Problem& problem);

/// The problem as a graph, if it says that its index is above 1 and all of its functions can be
/// recorded; else nothing, and the functions are solved in the index in which they stand.
std::optional<Problem> recorded_if_of_higher_index(const Problem& problem);

}  // namespace daedalus
