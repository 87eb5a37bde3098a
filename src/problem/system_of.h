#pragma once
// A System from equations written once as a template over the scalar:
//   struct Equations { template <class S> void residual(const S& t, const S* y, const S* yp, S* r);
//   };
// and perhaps at several points with double, where that is less work: `residuals` as in System.
#include <tuple>
#include <utility>
#include <vector>

#include "problem/require.h"
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
  mutable std::tuple<std::vector<double>, std::vector<Dual>> buffers_;
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
    if constexpr (requires { body_.residuals(points, apart, t, y, yp, r); })
      body_.residuals(points, apart, t, y, yp, r);
    else
      System::residuals(points, apart, t, y, yp, r);
  }

 private:
  Equations body_;
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
