#pragma once
// A System from equations written once as a template over the scalar:
//   struct Equations { template <class S> void residual(const S& t, const S* y, const S* yp, S* r);
//   };
// and perhaps at several points with double, where that is less work: `residuals` as in System, and
// for F = E y' - f, `right_hand_sides` with `right_hand_side`, which code is made of if it
// `is_recordable`, and `take_from_rates`.
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "problem/require.h"
#include "problem/right_hand_side_code.h"
#include "problem/system.h"

namespace daedalus {

/// Workspace of fixed length for each scalar type.
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::size_t length) : length_(length) {}
  /// Made when first asked for: matrices of large motions are never needed by explicit steps.
  template <class S>
  S* of() const {
    auto& buffer = std::get<std::vector<S>>(buffers_);
    if (buffer.empty()) buffer.resize(length_);
    return buffer.data();
  }

 private:
  std::size_t length_ = 0;
  mutable std::tuple<std::vector<double>, std::vector<Dual>, std::vector<Expr>> buffers_;
};

template <class Equations>
class SystemOf final : public System {
 public:
  explicit SystemOf(Equations body) : body_(std::move(body)) {}

  void residual(double t, const double* y, const double* yp, double* r) const override {
    body_.residual(t, y, yp, r);
  }
  void residual(const Dual& t, const Dual* y, const Dual* yp, Dual* r) const override {
    body_.residual(t, y, yp, r);
  }
  void residuals(int points, int apart, const double* t, const double* y, const double* yp,
                 double* r) const override {
    if constexpr (requires { body_.take_from_rates(yp, r); }) {
      right_hand_sides(points, apart, t, y, r);
      for (int i = 0; i < points; ++i) body_.take_from_rates(yp + i * apart, r + i * apart);
    } else if constexpr (requires { body_.residuals(points, apart, t, y, yp, r); }) {
      body_.residuals(points, apart, t, y, yp, r);
    } else {
      System::residuals(points, apart, t, y, yp, r);
    }
  }

  void right_hand_sides(int points, int apart, const double* t, const double* y,
                        double* f) const override {
    if (code_ && points <= RightHandSideCode::most_points && code_->pays())
      return code_->values(points, apart, t, y, f);
    if constexpr (requires { body_.right_hand_sides(points, apart, t, y, f); })
      body_.right_hand_sides(points, apart, t, y, f);
  }
  void right_hand_side(const Dual& t, const Dual* y, Dual* f) const override {
    if constexpr (requires { body_.right_hand_side(t, y, f); }) body_.right_hand_side(t, y, f);
  }
  void take_from_rates(const double* yp, double* r) const override {
    if constexpr (requires { body_.take_from_rates(yp, r); }) body_.take_from_rates(yp, r);
  }

  void translate(const Findings& findings, double t, const double* y) override {
    if constexpr (requires { body_.is_recordable(); }) {
      if (size > largest_translated || !body_.is_recordable()) return;
      code_ = RightHandSideCode::of(
          size, [this](const Expr& at, const Expr* x, Expr* f) { body_.right_hand_side(at, x, f); },
          findings);
      if (code_) place_probe(t, y);
    }
  }
  bool code_holds() const override {
    if (!code_) return true;
    const auto n = static_cast<std::size_t>(size);
    ask_at_probe(2 * n);
    return std::memcmp(&probe_[n], &probe_[2 * n], n * sizeof(double)) == 0;
  }
  void forget_code() override { code_.reset(); }
  bool linearize(double t, const double* y, double* a) const override {
    if (code_) code_->minus_derivatives(t, y, a);
    return code_ != nullptr;
  }

 private:
  static constexpr int largest_translated = 24;  ///< whose Jacobians are dense in any case

  /// Beside y, where nothing vanishes that what a function holds is multiplied by.
  void place_probe(double t, const double* y) {
    const auto n = static_cast<std::size_t>(size);
    probe_.assign(3 * n, 0.0), probe_time_ = t;
    for (std::size_t j = 0; j < n; ++j)
      probe_[j] = y[j] + (1e-6 + 1e-9 * static_cast<double>(j)) * (1 + std::abs(y[j]));
    ask_at_probe(n);
  }
  void ask_at_probe(std::size_t place) const {
    if constexpr (requires(double* f) { body_.right_hand_sides(1, 1, f, f, f); })
      body_.right_hand_sides(1, size, &probe_time_, probe_.data(), probe_.data() + place);
  }

  Equations body_;
  std::unique_ptr<RightHandSideCode> code_;
  double probe_time_ = 0;
  mutable std::vector<double> probe_;  ///< a point, f there when code was made, and f now
};

/// From the functions that the equations consist of; those not given take no part.
template <class... F>
void set_differentiable(System& system, const F&... f) {
  system.differentiable = (... && (!f || f.is_differentiable()));
  system.time_differentiable = system.differentiable && (... && (!f || f.is_time_differentiable()));
}
/// Names given by the user, or the default ones; the message names the field.
Names names_or(const Names& given, Names defaults, const char* field);
/// "x1", "x2", ... (a single one has no number).
void append_numbered(Names& names, const std::string& stem, int count);
/// Facts every form shares; marks rows and variables [begin, end) as algebraic.
void set_size(System& system, int size);
void set_size(System& system, int size, Names equations);
void mark_algebraic_rows(System& system, int begin, int end);
void mark_algebraic_variables(System& system, int begin, int end, int index);
/// The level "algebraic": those rows of the residual.
void add_algebraic_level(System& system);
/// Shape and entries of a constant mass.
void require_mass(const Mass& mass, int size);

std::shared_ptr<System> make_linearly_implicit(const Problem& problem,
                                               const LinearlyImplicit& form);
std::shared_ptr<System> make_graph_system(const Problem& problem, const ExpressionGraph& form);
std::shared_ptr<System> make_mechanical(const Problem& problem, const Mechanical& form,
                                        Formulation formulation, double baumgarte_rate);

}  // namespace daedalus
