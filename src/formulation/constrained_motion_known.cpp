// What runs ask of a motion at their start, and what others have found out there.
#include <cmath>
#include <limits>
#include <utility>

#include "formulation/constrained_motion.h"

namespace daedalus {

/// Where slopes come from code, matrices are made for such questions alone. What is not a number is
/// not kept.
template <class Find>
double ConstrainedMotion::known_or_found(KnownStart::Question question,
                                         const StraightMotion::Point& at, Find find) {
  if (!equations_->straight() || solves_ != Solves::by_factors) return find();
  std::vector<double> point = {at.t, constraints_->reference()};
  for (int i = 0; i < m_; ++i) point.push_back(constraints_->scale(i));
  point.insert(point.end(), at.q, at.q + n_);
  point.insert(point.end(), at.v, at.v + n_);
  KnownStart* known = equations_->known_start(point);
  if (!known) return find();
  if (const std::vector<double> answer = known->recall(question, point); !answer.empty()) {
    constraints_->set_health(answer[1]);
    factorizations += static_cast<std::int64_t>(answer[2]);
    return answer[0];
  }
  const std::int64_t before = factorizations;
  const double found = find();
  if (!std::isnan(found))
    known->keep(question, point,
                {found, constraints_->health(), static_cast<double>(factorizations - before)});
  return found;
}

double ConstrainedMotion::distance(double t, const double* x) {
  return m_ == 0 ? 0 : known_or_found(KnownStart::distance, {t, x, x + n_}, [&] {
    return find_distance(t, x);
  });
}

/// Prepared, if it is not.
bool ConstrainedMotion::is_regular(double t, const double* x) {
  const double known = known_or_found(KnownStart::regular, {t, x, x + n_}, [&] {
    const bool singular = prepare(t, x, false) && constraints_->is_decomposed() &&
                          constraints_->health() < nearly_singular;
    return singular ? std::numeric_limits<double>::quiet_NaN() : 1;
  });
  return !std::isnan(known);
}

double ConstrainedMotion::since_singular() {
  const StraightMotion::Point at = slope_point();
  const auto find = [&] { return find_crossing(at.t, at.q, at.v); };
  if (m_ == 0) return std::numeric_limits<double>::infinity();
  // Later ones belong to this run alone.
  const bool is_first = !std::exchange(has_looked_, true);
  return is_first && slope_is_by_code_ ? known_or_found(KnownStart::crossing, at, find) : find();
}

bool ConstrainedMotion::rewind() {
  if (!equations_->is_unchanged()) return false;
  constraints_->forget();
  equations_->straight()->forget_stages();
  size_ = 1, learning_ = true, is_left_alone = false;
  prepared_ = undetermined_ = dependent_ = has_looked_ = slope_is_by_code_ = false;
  factorizations = iterations = 0;
  return true;
}

}  // namespace daedalus
