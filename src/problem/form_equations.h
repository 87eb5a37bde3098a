#pragma once
// The forms as F(t, y, y') = 0, written once for every scalar: Systems evaluate them with double
// and Dual, recording with Expr. Those that are E y' - f(t, y) with constant E tell f as well.
#include "daedalus/function.h"

namespace daedalus {

struct FullyImplicitEquations {
  Function<2> f;
  int size;
  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    f(t, {InputOf<S>(y, size), InputOf<S>(yp, size)}, OutputOf<S>(r, size));
  }
  void residuals(int points, int apart, const double* t, const double* y, const double* yp,
                 double* r) const {
    f.at_points(points, apart, t, {Input(y, size), Input(yp, size)}, Output(r, size));
  }
};

/// mass_z z' = g with mass_z = epsilon or 0 beside y' = f.
struct SemiExplicitEquations {
  Function<2> f, g;
  int differential, algebraic;
  double epsilon;
  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    right_hand_side(t, y, r);
    take_from_rates(yp, r);
  }
  template <class S>
  void right_hand_side(const S& t, const S* y, S* out) const {
    const int n = differential;
    const std::array<InputOf<S>, 2> in = {InputOf<S>(y, n), InputOf<S>(y + n, algebraic)};
    if (n > 0) f(t, in, OutputOf<S>(out, n));
    if (algebraic > 0) g(t, in, OutputOf<S>(out + n, algebraic));
  }
  bool is_recordable() const {
    return (differential == 0 || f.is_recordable()) && (algebraic == 0 || g.is_recordable());
  }
  void right_hand_sides(int points, int apart, const double* t, const double* y,
                        double* out) const {
    const int n = differential;
    const std::array<Input, 2> in = {Input(y, n), Input(y + n, algebraic)};
    if (n > 0) f.at_points(points, apart, t, in, Output(out, n));
    if (algebraic > 0) g.at_points(points, apart, t, in, Output(out + n, algebraic));
  }
  /// r = E y' - r, here and below.
  template <class S>
  void take_from_rates(const S* yp, S* r) const {
    const int n = differential;
    for (int i = 0; i < n; ++i) r[i] = yp[i] - r[i];
    for (int i = n; i < n + algebraic; ++i) r[i] = epsilon * yp[i] - r[i];
  }
};

struct Hessenberg2Equations {
  Function<2> f;
  Function<1> g;
  int differential, algebraic;
  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    right_hand_side(t, y, r);
    take_from_rates(yp, r);
  }
  template <class S>
  void right_hand_side(const S& t, const S* y, S* out) const {
    const int n = differential;
    f(t, {InputOf<S>(y, n), InputOf<S>(y + n, algebraic)}, OutputOf<S>(out, n));
    g(t, {InputOf<S>(y, n)}, OutputOf<S>(out + n, algebraic));
  }
  bool is_recordable() const { return f.is_recordable() && g.is_recordable(); }
  void right_hand_sides(int points, int apart, const double* t, const double* y,
                        double* out) const {
    const int n = differential;
    f.at_points(points, apart, t, {Input(y, n), Input(y + n, algebraic)}, Output(out, n));
    g.at_points(points, apart, t, {Input(y, n)}, Output(out + n, algebraic));
  }
  template <class S>
  void take_from_rates(const S* yp, S* r) const {
    for (int i = 0; i < differential; ++i) r[i] = yp[i] - r[i];
    for (int i = differential; i < differential + algebraic; ++i) r[i] = -r[i];
  }
};

struct Hessenberg3Equations {
  Function<2> f;
  Function<3> k;
  Function<1> g;
  int ny, nz, nu;
  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    const InputOf<S> position(y, ny), velocity(y + ny, nz), multiplier(y + ny + nz, nu);
    f(t, {position, velocity}, OutputOf<S>(r, ny));
    k(t, {position, velocity, multiplier}, OutputOf<S>(r + ny, nz));
    g(t, {position}, OutputOf<S>(r + ny + nz, nu));
    for (int i = 0; i < ny + nz; ++i) r[i] = yp[i] - r[i];
    for (int i = ny + nz; i < ny + nz + nu; ++i) r[i] = -r[i];
  }
};

struct HigherOrderEquations {
  Function<2> f, g;
  int order, size, algebraic;
  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    const int n = order * size;
    const std::array<InputOf<S>, 2> in = {InputOf<S>(y, n), InputOf<S>(y + n, algebraic)};
    for (int i = 0; i < n - size; ++i) r[i] = yp[i] - y[i + size];
    f(t, in, OutputOf<S>(r + n - size, size));
    for (int i = n - size; i < n; ++i) r[i] = yp[i] - r[i];
    if (algebraic == 0) return;
    g(t, in, OutputOf<S>(r + n, algebraic));
    for (int i = n; i < n + algebraic; ++i) r[i] = -r[i];
  }
};

}  // namespace daedalus
