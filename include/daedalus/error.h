#pragma once
// A wrong call, found before any work: the message names the field, its value and what is required.
#include <stdexcept>

namespace daedalus {

class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace daedalus
