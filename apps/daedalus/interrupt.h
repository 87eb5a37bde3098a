#pragma once
// Ctrl-C ends a run cleanly: what is computed so far is written. The second one kills.
#include <atomic>

namespace daedalus::command {

/// While it lives, SIGINT and SIGTERM raise a flag instead of ending the program. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// For Options::interrupt.
  const std::atomic<bool>* flag() const;
  bool happened() const { return flag()->load(); }
};

}  // namespace daedalus::command
