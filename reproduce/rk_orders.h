#pragma once
// The table of orders that ships as data/rk_orders.csv, and the verdict on each of its rows.
#include <optional>
#include <string>
#include <vector>

#include "reproduce/orders.h"

namespace daedalus::reproduce {

/// The part of `theory_order` that binds: an exact order, or a lower bound.
struct TheoryOrder {
  int order = 0;
  bool is_lower_bound = false;
};

struct OrderRow {
  std::string text = {};  ///< the line as it stands
  std::string problem = {};
  std::string method = {};  ///< in the words of the catalogue: "radau_iia_5"
  std::string component = {};
  std::optional<TheoryOrder> theory = {};
  double measured = 0;
  std::vector<double> measured_all = {};  ///< one for each doubling in step_counts; NaN: no result
  std::vector<int> step_counts = {};
  double finest_error = 0;  ///< with the last number of steps
};

std::string order_table_header();
std::vector<OrderRow> read_order_table();

enum class Verdict {
  agrees,
  above_theory,    ///< this problem is kinder than the theorem, and the table says so too
  no_convergence,  ///< as in the table
  below_rounding,
  not_solved,  ///< the stage equations of the runs that the table made were not solved here
  disagrees,
};
const char* name_of(Verdict verdict);
bool is_agreement(Verdict verdict);

struct OrderResult {
  OrderRow row = {};
  Verdict verdict = Verdict::disagrees;
  double computed = 0;  ///< NaN where nothing could be observed
  std::vector<OrderPair> pairs = {};
};

/// All rows, or those of the given problems, in the order of the table.
std::vector<OrderResult> recompute_orders(const std::vector<OrderRow>& rows);

}  // namespace daedalus::reproduce
