#pragma once
// The derivatives that a motion told by expressions has, made when they are first asked for and
// shared by all that have the same expressions.
#include <mutex>
#include <optional>

#include "expression/equation_hessian.h"

namespace daedalus {

class MotionLinearization {
 public:
  struct Sets {
    EquationJacobian curvature;             ///< of d^2 g / dt^2, in q and v
    EquationHessian bending;                ///< of g
    std::optional<EquationJacobian> force;  ///< none: forces are a function
  };
  /// To be copied: evaluation is not for two at once.
  const Sets& of(const EquationSet& constraints, const EquationSet& rates,
                 const EquationSet* force) {
    std::call_once(once_, [&] {
      sets_.emplace(Sets{EquationJacobian(rates.differentiated_forwards(), {0, 1}),
                         EquationHessian(constraints), std::nullopt});
      if (force) sets_->force.emplace(*force, std::vector<int>{0, 1});
    });
    return *sets_;
  }

 private:
  std::once_flag once_;
  std::optional<Sets> sets_;
};

}  // namespace daedalus
