#include "interrupt.h"

#include <array>
#include <cerrno>
#include <signal.h>
#include <unistd.h>

namespace daedalus::command {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM};

// A signal handler can reach nothing else.
std::atomic<bool> raised{false};
static_assert(std::atomic<bool>::is_always_lock_free);
std::array<struct sigaction, signals.size()> before;

void on_signal(int number) {
  if (raised.exchange(true)) {
    ::signal(number, SIG_DFL);
    ::raise(number);
    return;
  }
  const int code = errno;
  static constexpr char note[] =
      "\ndaedalus: stopping after this step, results are kept; once more to stop at once\n";
  if (::write(STDERR_FILENO, note, sizeof note - 1) < 0) errno = code;
  errno = code;
}

}  // namespace

Interrupt::Interrupt() {
  raised = false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before[i]);
    // A background job started with nohup or & keeps ignoring what it was told to ignore.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
}

const std::atomic<bool>* Interrupt::flag() const {
  return &raised;
}

}  // namespace daedalus::command
