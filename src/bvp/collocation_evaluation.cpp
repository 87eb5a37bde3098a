// The rows of a collocation system and their derivatives, at several times at once.
#include <algorithm>

#include "bvp/collocation_system.h"

namespace daedalus::bvp {

void CollocationSystem::residuals(const SlotPoints& at, double* r, Scratch& scratch) const {
  for (int i = 0; i < rows(); ++i) std::fill_n(r + i * at.stride, at.count, 0.0);
  for (const SlotEquations& part : parts_) part.add_residuals(at, r, scratch);
  for (const Identity& i : identities_)
    for (int p = 0; p < at.count; ++p)
      r[i.row * at.stride + p] +=
          at.s[i.a * at.stride + p] - (i.b < 0 ? 0.0 : at.s[i.b * at.stride + p]);
  add_multipliers(at, r, nullptr, scratch);
  add_eliminated(at, r, nullptr, scratch);
}

void CollocationSystem::jacobians(const SlotPoints& at, const JacobianPlaces& to,
                                  Scratch& scratch) const {
  for (const SlotEquations& part : parts_) part.add_jacobians(at, to, scratch);
  for (const Identity& i : identities_)
    for (int p = 0; p < at.count; ++p) {
      to(p, i.row, i.a) += 1;
      if (i.b >= 0) to(p, i.row, i.b) -= 1;
    }
  add_multipliers(at, nullptr, &to, scratch);
  add_eliminated(at, nullptr, &to, scratch);
}

void CollocationSystem::residual(double t, const double* s, double* r, Scratch& scratch) const {
  residuals({1, 1, &t, s}, r, scratch);
}

void CollocationSystem::jacobian(double t, const double* s, Matrix& j, Scratch& scratch) const {
  j.setZero();
  jacobians({1, 1, &t, s}, {j.data(), 0, 1, static_cast<int>(j.rows())}, scratch);
}

/// - g_x^T mu. Its derivative in x is left out of the Jacobian: mu vanishes with the mesh size.
void CollocationSystem::add_multipliers(const SlotPoints& at, double* r, const JacobianPlaces* j,
                                        Scratch& scratch) const {
  for (const MultiplierTerm& term : multipliers_) {
    const int count = term.constraints.rows();
    Matrix gradient = Matrix::Zero(count, slots() * at.count);
    term.constraints.add_jacobians(at, {gradient.data(), count * slots(), 1, count}, scratch);
    for (int p = 0; p < at.count; ++p)
      for (std::size_t c = 0; c < term.target.size(); ++c)
        for (int k = 0; k < count; ++k) {
          const double d = gradient(k, p * slots() + term.column[c]);
          const int mu = term.multiplier + k;
          if (r) r[term.target[c] * at.stride + p] -= d * at.s[mu * at.stride + p];
          if (j) (*j)(p, term.target[c], mu) -= d;
        }
  }
}

void CollocationSystem::add_eliminated(const SlotPoints& at, double* r, const JacobianPlaces* j,
                                       Scratch& scratch) const {
  if (eliminated_.empty()) return;
  std::vector<double> closed(static_cast<std::size_t>(slots()));
  for (int p = 0; p < at.count; ++p) {
    for (int slot = 0; slot < slots(); ++slot)
      closed[static_cast<std::size_t>(slot)] = at.s[slot * at.stride + p];
    closure.solve(at.t[p], closed.data(), scratch);
    const Matrix derivative = j ? closure.derivative(at.t[p], closed.data(), scratch) : Matrix();
    for (std::size_t k = 0; k < eliminated_.size(); ++k) {
      const int slot = closure.unknowns()[k], row = eliminated_[k];
      if (r)
        r[row * at.stride + p] +=
            at.s[slot * at.stride + p] - closed[static_cast<std::size_t>(slot)];
      if (!j) continue;
      (*j)(p, row, slot) += 1;
      for (int z = 0; z < states_; ++z) (*j)(p, row, z) -= derivative(static_cast<int>(k), z);
    }
  }
}

}  // namespace daedalus::bvp
