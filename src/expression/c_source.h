#pragma once
// Programs as C text: a function for each unit that the limits allow, equal ones once. Sizes,
// index arrays and constants that are no small numbers are arguments, so the text depends on
// neither N nor the values of parameters.
#include <memory>
#include <string>
#include <vector>

#include "expression/program.h"

namespace daedalus {

struct CSource {
  std::string text;
  int functions = 0;                    ///< u0, u1, ...
  int operations = 0;                   ///< in all of them
  std::vector<std::vector<int>> units;  ///< [program][unit]: number of its function, or -1
};

using ProgramList = std::vector<std::shared_ptr<const Program::Content>>;

CSource c_source_of(const ProgramList& programs);

/// The table that the functions are called with.
const MathFunctions& math_functions();

}  // namespace daedalus
