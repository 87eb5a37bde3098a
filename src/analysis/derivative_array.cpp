#include "analysis/derivative_array.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <Eigen/SVD>

#include "nonlinear/nearest_point.h"

namespace daedalus {
namespace {

constexpr int most_unknowns = 600;
constexpr double rank_threshold = 1e-12;

class DerivativeArray final : public PointEquations {
 public:
  DerivativeArray(const EquationSet& equations, double t, const double* discrete, int depth)
      : n_(equations.rows()), depth_(depth), t_(t), discrete_(discrete) {
    std::vector<int> orders;
    for (int k = 0; k <= depth + 1; ++k) orders.push_back(k);
    for (int k = 0; k <= depth; ++k) {
      sets_.push_back(
          std::make_unique<EquationSet>(k == 0 ? equations : sets_.back()->differentiated()));
      jacobians_.push_back(std::make_unique<EquationJacobian>(*sets_.back(), orders));
    }
  }

  int rows() const { return n_ * (depth_ + 1); }
  int unknowns() const { return n_ * (depth_ + 2); }

  void evaluate(const double* x, double* r) const override {
    const std::vector<const double*> levels = levels_of(x);
    for (const auto& set : sets_) {
      set->residual({t_, levels.data(), discrete_}, r);
      r += n_;
    }
  }
  void linearize(const double* x, double* jacobian) const override {
    const std::vector<const double*> levels = levels_of(x);
    Eigen::Map<Matrix> out(jacobian, rows(), unknowns());
    out.setZero();
    std::vector<double> values;
    for (int k = 0; k <= depth_; ++k) {
      const EquationJacobian& part = *jacobians_[static_cast<std::size_t>(k)];
      values.resize(part.entries().size());
      part.evaluate({t_, levels.data(), discrete_}, values.data());
      for (std::size_t e = 0; e < values.size(); ++e) {
        const auto& place = part.entries()[e];
        out(k * n_ + place.row, place.order * n_ + place.variable) += values[e];
      }
    }
  }

 private:
  std::vector<const double*> levels_of(const double* x) const {
    std::vector<const double*> levels;
    for (int k = 0; k <= depth_ + 1; ++k) levels.push_back(x + static_cast<std::ptrdiff_t>(k) * n_);
    return levels;
  }

  int n_, depth_;
  double t_;
  const double* discrete_;
  std::vector<std::unique_ptr<EquationSet>> sets_;
  std::vector<std::unique_ptr<EquationJacobian>> jacobians_;
};

/// Rows and columns of length about 1, so that units do not decide the rank.
void equilibrate(Matrix& a) {
  for (int pass = 0; pass < 4; ++pass) {
    for (int i = 0; i < a.rows(); ++i)
      if (const double size = a.row(i).norm(); size > 0) a.row(i) /= size;
    for (int j = 0; j < a.cols(); ++j)
      if (const double size = a.col(j).norm(); size > 0) a.col(j) /= size;
  }
}

int rank_of(const Eigen::BDCSVD<Matrix>& svd) {
  const Vector& s = svd.singularValues();
  return static_cast<int>((s.array() > rank_threshold * std::max(s[0], 1e-300)).count());
}

/// A time in which variables change by about their size: units of seconds or of years must not
/// decide the rank of derivatives of any order.
double time_scale(const EquationSet& equations, const Point& point,
                  const std::vector<double>& scale) {
  const auto [entries, values] = JacobianAt(equations, {0, 1}, point);
  Matrix size = Matrix::Zero(equations.rows(), 2);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& e = entries[k];
    double& own = size(e.row, e.order);
    own = std::max(own, std::abs(values[k]) * scale[e.variable]);
  }
  double sum = 0;
  int count = 0;
  for (int i = 0; i < size.rows(); ++i)
    if (size(i, 0) > 0 && size(i, 1) > 0) sum += std::log(size(i, 1) / size(i, 0)), ++count;
  return count > 0 && std::isfinite(sum) ? std::exp(sum / count) : 1.0;
}

}  // namespace

std::optional<ArrayIndex> array_index(const EquationSet& equations, double t,
                                      const double* discrete, std::vector<double>& y,
                                      std::vector<double>& yp, const std::vector<char>& held,
                                      const std::vector<double>& scale, int highest) {
  const int n = equations.rows();
  const double* point[] = {y.data(), yp.data()};
  const double tau = time_scale(equations, {t, point, discrete}, scale);
  for (int depth = 0; depth <= highest && n * (depth + 2) <= most_unknowns; ++depth) {
    const DerivativeArray array(equations, t, discrete, depth);
    std::vector<double> x(static_cast<std::size_t>(array.unknowns()), 0.0), size, freedom;
    std::copy(y.begin(), y.end(), x.begin());
    std::copy(yp.begin(), yp.end(), x.begin() + n);
    for (int k = 0; k <= depth + 1; ++k)
      for (int j = 0; j < n; ++j) {
        size.push_back(scale[j] * std::pow(tau, -k));
        freedom.push_back(k > 0 ? 1e3 : held[j] ? 0.0 : 1.0);
      }
    NearestPoint solver(array.rows(), size, freedom, 1e-12);
    if (!solver.solve(array, x.data(), 40)) return std::nullopt;
    std::copy(x.begin(), x.begin() + n, y.begin());
    std::copy(x.begin() + n, x.begin() + 2 * n, yp.begin());
    Matrix all(array.rows(), array.unknowns());
    array.linearize(x.data(), all.data());
    for (int j = 0; j < all.cols(); ++j) all.col(j) *= size[static_cast<std::size_t>(j)];
    equilibrate(all);
    const Matrix derivatives = all.rightCols(all.cols() - n);
    const Eigen::BDCSVD<Matrix> svd(derivatives, Eigen::ComputeFullV);
    const int rank = rank_of(svd);
    const int nullity = static_cast<int>(derivatives.cols()) - rank;
    // y' is determined where no direction that changes nothing moves it.
    const bool determined =
        nullity == 0 || svd.matrixV().rightCols(nullity).topRows(n).norm() <= 1e-6;
    if (!determined) continue;
    const int constraints = rank_of(Eigen::BDCSVD<Matrix>(all)) - rank;
    return ArrayIndex{depth, n - constraints};
  }
  return std::nullopt;
}

}  // namespace daedalus
