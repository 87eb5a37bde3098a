#include "progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace daedalus::command {
namespace {

// A run that ends sooner draws nothing; then ten times a second, or once where lines add up.
constexpr double first_after = 0.2, terminal_period = 0.1, line_period = 1;

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string bar_line(double part, const std::string& facts, double elapsed, int columns) {
  const double fraction = std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : 0.0;
  std::string text = fmt::format("{:5.1f}%  {}  {}", 100 * fraction, facts, duration(elapsed));
  const double left = elapsed / fraction - elapsed;
  if (fraction > 0.02 && fraction < 1 && left < 1e7) text += ", " + duration(left) + " to go";
  const int room = std::min(columns - 1 - static_cast<int>(text.size()) - 3, 40);
  if (room >= 8) {
    const int done = static_cast<int>(fraction * room);
    std::string bar(static_cast<std::size_t>(room), ' ');
    std::fill_n(bar.begin(), done, '=');
    if (done < room) bar[static_cast<std::size_t>(done)] = '>';
    text = "[" + bar + "] " + text;
  }
  return text.substr(0, static_cast<std::size_t>(std::max(columns - 1, 1)));
}

std::string progress_line(const Progress& progress, double elapsed, int columns) {
  std::string facts = fmt::format("t = {:.6g}  h = {:.1e}  order {}", progress.t,
                                  std::abs(progress.h), progress.order);
  if (progress.statistics) facts += fmt::format("  {} steps", progress.statistics->steps);
  return bar_line(progress.fraction, facts, elapsed, columns);
}

ProgressBar::ProgressBar(Show show) : clock_(wall_clock), started_(wall_clock()) {
  is_terminal_ = ::isatty(STDERR_FILENO) != 0;
  if (show == Show::never || (show == Show::on_terminal && !is_terminal_)) return;
  out_ = &std::cerr;
  columns_ = is_terminal_ ? terminal_columns() : 120;
  next_ = started_ + first_after;
}

ProgressBar::ProgressBar(std::ostream& out, bool is_terminal, int columns, Clock clock)
    : out_(&out), is_terminal_(is_terminal), columns_(columns), clock_(std::move(clock)) {
  started_ = clock_();
  next_ = started_ + first_after;
}

ProgressBar::~ProgressBar() {
  finish();
}

std::function<bool(const Progress&)> ProgressBar::callback() {
  if (!out_) return {};
  return [this](const Progress& progress) {
    if (const double now = clock_(); is_due(now))
      draw(progress_line(progress, now - started_, columns_));
    return true;
  };
}

void ProgressBar::show(double fraction, const std::string& facts) {
  if (const double now = clock_(); out_ && is_due(now))
    draw(bar_line(fraction, facts, now - started_, columns_));
}

bool ProgressBar::is_due(double now) {
  if (now < next_) return false;
  next_ = now + (is_terminal_ ? terminal_period : line_period);
  return true;
}

void ProgressBar::draw(const std::string& line) {
  if (is_terminal_)
    *out_ << '\r' << line << "\x1b[K" << std::flush;
  else
    *out_ << line << std::endl;
  drawn_ = true;
}

void ProgressBar::finish() {
  if (std::exchange(drawn_, false) && is_terminal_) *out_ << "\r\x1b[K" << std::flush;
}

}  // namespace daedalus::command
