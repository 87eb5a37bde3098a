#pragma once
// Tables of printed numbers (data/regularisation/*.csv) beside computed ones.
#include <functional>
#include <string>
#include <vector>

#include "reproduce/reproduction.h"

namespace daedalus::reproduce {

struct PrintedEntry {
  std::string line = {};    ///< as it stands in the file
  std::string method = {};  ///< the scheme, or the formulation where the scheme is the same
  std::string weight = {};
  double eps = 0;
  double alpha_1 = 0;
  double y0 = 0;
  int iteration = 0;
  std::string quantity = {};
  double t = 0;
  std::string printed = {};
  std::string remark = {};  ///< "misprint: ..." or "not reproduced: ...", empty where all is well

  bool is_misprint() const { return remark.starts_with("misprint"); }
  bool is_not_reproduced() const { return remark.starts_with("not reproduced"); }
};

/// "5_1" reads data/regularisation/table_5_1.csv.
std::vector<PrintedEntry> read_printed_table(const std::string& number);

/// Rounded to the printed digits, the value is within one unit of the last of them. A printed 0 is
/// an exact one; NaN stands for overflow: not finite, or above 1e10.
bool agrees_with_print(const std::string& printed, double computed);

/// ".381e-1": the style of the tables.
std::string printed_style(double value, int digits = 3);

/// Computes every entry and prints the table with its misprints and what is not reproduced.
ReproduceSummary compare_with_print(const std::string& number,
                                    const std::function<double(const PrintedEntry&)>& compute,
                                    const ReproduceOptions& options, std::ostream& out);

}  // namespace daedalus::reproduce
