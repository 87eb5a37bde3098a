#include "ivp/interpolant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "daedalus/method.h"

namespace daedalus {
namespace {

constexpr int samples = 64;  // of a step, for the largest value of a polynomial

}  // namespace

CollocationBasis::CollocationBasis(const Eigen::VectorXd& c) : polynomial_(c, true) {
  const int s = static_cast<int>(c.size());
  std::vector<double> product = {1.0};  // ascending powers of tau
  double at_zero = 1;
  for (int i = 0; i < s; ++i) {
    std::vector<double> next(product.size() + 1, 0.0);
    for (std::size_t k = 0; k < product.size(); ++k)
      next[k + 1] += product[k], next[k] -= c[i] * product[k];
    product = next;
    at_zero *= -c[i];
  }
  for (std::size_t k = 0; k < product.size(); ++k)
    integral_.push_back(product[k] / static_cast<double>(k + 1));
  // It must vanish at the end of the step. Where it does not (implicit Euler; Lobatto IIIA, whose
  // first stage is not among c), tau prod (tau - c_i) has the same slope at 0 and does.
  double at_end = 0;
  for (const double x : integral_) at_end += x;
  if (std::abs(at_end) > 1e-12) integral_ = product;
  for (int i = 1; i < samples; ++i)
    largest_ = std::max(largest_, std::abs(correction(static_cast<double>(i) / samples)));
  slope_factor_ = 1 / at_zero;
  // u'(0)/h: the basis of stage i is theta/c_i prod_{j != i} (theta - c_j)/(c_i - c_j).
  for (int i = 0; i < s; ++i) {
    double slope = 1 / c[i];
    for (int j = 0; j < s; ++j)
      if (j != i) slope *= -c[j] / (c[i] - c[j]);
    z_factor_.push_back(slope * slope_factor_);
  }
  weigh_terms(c);
}

/// Divided differences over (0, c_2, ..., c_s) and with c_1, times the largest value of
/// theta prod_{j>1} (theta - c_j) and of its product with theta - c_1.
void CollocationBasis::weigh_terms(const Eigen::VectorXd& c) {
  const Eigen::Index s = c.size();
  double largest = 0, largest_before = 0;
  for (int i = 0; i <= samples; ++i) {
    const double theta = static_cast<double>(i) / samples;
    double product = theta;
    for (Eigen::Index j = 1; j < s; ++j) product *= theta - c[j];
    largest_before = std::max(largest_before, std::abs(product));
    largest = std::max(largest, std::abs(product * (theta - c[0])));
  }
  largest_product_ = largest;
  for (Eigen::Index i = 0; i < s; ++i) {
    double product = c[i];
    for (Eigen::Index j = 1; j < s; ++j)
      if (j != i) product *= c[i] - c[j];
    last_term_.push_back(largest / (i == 0 ? product : product * (c[i] - c[0])));
    term_before_.push_back(i == 0 ? 0 : largest_before / product);
  }
}

double CollocationBasis::last_term_at(double theta) const {
  double product = theta;
  for (int i = 0; i < stages(); ++i) product *= theta - polynomial_.nodes()[i];
  return std::abs(product) / largest_product_;
}

double CollocationBasis::correction(double theta) const {
  double sum = 0;
  for (auto k = integral_.size(); k-- > 0;) sum = (sum + integral_[k]) * theta;
  return sum;
}

void CollocationBasis::weights(double theta, double* stage, double& correction) const {
  polynomial_.basis(theta, stage);
  correction = this->correction(theta);
}

double CollocationBasis::reach(double theta) const {
  return std::max(std::abs(correction(theta)), 4 * theta * (1 - theta) * largest_);
}

void Interpolant::evaluate(double t, double* y) const {
  const double h = t1 - t0, theta = (t - t0) / h;
  const double* y0 = data.data();
  const double* first = y0 + size;
  if (nested > 0) {
    for (int k = 0; k < size; ++k) {
      double value = first[(nested - 1) * size + k];
      for (int j = nested - 2; j >= 0; --j)
        value = first[j * size + k] + (j % 2 == 0 ? 1 - theta : theta) * value;
      y[k] = y0[k] + theta * value;
    }
    return;
  }
  if (!basis) {
    const double *y1 = first, *slope0 = y1 + size, *slope1 = slope0 + size;
    const double a = theta * theta * (3 - 2 * theta), b = theta * (1 - theta) * (1 - theta),
                 c = theta * theta * (theta - 1);
    for (int k = 0; k < size; ++k)
      y[k] = y0[k] + a * (y1[k] - y0[k]) + b * slope0[k] + c * slope1[k];
    return;
  }
  double weight[max_stages], correction = 0;
  const int s = basis->stages();
  basis->weights(theta, weight, correction);
  // Variables inside, several of them in one register.
  for (int k = 0; k < size; ++k) y[k] = correction * first[k];
  for (int i = 0; i < s; ++i) {
    const double* z = first + (i + 1) * size;
    const double w = weight[i];
    for (int k = 0; k < size; ++k) y[k] += w * z[k];
  }
  for (int k = 0; k < size; ++k) y[k] += y0[k];
}

void Interpolant::evaluate(double t, const std::vector<int>& variables, double* y) const {
  constexpr std::size_t few = 2;  // one of so many, for entries that are not next to each other
  if (!basis || nested > 0 || few * variables.size() > static_cast<std::size_t>(size))
    return evaluate(t, y);
  double weight[max_stages], correction = 0;
  const int s = basis->stages();
  basis->weights((t - t0) / (t1 - t0), weight, correction);
  for (const int k : variables) {
    const double* z = data.data() + size + k;
    double sum = correction * *z;
    for (int i = 0; i < s; ++i) sum += weight[i] * *(z += size);
    y[k] = sum + data[k];
  }
}

void Interpolant::nested_weights(const double* power, int degree, double* weight) {
  // Division in turn by theta and by 1 - theta.
  std::array<double, max_stages + 1> q = {};
  std::copy(power + 1, power + degree + 1, q.begin());
  for (int m = 0, top = degree - 1; m < degree; ++m, --top) {
    if (m % 2 == 0) {
      // q = q(1) + (1 - theta) r:  r_l = -(q_{l+1} + q_{l+2} + ...).
      double sum = 0;
      for (int l = top; l > 0; --l) {
        const double next = sum + q[static_cast<std::size_t>(l)];
        q[static_cast<std::size_t>(l)] = l == top ? 0 : -sum;
        sum = next;
      }
      weight[m] = sum + q[0];
      q[0] = top > 0 ? -sum : 0;
    } else {
      weight[m] = q[0];
      for (int l = 0; l < top; ++l)
        q[static_cast<std::size_t>(l)] = q[static_cast<std::size_t>(l) + 1];
      q[static_cast<std::size_t>(top)] = 0;
    }
  }
}

void Interpolant::start_slope(double* yp) const {
  const double h = t1 - t0;
  const double* first = data.data() + size;
  if (nested > 0) {
    for (int k = 0; k < size; ++k) yp[k] = (first[k] + first[size + k]) / h;
    return;
  }
  if (!basis) {
    for (int k = 0; k < size; ++k) yp[k] = first[size + k] / h;
    return;
  }
  const double* z = first + size;
  for (int k = 0; k < size; ++k) {
    double sum = first[k];
    for (int i = 0; i < basis->stages(); ++i) sum += basis->z_factor()[i] * z[i * size + k];
    yp[k] = sum / (h * basis->slope_factor());
  }
}

double Interpolant::error_size(double t, const double* weight) const {
  if (!basis || !corrected) return std::numeric_limits<double>::infinity();
  const double theta = (t - t0) / (t1 - t0), reach = basis->reach(theta);
  const double* const z = data.data() + 2 * size;
  double correction = 0, last = 0, before = 0;
  for (int k = 0; k < size; ++k) {
    double term = 0, lower = 0;
    for (int i = 0; i < basis->stages(); ++i) {
      term += basis->last_term()[i] * z[i * size + k];
      lower += basis->term_before()[i] * z[i * size + k];
    }
    correction = std::max(correction, std::abs(data[size + k]) * weight[k]);
    last = std::max(last, std::abs(term) * weight[k]);
    before = std::max(before, std::abs(lower) * weight[k]);
  }
  const double next = before > last ? last * last / before : last;
  // Stages are exact, and what is between them is off as the next term of the polynomial is: next
  // to the end of a step by more than a parabola would have it.
  const double part = std::max(4 * theta * (1 - theta), basis->last_term_at(theta));
  return std::max(reach * correction, part * next);
}

}  // namespace daedalus
