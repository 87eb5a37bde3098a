#include "problem/jacobian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "linear/large_pages.h"
#include "problem/findings.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

}  // namespace

Jacobian::Jacobian(System& system, LinearAlgebra wish, double t, const double* y, const double* yp,
                   const Findings& findings)
    : system_(system) {
  const int n = system.size;
  if (system.own_jacobian) {
    pattern_ = make_pattern(n, system.own_jacobian->pattern());
    choose_storage_for(wish, findings);
    system.own_jacobian->bind(pattern_.column_start, pattern_.row);
    return;
  }
  // A supplied Jacobian comes dense; a dense wish or a tiny system needs no pattern either.
  const bool stays_dense =
      bool(system.supplied_jacobian) || wish == LinearAlgebra::dense || n <= 24;
  if (system.sparsity && !stays_dense) {
    pattern_ = make_pattern(n, *system.sparsity);
    if (system.discover_rows) discover(t, y, yp, false);
  } else if (!stays_dense || system.discover_rows) {
    discover(t, y, yp, !stays_dense);
  }
  if (stays_dense) {
    pattern_ = dense_pattern(n);
  } else {
    choose_storage_for(wish, findings);
  }
  choose_colours();
  mass_known_ = false;
  if (system.supplied_jacobian) check_supplied(t, y, yp);
}

StorageChoice Jacobian::found_storage(const Findings& findings) const {
  struct Finding {
    Pattern pattern;
    StorageChoice choice;
  };
  StorageChoice made;
  const auto found = found_or_made<Finding>(
      findings,
      [&](const Finding& known) {
        return known.pattern.row == pattern_.row &&
               known.pattern.column_start == pattern_.column_start;
      },
      [&] {
        made = choose_storage(pattern_);
        // What is found by a look at the diagonals need not be kept.
        return made.work.plan ? std::make_shared<const Finding>(Finding{pattern_, made}) : nullptr;
      });
  return found ? found->choice : made;
}

void Jacobian::choose_storage_for(LinearAlgebra wish, const Findings& findings) {
  switch (wish) {
    case LinearAlgebra::automatic: {
      const StorageChoice choice = found_storage(findings);
      storage_ = choice.storage, direct_work_ = choice.work;
      break;
    }
    case LinearAlgebra::dense:
      storage_ = Storage::dense;
      break;
    case LinearAlgebra::banded:
      storage_ = Storage::banded;
      break;
    case LinearAlgebra::sparse:
      storage_ = Storage::sparse, direct_work_ = sparse_work(pattern_);
      break;
    case LinearAlgebra::krylov:
      storage_ = Storage::krylov;
      break;
  }
  if (storage_ == Storage::dense) pattern_ = dense_pattern(system_.size);
}

bool Jacobian::factors_are_dear() const {
  return storage_ == Storage::sparse && direct_work_.entries > 0 &&
         iterations_pay(pattern_, direct_work_);
}

/// Whoever moves a direction of y or y' moves it back, unless an evaluation ends by an exception.
void Jacobian::hold_point(const double* y, const double* yp) {
  const std::size_t n = static_cast<std::size_t>(system_.size);
  if (work_.seeded) work_.duals.clear();
  work_.seeded = work_.identity = work_.both = false;
  if (work_.duals.size() != 3 * n) {
    resize_large(work_.duals, 3 * n);
    work_.y = work_.duals.data(), work_.yp = work_.y + n, work_.r = work_.yp + n;
  }
  for (std::size_t i = 0; i < n; ++i) work_.y[i].value = y[i];
  for (std::size_t i = 0; i < n && yp; ++i) work_.yp[i].value = yp[i];
}

void Jacobian::Workspace::hold_values(int n) {
  for (auto* list : {&base, &moved_r, &moved, &delta}) list->resize(static_cast<std::size_t>(n));
}

void Jacobian::gather_in_one_round(Dual* seeded, double t, std::vector<double>& values) {
  const int n = system_.size;
  for (int j = 0; j < n; ++j) seeded[j].d[colour_[j]] = 1;
  system_.residual(Dual(t), work_.y, work_.yp, work_.r);
  for (int j = 0; j < n; ++j) {
    const int d = colour_[j];
    seeded[j].d[d] = 0;
    for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k)
      values[k] = work_.r[pattern_.row[k]].d[d];
  }
}

/// Of few variables the directions stay where they are from one point to the next.
void Jacobian::single_sweep(double t, const double* y, const double* yp,
                            std::vector<double>& values) {
  const int n = colours_;
  if (!work_.identity) {
    hold_point(y, yp);
    for (int j = 0; j < n; ++j) work_.y[j].d[j] = 1;
    work_.seeded = work_.identity = true;
  } else {
    for (int i = 0; i < n; ++i) work_.y[i].value = y[i], work_.yp[i].value = yp[i];
  }
  double* value = values.data();
  if (system_.knows_right_hand_side) {
    system_.right_hand_side(Dual(t), work_.y, work_.r);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) *value++ = -work_.r[i].d[j];
    return;
  }
  system_.residual(Dual(t), work_.y, work_.yp, work_.r);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) *value++ = work_.r[i].d[j];
}

bool Jacobian::has_directions_for_both() const {
  return system_.differentiable && !system_.constant_mass && !system_.supplied_jacobian &&
         has_own_colours_ && 2 * colours_ <= dual_directions;
}

void Jacobian::double_sweep(double t, const double* y, const double* yp, std::vector<double>& a,
                            std::vector<double>& e) {
  const int n = colours_;
  if (!work_.both) {
    hold_point(y, yp);
    for (int j = 0; j < n; ++j) work_.y[j].d[j] = work_.yp[j].d[n + j] = 1;
    work_.seeded = work_.both = true;
  } else {
    for (int i = 0; i < n; ++i) work_.y[i].value = y[i], work_.yp[i].value = yp[i];
  }
  system_.residual(Dual(t), work_.y, work_.yp, work_.r);
  double *in_a = a.data(), *in_e = e.data();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) *in_a++ = work_.r[i].d[j], *in_e++ = work_.r[i].d[n + j];
}

void Jacobian::exact_sweep(double t, const double* y, const double* yp, bool wrt_yp,
                           std::vector<double>& values) {
  hold_point(y, system_.constant_mass && !wrt_yp ? nullptr : yp);  // dF/dy does not see y'
  Dual* const seeded = wrt_yp ? work_.yp : work_.y;
  work_.seeded = true;
  if (!colour_.empty()) gather_in_one_round(seeded, t, values);
  for (int first = 0; first < colours_ && colour_.empty(); first += dual_directions) {
    const int width = std::min(dual_directions, colours_ - first);
    for (int d = 0; d < width; ++d)
      for (int j : columns_of(first + d)) seeded[j].d[d] = 1;
    system_.residual(Dual(t), work_.y, work_.yp, work_.r);
    if (has_own_colours_) {
      for (int d = 0; d < width; ++d) {
        seeded[first + d].d[d] = 0;
        double* const column = values.data() + static_cast<std::ptrdiff_t>(first + d) * colours_;
        for (int i = 0; i < colours_; ++i) column[i] = work_.r[i].d[d];
      }
      continue;
    }
    for (int d = 0; d < width; ++d)
      for (int j : columns_of(first + d)) {
        seeded[j].d[d] = 0;
        for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k)
          values[k] = work_.r[pattern_.row[k]].d[d];
      }
  }
  work_.seeded = false;
}

/// Of E y' - f with E known, no rounding of f comes into E: code that splits off rates solves with
/// E itself, not only with a matrix near to it.
void Jacobian::difference_sweep(double t, const double* y, const double* yp, bool wrt_yp,
                                std::vector<double>& values) {
  const int n = system_.size;
  work_.hold_values(n);
  const bool knows_mass = wrt_yp && system_.knows_right_hand_side;
  const auto residual = [&](const double* at_y, const double* at_yp, double* r) {
    if (!knows_mass) return system_.residual(t, at_y, at_yp, r);
    std::fill_n(r, n, 0.0);
    system_.take_from_rates(at_yp, r);
  };
  const double* origin = wrt_yp ? yp : y;
  std::copy(origin, origin + n, work_.moved.begin());
  if (knows_mass) std::fill(work_.moved.begin(), work_.moved.end(), 0.0);
  residual(y, knows_mass ? work_.moved.data() : yp, work_.base.data());
  for (int colour = 0; colour < colours_; ++colour) {
    for (int j : columns_of(colour)) {
      // Linear in y': any increment is exact, and 1 loses no digits.
      work_.delta[j] = wrt_yp && system_.constant_mass
                           ? 1.0
                           : std::sqrt(unit_roundoff * std::max(1e-5, std::abs(origin[j])));
      const double here = work_.moved[j];
      work_.moved[j] = here + work_.delta[j];
      work_.delta[j] = work_.moved[j] - here;
    }
    residual(wrt_yp ? y : work_.moved.data(), wrt_yp ? work_.moved.data() : yp,
             work_.moved_r.data());
    for (int j : columns_of(colour)) {
      work_.moved[j] = knows_mass ? 0.0 : origin[j];
      for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k)
        values[k] = (work_.moved_r[pattern_.row[k]] - work_.base[pattern_.row[k]]) / work_.delta[j];
    }
  }
}

void Jacobian::sweep(double t, const double* y, const double* yp, bool wrt_yp,
                     std::vector<double>& values) {
  if (system_.differentiable && !wrt_yp && has_own_colours_ && colours_ <= dual_directions &&
      system_.constant_mass)
    single_sweep(t, y, yp, values);
  else if (system_.differentiable)
    exact_sweep(t, y, yp, wrt_yp, values);
  else
    difference_sweep(t, y, yp, wrt_yp, values);
}

bool Jacobian::all_finite(const std::vector<double>& values) {
  const Eigen::Map<const Vector> all(values.data(), std::ssize(values));
  if ((all - all).sum() == 0) return true;  // else some x - x is not a number
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k])) return nonfinite_row_ = pattern_.row[k], false;
  return true;
}

/// sqrt(h) of a tank that is empty has no derivative, and the tank is filled all the same. Newton's
/// iteration asks for a matrix that is near, so that of a point beside serves: on the way, or to
/// one side of all variables, of each by another part of its size, lest differences stay zero.
bool Jacobian::evaluate(double t, const double* y, const double* yp, Pencil& pencil) {
  if (evaluate_at(t, y, yp, pencil)) return true;
  constexpr double golden = 0.6180339887498949;
  const int row = nonfinite_row_;
  const auto n = static_cast<std::size_t>(system_.size);
  std::vector<double> beside(n);
  for (const double side : {0.0, 1.0, -1.0}) {
    for (std::size_t j = 0; j < n; ++j) {
      const double turns = golden * static_cast<double>(j), part = 1 + (turns - std::floor(turns));
      beside[j] =
          y[j] + std::copysign(part * std::sqrt(unit_roundoff) * std::max(1e-3, std::abs(y[j])),
                               side == 0 ? yp[j] : side);
    }
    if (evaluate_at(t, beside.data(), yp, pencil)) return true;
  }
  nonfinite_row_ = row;
  return false;
}

bool Jacobian::evaluate_at(double t, const double* y, const double* yp, Pencil& pencil) {
  nonfinite_row_ = -1;
  if (system_.own_jacobian) {
    system_.own_jacobian->evaluate(t, y, yp, pencil.a.data(), pencil.e.data());
    pencil.condense();
    return all_finite(pencil.a) && all_finite(pencil.e);
  }
  if (has_directions_for_both()) {
    double_sweep(t, y, yp, pencil.a, pencil.e);
    pencil.condense();
    pencil.has_constant_e = false;
    return all_finite(pencil.a) && all_finite(pencil.e);
  }
  if (system_.supplied_jacobian) {
    system_.supplied_jacobian(t, y, yp, pencil.a.data(), pencil.e.data());
  } else if (!system_.linearize(t, y, pencil.a.data())) {
    sweep(t, y, yp, false, pencil.a);
  }
  const bool finite = fill_mass(t, y, yp, pencil);
  pencil.condense();
  if (!all_finite(pencil.a) || !finite) return false;
  pencil.has_constant_e = system_.constant_mass;
  return true;
}

bool Jacobian::evaluate_mass(double t, const double* y, const double* yp, Pencil& pencil) {
  if (system_.own_jacobian || system_.supplied_jacobian) return evaluate_at(t, y, yp, pencil);
  nonfinite_row_ = -1;
  return fill_mass(t, y, yp, pencil);
}

bool Jacobian::fill_mass(double t, const double* y, const double* yp, Pencil& pencil) {
  const bool own_mass = !system_.supplied_jacobian || system_.constant_mass;
  if (system_.constant_mass && pencil.has_constant_e && mass_known_) return true;
  if (own_mass && !(system_.constant_mass && mass_known_)) {
    sweep(t, y, yp, true, pencil.e);
    if (system_.constant_mass) constant_e_ = pencil.e, mass_known_ = true;
  } else if (system_.constant_mass) {
    std::copy(constant_e_.begin(), constant_e_.end(), pencil.e.begin());
  }
  return all_finite(pencil.e);
}

void Jacobian::time_derivative(double t, const double* y, const double* yp, double* out) {
  const int n = system_.size;
  if (system_.time_derivative(t, y, yp, out)) return;
  if (system_.time_differentiable) {
    hold_point(y, yp);
    Dual time(t);
    time.d[0] = 1;
    system_.residual(time, work_.y, work_.yp, work_.r);
    for (int i = 0; i < n; ++i) out[i] = work_.r[i].d[0];
    return;
  }
  work_.hold_values(n);
  const double s = 1e-6 * std::max(1e-3, std::abs(t));
  system_.residual(t + s, y, yp, work_.base.data());
  system_.residual(t - s, y, yp, work_.moved_r.data());
  for (int i = 0; i < n; ++i) out[i] = (work_.base[i] - work_.moved_r[i]) / (2 * s);
}

void Jacobian::check_supplied(double t, const double* y, const double* yp) {
  const int n = system_.size;
  std::vector<double> a(static_cast<std::size_t>(n) * n), e = a, our_a = a, our_e = a;
  sweep(t, y, yp, false, our_a);
  sweep(t, y, yp, true, our_e);
  system_.supplied_jacobian(t, y, yp, a.data(), e.data());
  const double tolerance = system_.differentiable ? 1e-6 : 1e-3;
  const auto compare = [&](const std::vector<double>& given, const std::vector<double>& ours,
                           const char* suffix) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        double scale = 0;
        for (int k = 0; k < n; ++k)
          scale = std::max(scale, std::abs(ours[i + static_cast<std::size_t>(k) * n]));
        const double x = given[i + static_cast<std::size_t>(j) * n];
        const double o = ours[i + static_cast<std::size_t>(j) * n];
        require(std::abs(x - o) <= tolerance * std::max(scale, 1e-10),
                "the supplied Jacobian disagrees with the equations at the start: the "
                "derivative of {} with respect to {}{} is given as {:.10g}, but is "
                "{:.10g} (as part of F = M y' - f, so -df/dy)",
                system_.equations[i], system_.variables[j], suffix, x, o);
      }
  };
  compare(a, our_a, "");
  if (!system_.constant_mass) compare(e, our_e, "'");
}

std::string Jacobian::description() const {
  if (system_.own_jacobian) return "exact (symbolic)";
  if (system_.supplied_jacobian) return "supplied by the user, checked at the start";
  return fmt::format("{}, {} colours for {} columns",
                     system_.differentiable ? "exact (forward differentiation)" : "differences",
                     colours_, system_.size);
}

}  // namespace daedalus
