#pragma once
// Line plots as SVG text: axes with ticks at round numbers, several curves, legend, title.
#include <optional>
#include <string>
#include <vector>

#include "daedalus/vector.h"

namespace daedalus::reproduce {

struct Curve {
  std::string label = {};  ///< empty: not in the legend; drawn in the colour of the curve before
  std::vector<double> x = {};
  std::vector<double> y = {};
  bool is_dashed = false;
};

struct Plot {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  std::vector<Curve> curves = {};
  std::optional<Interval> x_range = {};  ///< default: what the curves need
  std::optional<Interval> y_range = {};
  int width = 760;
  int height = 480;
};

/// Round numbers inside the range, about `count` of them.
std::vector<double> ticks(Interval range, int count);
/// One plot, or several below each other.
std::string svg(const std::vector<Plot>& plots);
/// Throws InvalidInput if the file cannot be written.
void write_svg(const std::string& path, const std::vector<Plot>& plots);
/// The curves as rows `curve,x,y` below a header with those names.
std::string curves_csv(const std::vector<Plot>& plots);

}  // namespace daedalus::reproduce
