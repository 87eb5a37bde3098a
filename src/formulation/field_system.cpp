#include "formulation/field_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();

/// F after pi; not a number where there is none.
class SmoothSlopes {
 public:
  explicit SmoothSlopes(std::shared_ptr<ProjectedField> field)
      : field_(std::move(field)), x_(static_cast<std::size_t>(field_->differential)) {}
  int size() const { return field_->differential; }
  void operator()(double t, const double* y, double* out) {
    std::copy(y, y + size(), x_.begin());
    if (!field_->project_stage(t, x_.data()) || !field_->slope(t, x_.data(), out))
      std::fill(out, out + size(), std::numeric_limits<double>::quiet_NaN());
  }

 private:
  std::shared_ptr<ProjectedField> field_;
  std::vector<double> x_;
};

/// Of x' - F(pi(x)), dense: by differences, and exactly the identity.
class FieldJacobian final : public OwnJacobian {
 public:
  explicit FieldJacobian(std::shared_ptr<SmoothSlopes> slopes)
      : slopes_(std::move(slopes)),
        base_(static_cast<std::size_t>(slopes_->size())),
        moved_(base_),
        moved_y_(base_) {}
  Sparsity pattern() const override {
    Sparsity all;
    for (int i = 0; i < slopes_->size(); ++i)
      for (int j = 0; j < slopes_->size(); ++j) all.push_back({i, j});
    return all;
  }
  void bind(const std::vector<int>&, const std::vector<int>&) override {}
  void evaluate(double t, const double* y, const double*, double* a, double* e) const override {
    const int n = slopes_->size();
    std::copy(y, y + n, moved_y_.begin());
    (*slopes_)(t, y, base_.data());
    for (int j = 0; j < n; ++j, a += n, e += n) {
      moved_y_[j] = y[j] + std::sqrt(unit_roundoff * std::max(1e-5, std::abs(y[j])));
      const double delta = moved_y_[j] - y[j];
      (*slopes_)(t, moved_y_.data(), moved_.data());
      moved_y_[j] = y[j];
      for (int i = 0; i < n; ++i) a[i] = -(moved_[i] - base_[i]) / delta, e[i] = i == j ? 1 : 0;
    }
  }

 private:
  std::shared_ptr<SmoothSlopes> slopes_;
  mutable std::vector<double> base_, moved_, moved_y_;
};

}  // namespace

std::shared_ptr<System> make_field_system(std::shared_ptr<ProjectedField> field) {
  const auto slopes = std::make_shared<SmoothSlopes>(std::move(field));
  Problem problem;
  problem.form = LinearlyImplicit{
      .size = slopes->size(),
      .f = [slopes](double t, Input y, Output out) { (*slopes)(t, y.data(), out.data()); }};
  std::shared_ptr<System> system = make_system(problem, Formulation::direct);
  system->own_jacobian = std::make_shared<FieldJacobian>(slopes);
  return system;
}

}  // namespace daedalus
