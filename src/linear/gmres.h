#pragma once
// Solutions of A w = r from products with A alone: the least residual in the Krylov space of r.
// [SaadSchultz1986]
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "linear/long_vectors.h"

namespace daedalus {

class Gmres {
 public:
  static constexpr int usual_space = 40;

  explicit Gmres(int size, int space = usual_space)
      : m_(static_cast<std::size_t>(size)),
        most_(std::min(size, space)),
        // Large, and mostly not needed: no page of it is touched before its time.
        basis_(new double[static_cast<std::size_t>(most_ + 1) * m_]),
        matrix_(static_cast<std::size_t>((most_ + 1) * most_)),
        right_(static_cast<std::size_t>(most_ + 1)),
        cosine_(static_cast<std::size_t>(most_)),
        sine_(static_cast<std::size_t>(most_)) {}

  /// A workspace has nothing to copy but its size.
  Gmres(const Gmres& other) : Gmres(static_cast<int>(other.m_), other.most_) {}
  Gmres& operator=(const Gmres&) = delete;

  struct Outcome {
    int iterations = 0;
    double residual = 0;  ///< what is left of |r|
  };

  /// Until the residual is `relative` times |r| or `enough`, or the space is exhausted.
  template <class Product>
  Outcome solve(Product product, const double* r, double relative, double* w, double enough = 0) {
    std::fill(w, w + m_, 0.0);
    const double size = long_norm(r, m_);
    if (!(size > enough)) return {0, size};
    for (std::size_t i = 0; i < m_; ++i) basis(0)[i] = r[i] / size;
    right_[0] = size;
    int k = 0;
    const double target = std::max(relative * size, enough);
    for (; k < most_ && std::abs(right_[k]) > target; ++k) extend(product, k);
    const Outcome outcome = {k, std::abs(right_[k])};
    for (int i = k - 1; i >= 0; --i) {
      for (int j = i + 1; j < k; ++j) right_[i] -= entry(i, j) * right_[j];
      right_[i] = entry(i, i) != 0 ? right_[i] / entry(i, i) : 0;
    }
    for (int j = 0; j < k; ++j) {
      const double part = right_[j];
      const double* direction = basis(j);
      for (std::size_t i = 0; i < m_; ++i) w[i] += part * direction[i];
    }
    return outcome;
  }

 private:
  double* basis(int k) { return basis_.get() + static_cast<std::size_t>(k) * m_; }
  double& entry(int i, int j) { return matrix_[static_cast<std::size_t>(i + j * (most_ + 1))]; }

  /// One more vector of the space, and the rotation that makes its column triangular.
  template <class Product>
  void extend(Product& product, int k) {
    double* next = basis(k + 1);
    product(basis(k), next);
    for (int i = 0; i <= k; ++i) {
      const double* before = basis(i);
      const double part = entry(i, k) = long_dot(before, next, m_);
      for (std::size_t j = 0; j < m_; ++j) next[j] -= part * before[j];
    }
    const double rest = long_norm(next, m_);
    const double inverse = rest > 0 ? 1 / rest : 0;
    for (std::size_t j = 0; j < m_; ++j) next[j] *= inverse;
    for (int i = 0; i < k; ++i) {
      const double a = entry(i, k), b = entry(i + 1, k);
      entry(i, k) = cosine_[i] * a + sine_[i] * b;
      entry(i + 1, k) = cosine_[i] * b - sine_[i] * a;
    }
    const double length = std::hypot(entry(k, k), rest);
    cosine_[k] = length > 0 ? entry(k, k) / length : 1, sine_[k] = length > 0 ? rest / length : 0;
    entry(k, k) = length;
    right_[k + 1] = -sine_[k] * right_[k];
    right_[k] *= cosine_[k];
  }

  std::size_t m_;
  int most_;
  std::unique_ptr<double[]> basis_;
  std::vector<double> matrix_, right_, cosine_, sine_;
};

}  // namespace daedalus
