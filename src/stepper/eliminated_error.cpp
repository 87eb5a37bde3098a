#include "stepper/eliminated_error.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

EliminatedError::EliminatedError(const System& system, double rtol)
    : system_(system),
      norm_(system.expansion->index_of_eliminated(system.variable_index), rtol,
            system.expansion->atol),
      moved_(static_cast<std::size_t>(system.size)),
      value_(system.expansion->eliminated().size()),
      error_(value_.size()) {}

double EliminatedError::joined(double own, double t, const double* y, const double* error,
                               double rtol, double h) {
  if (value_.empty()) return own;
  const Expansion& expansion = *system_.expansion;
  const std::vector<int>& which = expansion.eliminated();
  const double* v = expansion.of(t, y, system_.modes->data());
  for (std::size_t k = 0; k < which.size(); ++k) value_[k] = v[which[k]];
  norm_.set_tolerance(rtol);
  norm_.set_reference(value_.data());
  norm_.set_step(h);
  for (std::size_t j = 0; j < moved_.size(); ++j) moved_[j] = y[j] + error[j];
  v = expansion.of(t, moved_.data(), system_.modes->data());
  for (std::size_t k = 0; k < which.size(); ++k) {
    error_[k] = v[which[k]] - value_[k];
    // Where v is not defined so far away, the error of the others says enough.
    if (!std::isfinite(error_[k])) error_[k] = 0;
  }
  return std::max(own, norm_(error_.data()));
}

}  // namespace daedalus
