#pragma once
// The numbers behind the plots, as JSON for report.js, thinned to a size that a browser likes.
#include <cstddef>
#include <string>

#include "daedalus/report.h"

namespace daedalus::report {

struct PlotData {
  std::string json = {};
  std::size_t points = 0;     ///< of each variable
  bool thinned = false;       ///< fewer than the solution has
  std::size_t variables = 0;  ///< that are plotted
};

PlotData plot_data(const Solution& solution, const ReportContent& content);

}  // namespace daedalus::report
