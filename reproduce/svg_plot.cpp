#include "reproduce/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus::reproduce {
namespace {

// Colours that stay apart for colour-blind readers and in grey. (Okabe and Ito)
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                "#e69f00", "#56b4e9", "#555555"};
constexpr double left = 74, right = 24, top = 52, bottom = 58;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

Interval extent(const std::vector<Curve>& curves, std::vector<double> Curve::*axis) {
  Interval range = {std::numeric_limits<double>::infinity(),
                    -std::numeric_limits<double>::infinity()};
  for (const Curve& curve : curves) {
    for (const double value : curve.*axis) {
      range = {std::min(range.begin, value), std::max(range.end, value)};
    }
  }
  if (!(range.begin <= range.end)) return {0, 1};
  if (range.begin == range.end) return {range.begin - 1, range.end + 1};
  return range;
}

Interval with_margin(Interval range) {
  const double margin = 0.04 * (range.end - range.begin);
  return {range.begin - margin, range.end + margin};
}

/// Places data in one plot whose upper edge is `offset`.
class Frame {
 public:
  Frame(const Plot& plot, double offset)
      : plot_(plot),
        offset_(offset),
        x_(plot.x_range ? *plot.x_range : extent(plot.curves, &Curve::x)),
        y_(plot.y_range ? *plot.y_range : with_margin(extent(plot.curves, &Curve::y))) {}

  double x(double value) const {
    return left + (value - x_.begin) / (x_.end - x_.begin) * inner_width();
  }
  double y(double value) const {
    return offset_ + top + (y_.end - value) / (y_.end - y_.begin) * inner_height();
  }
  double inner_width() const { return plot_.width - left - right; }
  double inner_height() const { return plot_.height - top - bottom; }

  std::string draw(int number) const;

 private:
  void draw_grid(std::string& out) const;
  void draw_curves(std::string& out, int number) const;
  void draw_legend(std::string& out) const;
  std::string points(const Curve& curve) const;

  const Plot& plot_;
  double offset_;
  Interval x_;
  Interval y_;
};

void Frame::draw_grid(std::string& out) const {
  const double low = offset_ + top + inner_height();
  const double high = left + inner_width();
  for (const double tick : ticks(x_, 8)) {
    out += fmt::format("<path class=\"grid\" d=\"M{0:.2f} {1:.2f}V{2:.2f}\"/>\n", x(tick), low,
                       offset_ + top);
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{:g}</text>\n",
                       x(tick), low + 18, tick);
  }
  for (const double tick : ticks(y_, 6)) {
    out += fmt::format("<path class=\"grid\" d=\"M{:.2f} {:.2f}H{:.2f}\"/>\n", left, y(tick), high);
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"end\">{:g}</text>\n",
                       left - 8, y(tick) + 4, tick);
  }
  out += fmt::format("<path class=\"axis\" d=\"M{:.2f} {:.2f}V{:.2f}H{:.2f}\"/>\n", left,
                     offset_ + top, low, high);
  out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n",
                     left + inner_width() / 2, low + 42, escaped(plot_.x_label));
  out += fmt::format(
      "<text transform=\"translate(20 {:.2f}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n",
      offset_ + top + inner_height() / 2, escaped(plot_.y_label));
}

std::string Frame::points(const Curve& curve) const {
  std::string path;
  bool is_drawing = false;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) {
      is_drawing = false;
      continue;
    }
    path += fmt::format("{}{:.2f} {:.2f}", is_drawing ? "L" : "M", x(curve.x[i]), y(curve.y[i]));
    is_drawing = true;
  }
  return path;
}

void Frame::draw_curves(std::string& out, int number) const {
  out += fmt::format(
      "<clipPath id=\"frame{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" "
      "height=\"{}\"/></clipPath>\n<g clip-path=\"url(#frame{})\">\n",
      number, left, offset_ + top, inner_width(), inner_height(), number);
  int colour = -1;
  for (const Curve& curve : plot_.curves) {
    if (!curve.label.empty() || colour < 0) ++colour;
    out += fmt::format("<path class=\"curve\" stroke=\"{}\"{} d=\"{}\"/>\n",
                       colours[colour % colours.size()],
                       curve.is_dashed ? " stroke-dasharray=\"6 4\"" : "", points(curve));
  }
  out += "</g>\n";
}

void Frame::draw_legend(std::string& out) const {
  // On the line of the title's foot, from the left: never on top of a curve.
  double position = left;
  int colour = -1;
  for (const Curve& curve : plot_.curves) {
    if (curve.label.empty()) continue;
    ++colour;
    const double line = offset_ + top - 12;
    out += fmt::format("<path class=\"curve\" stroke=\"{}\"{} d=\"M{:.2f} {:.2f}h22\"/>\n",
                       colours[colour % colours.size()],
                       curve.is_dashed ? " stroke-dasharray=\"6 4\"" : "", position, line);
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", position + 28, line + 4,
                       escaped(curve.label));
    position += 46 + 7.2 * static_cast<double>(curve.label.size());
  }
}

std::string Frame::draw(int number) const {
  std::string out;
  out += fmt::format("<text class=\"title\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", left,
                     offset_ + 24, escaped(plot_.title));
  draw_grid(out);
  draw_curves(out, number);
  draw_legend(out);
  return out;
}

}  // namespace

std::vector<double> ticks(Interval range, int count) {
  const double rough = (range.end - range.begin) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> result;
  // Whole multiples of the step: sums of steps would print 0.30000000000000004 and -1e-17.
  const double slack = 1e-9;
  for (double k = std::ceil(range.begin / step - slack); k * step <= range.end + slack * step;
       ++k) {
    result.push_back(k * step + 0.0);
  }
  return result;
}

std::string svg(const std::vector<Plot>& plots) {
  int width = 0, height = 0;
  for (const Plot& plot : plots) {
    width = std::max(width, plot.width);
    height += plot.height;
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n"
      "<style>text{{font:13px system-ui,sans-serif;fill:#333}}.title{{font-size:15px;"
      "font-weight:600}}.grid{{stroke:#e6e6e6}}.axis{{stroke:#333;fill:none}}"
      ".curve{{fill:none;stroke-width:1.6;stroke-linejoin:round}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  double offset = 0;
  int number = 0;
  for (const Plot& plot : plots) {
    out += Frame(plot, offset).draw(++number);
    offset += plot.height;
  }
  return out + "</svg>\n";
}

void write_svg(const std::string& path, const std::vector<Plot>& plots) {
  std::ofstream file(path);
  file << svg(plots);
  if (!file.flush()) throw InvalidInput(fmt::format("output: '{}' cannot be written", path));
}

std::string curves_csv(const std::vector<Plot>& plots) {
  std::string out = "curve,x,y\n";
  std::string label;
  int part = 0;
  for (const Plot& plot : plots) {
    for (const Curve& curve : plot.curves) {
      part = curve.label.empty() ? part + 1 : 1;
      if (!curve.label.empty()) label = curve.label;
      const std::string name = part > 1 ? fmt::format("{} ({})", label, part) : label;
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        out += fmt::format("{},{:.17g},{:.17g}\n", name, curve.x[i], curve.y[i]);
      }
    }
  }
  return out;
}

}  // namespace daedalus::reproduce
