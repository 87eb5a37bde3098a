#pragma once
// Ranks at a point. The system Jacobian of the Sigma method,  J_ij = df_i / dx_j^(d_j - c_i),  is
// regular exactly where the structural index and the structural degrees of freedom are right.
// [Pryce2001]
#include <optional>
#include <vector>

#include "analysis/signature.h"

namespace daedalus {

class SystemJacobian {
 public:
  SystemJacobian(const EquationSet& equations, const StructuralAnalysis& structure,
                 const Point& point);

  bool is_finite() const { return finite_; }
  /// Equations of the first strongly connected part that is singular; empty: J is regular.
  std::vector<int> singular_part() const;
  /// All of them.
  std::vector<std::vector<int>> singular_parts() const;
  /// Smallest singular value of the given rows, each divided by the length of its whole gradient
  /// df_i / dx. Rows that are not coupled are treated apart, large parts by sparse factors.
  double smallest_singular_value(const std::vector<int>& rows) const;

 private:
  struct Entry {
    int variable = 0;
    double value = 0;
  };
  bool is_singular(const std::vector<int>& rows) const;
  std::vector<std::vector<int>> singular_parts(std::size_t most) const;

  const StructuralAnalysis& structure_;
  std::vector<std::vector<Entry>> rows_;  ///< the entries that count
  std::vector<double> length_;            ///< of df_i / dx
  bool finite_ = true;
};

}  // namespace daedalus
