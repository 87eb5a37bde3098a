#pragma once
// Events: zeros of functions of the solution, found on the dense output of each step.
#include <functional>
#include <string>

#include "daedalus/vector.h"

namespace daedalus {

enum class Direction { both, rising, falling };

struct Event {
  std::string name = "event";
  std::function<double(double t, Input y)> value = {};  ///< the event happens where it is zero
  Direction direction = Direction::both;
  bool terminal = false;
  /// Changes the state at the event; the run goes on from the consistent point nearest to it.
  std::function<void(double t, Output y)> reset = {};
};

struct EventRecord {
  double t = 0;
  int event = 0;  ///< position in Options::events; -1: a relation of the model
  std::string name = {};
};

}  // namespace daedalus
