// Mechanical systems stated by functions; derivatives exact where the functions are generic.
#include <algorithm>
#include <cmath>
#include <optional>

#include "formulation/constraint_tapes.h"
#include "formulation/motion_equations.h"
#include "formulation/recorded_motion.h"
#include "formulation/straight_line.h"
#include "linear/kept_block.h"

namespace daedalus {
namespace {

class FunctionMotion final : public MotionEquations, public KeptBlock<FunctionMotion> {
 public:
  FunctionMotion(const Mechanical& form, bool solved_as_code, const Findings& findings)
      : form_(form),
        g_(form.holonomic > 0
               ? Differentiated<1>(form.constraint, {form.coordinates}, form.holonomic)
               : Differentiated<1>()),
        rolling_(form.nonholonomic > 0
                     ? Differentiated<2>(form.velocity_constraint,
                                         {form.coordinates, form.coordinates}, form.nonholonomic)
                     : Differentiated<2>()),
        third_(g_, form.coordinates) {
    coordinates = form.coordinates;
    position = form.holonomic, velocity = form.nonholonomic;
    constant_mass = form.mass.is_constant();
    const std::size_t n = static_cast<std::size_t>(coordinates);
    zero_.resize(n), shifted_.resize(n);
    own_positions_.resize(static_cast<std::size_t>(constraints()));
    // Derivatives of a record take a few operations, those by dual numbers a multiple of g.
    if (position > 0) recorded_ = RecordedMotion::of(form, solved_as_code, findings);
    if (recorded_) tapes_ = recorded_->tapes(), straight_ = recorded_->straight();
    if (tapes_ && velocity == 0) return;
    const std::size_t area = n * static_cast<std::size_t>(constraints());
    columns_.resize(area), ahead_.resize(area);
    dual_q_.resize(n), dual_v_.resize(n), dual_columns_.resize(area);
  }

  std::shared_ptr<MotionEquations> copy() const override {
    return std::make_shared<FunctionMotion>(*this);
  }

  /// Up to rounding, which compilers may have arranged in another way.
  bool agree(const StraightMotion::Point& at, const double* coded_force,
             const double* coded_positions, double reach) override {
    constexpr double rounding = 1e-10;
    const auto distance = [](const double* a, const double* b, int count) {
      double apart = 0;
      for (int j = 0; j < count; ++j) apart = std::max(apart, std::abs(a[j] - b[j]));
      return apart;
    };
    std::vector<double>& own = shifted_;
    std::fill(own.begin(), own.end(), 0.0);
    if (form_.force) force(at.t, at.q, at.v, own.data());
    double largest = 0;
    for (int j = 0; j < coordinates; ++j)
      largest = std::max(largest, std::max(std::abs(own[j]), std::abs(coded_force[j])));
    if (!(distance(own.data(), coded_force, coordinates) <= rounding * largest)) return false;
    if (position == 0) return true;
    positions(at.t, at.q, own_positions_.data());
    return distance(own_positions_.data(), coded_positions, position) <= rounding * reach;
  }
  void forget_code() override { straight_.reset(); }
  bool is_unchanged() const override { return recorded_ && recorded_->is_of(form_); }
  KnownStart* known_start(std::vector<double>&) override {
    return recorded_ ? recorded_->known_start() : nullptr;
  }

  void mass(double t, const double* q, MatrixOutput m) override {
    if (constant_mass)
      for (const Mass::Entry& e : form_.mass.entries(coordinates)) m(e.row, e.column) += e.value;
    else
      form_.mass.function()(t, {Input(q, coordinates)}, m);
  }

  void force(double t, const double* q, const double* v, double* f) override {
    form_.force(t, {Input(q, coordinates), Input(v, coordinates)}, Output(f, coordinates));
  }

  void jacobian(double t, const double* q, double* rows) override {
    if (tapes_) {
      tapes_->jacobian(t, q, rows);
    } else if (position > 0) {
      g_.jacobian<double>(t, {q}, 0, columns_.data());
      to_rows(position, rows, [&](int k) { return columns_[k]; });
    }
    if (velocity > 0) {
      rolling_.jacobian<double>(t, {q, zero_.data()}, 1, columns_.data());  // affine in v
      to_rows(velocity, rows + position * coordinates, [&](int k) { return columns_[k]; });
    }
  }

  void jacobian_rate(double t, const double* q, const double* v, double* rows) override {
    if (tapes_) tapes_->jacobian_rate(t, q, v, rows);
    if (tapes_ && velocity == 0) return;
    for (int j = 0; j < coordinates; ++j) dual_q_[j] = Dual(q[j]), dual_q_[j].d[0] = v[j];
    Dual time(t);
    time.d[0] = 1;
    const auto exact = [&](int k) { return dual_columns_[k].d[0]; };
    if (!tapes_ && position > 0) {
      if (g_.is_differentiable()) {
        g_.jacobian<Dual>(time, {dual_q_.data()}, 0, dual_columns_.data());
        to_rows(position, rows, exact);
      } else {
        differences(t, q, v, position, rows, [&](double at, const double* where, double* out) {
          g_.jacobian<double>(at, {where}, 0, out);
        });
      }
    }
    if (velocity > 0) {
      double* further = rows + position * coordinates;
      if (rolling_.is_differentiable()) {
        rolling_.jacobian<Dual>(time, {dual_q_.data(), dual_v_.data()}, 1, dual_columns_.data());
        to_rows(velocity, further, exact);
      } else {
        differences(t, q, v, velocity, further, [&](double at, const double* where, double* out) {
          rolling_.jacobian<double>(at, {where, zero_.data()}, 1, out);
        });
      }
    }
  }

  void positions(double t, const double* q, double* r) override {
    if (position > 0) g_.value<double>(t, {q}, r);
    std::fill(r + position, r + constraints(), 0.0);
  }
  void velocities(double t, const double* q, const double* v, double* r) override {
    if (tapes_)
      tapes_->derivative(1, t, q, v, r);
    else if (position > 0)
      g_.first<double>(t, {q}, {v}, r);
    if (velocity > 0) rolling_.value<double>(t, {q, v}, r + position);
  }
  void curvature(double t, const double* q, const double* v, double* r) override {
    if (tapes_)
      tapes_->derivative(2, t, q, v, r);
    else if (position > 0)
      g_.second(t, {q}, {v}, r);
    if (velocity > 0) rolling_.first<double>(t, {q, v}, {v, nullptr}, r + position);
  }
  void next_curvature(double t, const double* q, const double* v, double* r) override {
    if (tapes_)
      tapes_->derivative(3, t, q, v, r);
    else if (position > 0)
      third_(t, q, v, r);
    if (velocity > 0) rolling_.second(t, {q, v}, {v, nullptr}, r + position);
  }

 private:
  template <class Entry>
  void to_rows(int count, double* rows, Entry entry) const {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < coordinates; ++j) rows[j + i * coordinates] = entry(i + j * count);
  }

  template <class MatrixAt>
  void differences(double t, const double* q, const double* v, int count, double* rows,
                   MatrixAt matrix) {
    double speed = 1e-300, size = 1;
    for (int j = 0; j < coordinates; ++j)
      speed = std::max(speed, std::abs(v[j])), size = std::max(size, std::abs(q[j]));
    const double s = 1e-4 * size / speed;
    for (int j = 0; j < coordinates; ++j) shifted_[j] = q[j] + s * v[j];
    matrix(t + s, shifted_.data(), ahead_.data());
    for (int j = 0; j < coordinates; ++j) shifted_[j] = q[j] - s * v[j];
    matrix(t - s, shifted_.data(), columns_.data());
    to_rows(count, rows, [&](int k) { return (ahead_[k] - columns_[k]) / (2 * s); });
  }

  Mechanical form_;
  Differentiated<1> g_;
  Differentiated<2> rolling_;
  ThirdDerivative third_;
  std::optional<ConstraintTapes> tapes_;
  std::shared_ptr<const RecordedMotion> recorded_;  ///< null: that cannot be
  std::vector<double> zero_, shifted_, own_positions_, columns_, ahead_;
  std::vector<Dual> dual_q_, dual_v_, dual_columns_;
};

}  // namespace

std::unique_ptr<MotionEquations> motion_of(const Mechanical& form, bool solved_as_code,
                                           const Findings& findings) {
  return std::make_unique<FunctionMotion>(form, solved_as_code, findings);
}

}  // namespace daedalus
