#pragma once
// Derivatives of a user's function along a curve, and its Jacobian, in the scalar S (double, or
// Dual when the result is to be differentiated again):
//   d/dt f(t, a(t), ...) = f_t + f_a a',    d^2/dt^2 g(t, a(t)) = g_tt + 2 g_ta a' + g_aa(a', a') +
//   g_a a''.
// Exact for generic callables, central differences of order four otherwise.
#include <array>
#include <cmath>
#include <vector>

#include "daedalus/function.h"

namespace daedalus {

/// The scalar with one more level of differentiation than S.
template <class S>
struct Nested;
template <>
struct Nested<double> {
  using type = Dual;
};
template <>
struct Nested<Dual> {
  using type = Dual2;
};

template <class S>
const S& first_direction(const DualNumber<S, 1>& x) {
  return x.d[0];
}
inline double first_direction(const Dual& x) {
  return x.d[0];
}

/// Evaluates f and its derivatives for arguments of fixed lengths; owns all workspace.
template <int K>
class Differentiated {
 public:
  Differentiated() = default;
  Differentiated(Function<K> f, std::array<int, K> lengths, int rows)
      : f_(std::move(f)), lengths_(lengths), rows_(rows) {
    int total = 0;
    for (int k = 0; k < K; ++k) offset_[k] = total, total += lengths_[k];
    total_ = total;
    shifted_.resize(total), plain_out_.resize(4 * static_cast<std::size_t>(rows_) + 1);
  }

  const Function<K>& function() const { return f_; }
  bool is_differentiable() const { return f_.is_time_differentiable(); }
  int rows() const { return rows_; }

  template <class S>
  void value(const S& t, const std::array<const S*, K>& a, S* out) const {
    f_(t, maps(a), OutputOf<S>(out, rows_));
  }

  /// d/dt f along a' = dot.
  template <class S>
  void first(const S& t, const std::array<const S*, K>& a, const std::array<const S*, K>& dot,
             S* out) const {
    if constexpr (std::is_same_v<S, double>) {
      if (!is_differentiable()) return difference_first(t, a, dot, out);
    }
    directional(t, S(1), a, dot, out);
  }

  /// f_a b for given directions b (time held).
  template <class S>
  void along(const S& t, const std::array<const S*, K>& a, const std::array<const S*, K>& b,
             S* out) const {
    if constexpr (std::is_same_v<S, double>) {
      if (!f_.is_differentiable()) return difference_along(t, a, b, out);
    }
    directional(t, S(0), a, b, out);
  }

  /// d^2/dt^2 f along a' = dot, a'' = ddot (double only: a third nesting would cost every user).
  void second(double t, const std::array<const double*, K>& a,
              const std::array<const double*, K>& dot, const std::array<const double*, K>& ddot,
              double* out) const {
    if (!is_differentiable()) return difference_second(t, a, dot, ddot, out);
    make_room(dual2_in_, dual2_out_);
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < lengths_[k]; ++i) {
        Dual2& x = dual2_in_[offset_[k] + i];
        x = Dual2(a[k][i]);
        const double rate = dot[k] ? dot[k][i] : 0.0;
        x.value.d[0] = rate;
        x.d[0] = Dual(rate);
        x.d[0].d[0] = ddot[k] ? ddot[k][i] : 0.0;
      }
    Dual2 time(t);
    time.value.d[0] = 1;
    time.d[0] = Dual(1.0);
    f_(time, buffers(dual2_in_), OutputOf<Dual2>(dual2_out_.data(), rows_));
    for (int i = 0; i < rows_; ++i) out[i] = dual2_out_[i].d[0].d[0];
  }
  void second(double t, const std::array<const double*, K>& a,
              const std::array<const double*, K>& dot, double* out) const {
    second(t, a, dot, std::array<const double*, K>{}, out);
  }

  /// Jacobian in argument k, column-major rows x lengths[k].
  template <class S>
  void jacobian(const S& t, const std::array<const S*, K>& a, int k, S* out) const {
    if constexpr (std::is_same_v<S, double>) {
      if (f_.is_differentiable())
        chunked_jacobian(t, a, k, out);
      else
        difference_jacobian(t, a, k, out);
    } else {
      make_room(dual2_in_, dual2_out_);
      for (int j = 0; j < lengths_[k]; ++j) {
        load(t, a);
        dual2_in_[offset_[k] + j].d[0] = Dual(1.0);
        f_(Dual2(t), buffers(dual2_in_), OutputOf<Dual2>(dual2_out_.data(), rows_));
        for (int i = 0; i < rows_; ++i) out[i + j * rows_] = dual2_out_[i].d[0];
      }
    }
  }

 private:
  template <class S>
  std::array<InputOf<S>, K> maps(const std::array<const S*, K>& a) const {
    return maps_of<S>(a, std::make_integer_sequence<int, K>());
  }
  template <class S, int... I>
  std::array<InputOf<S>, K> maps_of(const std::array<const S*, K>& a,
                                    std::integer_sequence<int, I...>) const {
    return {InputOf<S>(a[I], lengths_[I])...};
  }
  template <class S>
  std::array<InputOf<S>, K> buffers(const std::vector<S>& in) const {
    std::array<const S*, K> a;
    for (int k = 0; k < K; ++k) a[k] = in.data() + offset_[k];
    return maps(a);
  }
  void load(const Dual&, const std::array<const Dual*, K>& a) const {
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < lengths_[k]; ++i) dual2_in_[offset_[k] + i] = Dual2(a[k][i]);
  }

  template <class S>
  void directional(const S& t, const S& t_dot, const std::array<const S*, K>& a,
                   const std::array<const S*, K>& dot, S* out) const {
    using N = typename Nested<S>::type;
    auto& in = workspace<N>().first;
    auto& result = workspace<N>().second;
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < lengths_[k]; ++i) {
        N& x = in[offset_[k] + i];
        x = N(a[k][i]);
        if (dot[k]) x.d[0] = dot[k][i];
      }
    N time(t);
    time.d[0] = t_dot;
    f_(time, buffers(in), OutputOf<N>(result.data(), rows_));
    for (int i = 0; i < rows_; ++i) out[i] = first_direction(result[i]);
  }
  /// Dual numbers take much memory, and many functions are never differentiated.
  template <class N>
  void make_room(std::vector<N>& in, std::vector<N>& out) const {
    if (in.empty()) in.resize(static_cast<std::size_t>(total_));
    if (out.empty()) out.resize(static_cast<std::size_t>(rows_));
  }
  template <class N>
  auto workspace() const {
    if constexpr (std::is_same_v<N, Dual>) {
      make_room(dual_in_, dual_out_);
      return std::pair<std::vector<Dual>&, std::vector<Dual>&>(dual_in_, dual_out_);
    } else {
      make_room(dual2_in_, dual2_out_);
      return std::pair<std::vector<Dual2>&, std::vector<Dual2>&>(dual2_in_, dual2_out_);
    }
  }

  void chunked_jacobian(double t, const std::array<const double*, K>& a, int k, double* out) const {
    make_room(dual_in_, dual_out_);
    for (int m = 0; m < K; ++m)
      for (int i = 0; i < lengths_[m]; ++i) dual_in_[offset_[m] + i] = Dual(a[m][i]);
    for (int begin = 0; begin < lengths_[k]; begin += dual_directions) {
      const int width = std::min(dual_directions, lengths_[k] - begin);
      for (int j = 0; j < width; ++j) dual_in_[offset_[k] + begin + j].d[j] = 1;
      f_(Dual(t), buffers(dual_in_), OutputOf<Dual>(dual_out_.data(), rows_));
      for (int j = 0; j < width; ++j) {
        dual_in_[offset_[k] + begin + j].d[j] = 0;
        for (int i = 0; i < rows_; ++i) out[i + (begin + j) * rows_] = dual_out_[i].d[j];
      }
    }
  }

  /// f at (t + s, a + s dot + s^2/2 ddot) into slot m of plain_out_.
  double* at(double t, double s, double t_rate, const std::array<const double*, K>& a,
             const std::array<const double*, K>& dot, const std::array<const double*, K>& ddot,
             int slot) const {
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < lengths_[k]; ++i)
        shifted_[offset_[k] + i] =
            a[k][i] + s * (dot[k] ? dot[k][i] : 0.0) + 0.5 * s * s * (ddot[k] ? ddot[k][i] : 0.0);
    double* out = plain_out_.data() + static_cast<std::ptrdiff_t>(slot) * rows_;
    f_(t + s * t_rate, buffers(shifted_), Output(out, rows_));
    return out;
  }
  double curve_step(double t, double t_rate, const std::array<const double*, K>& a,
                    const std::array<const double*, K>& dot, double fraction) const {
    double size = 1 + t_rate * std::abs(t), speed = t_rate;
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < lengths_[k]; ++i) {
        size = std::max(size, std::abs(a[k][i]));
        if (dot[k]) speed = std::max(speed, std::abs(dot[k][i]));
      }
    return fraction * size / std::max(speed, 1e-300);
  }
  void four_point(double t, double rate, const std::array<const double*, K>& a,
                  const std::array<const double*, K>& dot, double* out) const {
    const double s = curve_step(t, rate, a, dot, 5e-4);  // error s^4 against rounding eps / s
    const double* p1 = at(t, s, rate, a, dot, {}, 0);
    const double* m1 = at(t, -s, rate, a, dot, {}, 1);
    const double* p2 = at(t, 2 * s, rate, a, dot, {}, 2);
    const double* m2 = at(t, -2 * s, rate, a, dot, {}, 3);
    for (int i = 0; i < rows_; ++i) out[i] = (8 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12 * s);
  }
  void difference_first(double t, const std::array<const double*, K>& a,
                        const std::array<const double*, K>& dot, double* out) const {
    four_point(t, 1, a, dot, out);
  }
  void difference_along(double t, const std::array<const double*, K>& a,
                        const std::array<const double*, K>& b, double* out) const {
    four_point(t, 0, a, b, out);
  }
  void difference_second(double t, const std::array<const double*, K>& a,
                         const std::array<const double*, K>& dot,
                         const std::array<const double*, K>& ddot, double* out) const {
    const double s = curve_step(t, 1, a, dot, 2e-3);
    at(t, 0, 1, a, dot, ddot, 0);
    for (int i = 0; i < rows_; ++i) out[i] = -30 * plain_out_[i];
    for (const auto& [shift, weight] :
         {std::pair{1.0, 16.0}, {-1.0, 16.0}, {2.0, -1.0}, {-2.0, -1.0}}) {
      const double* p = at(t, shift * s, 1, a, dot, ddot, 1);
      for (int i = 0; i < rows_; ++i) out[i] += weight * p[i];
    }
    for (int i = 0; i < rows_; ++i) out[i] /= 12 * s * s;
  }
  void difference_jacobian(double t, const std::array<const double*, K>& a, int k,
                           double* out) const {
    std::array<const double*, K> point = a;
    std::vector<double>& moved = moved_;
    moved.assign(a[k], a[k] + lengths_[k]);
    point[k] = moved.data();
    for (int j = 0; j < lengths_[k]; ++j) {
      const double s = 1e-3 * std::max(1.0, std::abs(a[k][j]));
      double* column = out + static_cast<std::ptrdiff_t>(j) * rows_;
      std::fill(column, column + rows_, 0.0);
      for (const auto& [shift, weight] :
           {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
        moved[j] = a[k][j] + shift * s;
        f_(t, maps(point), Output(plain_out_.data(), rows_));
        for (int i = 0; i < rows_; ++i) column[i] += weight * plain_out_[i];
      }
      moved[j] = a[k][j];
      for (int i = 0; i < rows_; ++i) column[i] /= 12 * s;
    }
  }

  Function<K> f_;
  std::array<int, K> lengths_ = {};
  std::array<int, K> offset_ = {};
  int rows_ = 0;
  int total_ = 0;
  mutable std::vector<double> shifted_, plain_out_, moved_;
  mutable std::vector<Dual> dual_in_, dual_out_;
  mutable std::vector<Dual2> dual2_in_, dual2_out_;
};

}  // namespace daedalus
