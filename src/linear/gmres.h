#pragma once
// Solutions of A w = r from products with A alone: the least residual in the Krylov space of r.
// [SaadSchultz1986]
#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/small_vectors.h"

namespace daedalus {

class Gmres {
 public:
  explicit Gmres(int size)
      : m_(size),
        most_(std::min(size, 40)),
        basis_(static_cast<std::size_t>((most_ + 1) * size)),
        matrix_(static_cast<std::size_t>((most_ + 1) * most_)),
        right_(static_cast<std::size_t>(most_ + 1)),
        cosine_(static_cast<std::size_t>(most_)),
        sine_(static_cast<std::size_t>(most_)) {}

  /// Until the residual is `relative` times |r|, or the space is exhausted.
  template <class Product>
  void solve(Product product, const double* r, double relative, double* w) {
    std::fill(w, w + m_, 0.0);
    const double size = norm(r, m_);
    if (!(size > 0)) return;
    for (int i = 0; i < m_; ++i) basis(0)[i] = r[i] / size;
    right_[0] = size;
    int k = 0;
    for (; k < most_ && std::abs(right_[k]) > relative * size; ++k) extend(product, k);
    for (int i = k - 1; i >= 0; --i) {
      for (int j = i + 1; j < k; ++j) right_[i] -= entry(i, j) * right_[j];
      right_[i] = entry(i, i) != 0 ? right_[i] / entry(i, i) : 0;
    }
    for (int j = 0; j < k; ++j)
      for (int i = 0; i < m_; ++i) w[i] += right_[j] * basis(j)[i];
  }

 private:
  double* basis(int k) { return basis_.data() + static_cast<std::ptrdiff_t>(k) * m_; }
  double& entry(int i, int j) { return matrix_[static_cast<std::size_t>(i + j * (most_ + 1))]; }

  /// One more vector of the space, and the rotation that makes its column triangular.
  template <class Product>
  void extend(Product& product, int k) {
    double* next = basis(k + 1);
    product(basis(k), next);
    for (int i = 0; i <= k; ++i) {
      entry(i, k) = dot(basis(i), next, m_);
      for (int j = 0; j < m_; ++j) next[j] -= entry(i, k) * basis(i)[j];
    }
    const double rest = norm(next, m_);
    for (int j = 0; rest > 0 && j < m_; ++j) next[j] /= rest;
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

  int m_, most_;
  std::vector<double> basis_, matrix_, right_, cosine_, sine_;
};

}  // namespace daedalus
