#pragma once
// How far a run is, on one line that is drawn again and again:
//   [=========>          ]  45%  t = 4.53  h = 1.6e-02  order 5  637 steps  0:12, 0:15 to go
#include <functional>
#include <ostream>
#include <string>

#include "daedalus/solve.h"

namespace daedalus::command {

class ProgressBar {
 public:
  enum class Show { on_terminal, always, never };
  using Clock = std::function<double()>;  ///< seconds

  /// On standard error.
  explicit ProgressBar(Show show);
  /// Without a terminal each state is a line of its own, once a second.
  ProgressBar(std::ostream& out, bool is_terminal, int columns, Clock clock);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For Options::progress; the bar must outlive the run. Empty where nothing is to be shown.
  std::function<bool(const Progress&)> callback();
  /// For work that is no run; `facts` stand behind the percentage.
  void show(double fraction, const std::string& facts);
  /// Clears the line, so that what is printed next stands alone.
  void finish();

 private:
  bool is_due(double now);
  void draw(const std::string& line);

  std::ostream* out_ = nullptr;  ///< null: shows nothing
  bool is_terminal_ = false;
  int columns_ = 80;
  Clock clock_;
  double started_ = 0;
  double next_ = 0;  ///< not drawn before
  bool drawn_ = false;
};

/// Both fit into `columns`.
std::string bar_line(double fraction, const std::string& facts, double elapsed, int columns);
std::string progress_line(const Progress& progress, double elapsed, int columns);

}  // namespace daedalus::command
