// Implicit steps: where their matrices are taken, and when the number of stages changes with them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "linear/small_vectors.h"
#include "stepper/implicit_stepper.h"

namespace daedalus {
namespace {

// Rate of Newton's iteration. Of equations that are not linear it says little of longer steps.
constexpr double linear = 1e-9;
constexpr std::size_t few_entries = 16;

}  // namespace

/// At the middle of the step, as the last one promises it, a matrix is half as far from the stages
/// as at its beginning, and Newton's iteration with it twice as fast. Where that promise led to
/// nothing it is taken at the beginning; so it is where ends of steps are put onto constraints,
/// which the promise knows nothing of. (For y' its value at the beginning does.)
bool ImplicitStepper::jacobian_ahead() {
  constexpr double middle = 0.5;
  if (system_.constraints || !extrapolate_ || rejected_ || options_.fixed_step > 0 ||
      !current()->predict(state_, h_, middle, error_.data()))
    return false;
  keep_matrix();
  return jacobian_.evaluate(state_.t + middle * h_, error_.data(), state_.yp.data(), pencil_) &&
         !drowns();
}

/// A few entries one by one: they were, or will be, written like that, and wider loads wait for it.
void ImplicitStepper::keep_matrix() {
  const std::vector<double>& a = pencil_.a;
  if (a.size() > few_entries)
    std::copy(a.begin(), a.end(), a_before_.begin());
  else
    copy_singly(a.data(), static_cast<int>(a.size()), a_before_.data());
}

/// Where the polynomial of the last step ends at nonsense, an exponential there may be larger than
/// all else in its row by more than a tolerance. Then corrections and estimates are small whatever
/// the equation lacks: a diode does not conduct for half a period, and nothing shows it.
bool ImplicitStepper::drowns() {
  constexpr double part = 0.1;  // estimates are relieved
  const double most = part / options_.rtol;
  const std::vector<double>& a = pencil_.a;
  const auto has_not_grown = [most](double now, double before) {
    return std::abs(now) <= most * std::abs(before);
  };
  if (std::equal(a.begin(), a.end(), a_before_.begin(), has_not_grown)) return false;
  std::fill(row_size_.begin(), row_size_.end(), 0.0);
  const auto size_of_row = [this](std::size_t k) -> double& {
    return row_size_[static_cast<std::size_t>(pencil_.pattern.row[k])];
  };
  for (std::size_t k = 0; k < a.size(); ++k)
    size_of_row(k) =
        std::max({size_of_row(k), std::abs(a_before_[k]), std::abs(pencil_.e[k] / h_)});
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::abs(a[k]) > most * size_of_row(k)) return true;
  return false;
}

bool ImplicitStepper::renew_jacobian() {
  ++statistics_.jacobians;
  is_ahead_ = jacobian_ahead();
  if (!is_ahead_ && !jacobian_.evaluate(state_.t, state_.y.data(), state_.yp.data(), pencil_))
    return fail_not_differentiable(system_.equations[std::max(0, jacobian_.nonfinite_row())]);
  jacobian_valid_ = jacobian_current_ = true;
  factors_valid_ = false;
  return true;
}

/// Behind a step whose factors serve the next one too. Other factors are what the order waits for.
void ImplicitStepper::consider_order() {
  if (methods_.size() < 2 || !order_.is_eager) return;
  // Not where the longest step allowed is what limits them.
  const bool kept = jacobian_valid_ && h_ == factored_h_ && std::abs(h_) < options_.max_step;
  // Where the iteration has ever failed it will ask for matrices again, and that is occasion
  // enough.
  const bool is_linear = system_.linear || (seen_rate_ > 0 && seen_rate_ <= linear &&
                                            statistics_.newton_failures == 0);
  if (order_.after_step(current()->stages(), std::abs(h_), is_linear, kept)) factors_valid_ = false;
}

bool ImplicitStepper::renew_factors() {
  if (methods_.size() > 1 && !first_) {
    const double ratio = last_h_ == 0 ? 1.0 : h_ / last_h_;
    // The single iteration of a linear system says all there is to say.
    const int iterations =
        system_.linear ? std::max(2, last_newton_.iterations) : last_newton_.iterations;
    const int stages = order_.next(current()->stages(), last_newton_.rate, iterations, ratio);
    if (stages != current()->stages()) {
      for (std::size_t k = 0; k < methods_.size(); ++k)
        if (methods_[k]->method.stages == stages) use(static_cast<int>(k));
      current()->forget();
      control_.forget();
    }
  }
  ++statistics_.factorizations;
  if (current()->factor(pencil_, h_)) {
    factored_h_ = h_, factors_valid_ = true, singular_in_a_row_ = 0;
    return true;
  }
  // Where the polynomial of the last step ends at nonsense, an exponential of it drowns all else.
  if (is_ahead_) {
    jacobian_valid_ = extrapolate_ = false, rejected_ = true;
    return true;
  }
  if (options_.fixed_step > 0 || ++singular_in_a_row_ > 5) {
    const int column = current()->singular_column();
    return fail(
        Reason::singular_matrix,
        {"the matrix of Newton's iteration is singular",
         fmt::format(
             "{}{}", where(),
             column >= 0 ? fmt::format(": nothing determines {}", system_.variables[column]) : ""),
         "equations depend on each other, a variable occurs in none of them, or the "
         "constraints are singular at this point",
         "check for repeated or missing equations; redundant constraints of a mechanism, and those "
         "that become singular, are taken by dop853"});
  }
  h_ *= 0.5, reached_ = false;
  return true;
}

bool ImplicitStepper::rewind() {
  static_cast<ImplicitCourse&>(*this) = {};
  end_of_branch_.y.clear();
  control_ = {};
  OrderControl order;
  order.min_stages = order_.min_stages, order.max_stages = order_.max_stages;
  if (order_.is_eager) order.be_eager();
  order.is_steadfast = order_.is_steadfast;
  order_ = order;
  return Stepper::rewind();
}

}  // namespace daedalus
