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

void EliminatedError::refer_to(double t, const double* y, double rtol) {
  const std::vector<int>& which = system_.expansion->eliminated();
  const double* v = system_.expansion->of(t, y, system_.modes->data());
  for (std::size_t k = 0; k < which.size(); ++k) value_[k] = v[which[k]];
  norm_.set_tolerance(rtol);
  norm_.set_reference(value_.data());
}

bool EliminatedError::is_nothing(double t, std::size_t variable, double move) {
  const std::vector<int>& which = system_.expansion->eliminated();
  const double here = moved_[variable];
  moved_[variable] += move;
  const double* v = system_.expansion->of(t, moved_.data(), system_.modes->data());
  moved_[variable] = here;
  for (std::size_t k = 0; k < which.size(); ++k)
    if (std::abs(v[which[k]] - value_[k]) * norm_.scale(static_cast<int>(k)) > 1) return false;
  return true;
}

void EliminatedError::sharpen(ErrorNorm& norm, double t, const double* y) {
  constexpr double closer = 4, small = 100;  // in tolerances: larger ones are exact enough
  constexpr int most_rounds = 40;
  constexpr std::size_t most_unknowns = 64;  // each asks for v several times
  if (value_.empty() || moved_.size() > most_unknowns || !system_.expansion->is_partial()) return;
  refer_to(t, y, norm.rtol());
  std::copy(y, y + moved_.size(), moved_.begin());
  for (std::size_t j = 0; j < moved_.size(); ++j) {
    double scale = norm.scale(static_cast<int>(j));
    if (std::abs(y[j]) * scale > small) continue;
    for (int round = 0; round < most_rounds; ++round, scale *= closer)
      if (is_nothing(t, j, 1 / scale) && is_nothing(t, j, -1 / scale)) break;
    norm.require_scale(static_cast<int>(j), scale);
  }
}

double EliminatedError::joined(double own, double t, const double* y, const double* error,
                               double rtol, double h) {
  if (value_.empty()) return own;
  const Expansion& expansion = *system_.expansion;
  const std::vector<int>& which = expansion.eliminated();
  refer_to(t, y, rtol);
  norm_.set_step(h);
  // Where v is not defined so far away, as the logarithm of a concentration is not below zero, what
  // it does on the way counts.
  constexpr double shortest_way = 1e-12;
  std::fill(error_.begin(), error_.end(), NAN);
  bool all = false;
  for (double part = 1; part > shortest_way && !all; part *= 0.25) {
    for (std::size_t j = 0; j < moved_.size(); ++j) moved_[j] = y[j] + part * error[j];
    const double* v = expansion.of(t, moved_.data(), system_.modes->data());
    all = true;
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (std::isfinite(error_[k]) || !std::isfinite(value_[k])) continue;
      error_[k] = v[which[k]] - value_[k];
      all = all && std::isfinite(error_[k]);
    }
  }
  for (double& e : error_)
    if (!std::isfinite(e)) e = 0;
  return std::max(own, norm_(error_.data()));
}

}  // namespace daedalus
