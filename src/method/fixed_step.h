#pragma once
// Explicit methods without an error estimate, for fixed steps alone.
#include <string_view>

#include "daedalus/method.h"

namespace daedalus {

/// Null: `name` is none of them.
const Tableau* find_fixed_step_method(std::string_view name);

}  // namespace daedalus
