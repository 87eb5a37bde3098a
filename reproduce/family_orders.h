#pragma once
// The orders of methods that are no implicit Runge-Kutta tableaus, data/family_orders.csv.
#include <string>
#include <vector>

#include "reproduce/orders.h"

namespace daedalus::reproduce {

struct FamilyOrder {
  std::string method = {};
  int max_order = 0;
  std::string problem = {};
  std::string component = {};  ///< "y", "z", "u"
  double order = 0;
  bool is_lower_bound = false;
  std::string note = {};
};

/// One entry for each order that the table holds.
std::vector<FamilyOrder> read_family_orders();

struct FamilyResult {
  FamilyOrder expected = {};
  ObservedOrder observed = {};
  bool agrees = false;  ///< within 0.3
};

bool is_below_rounding(const FamilyResult& result);

std::vector<FamilyResult> recompute_family_orders(const std::vector<FamilyOrder>& rows);

}  // namespace daedalus::reproduce
