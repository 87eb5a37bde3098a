#pragma once
// The user's equations, written once. A callable generic in its scalar,
//     [](auto t, auto y, auto out) { out[0] = -y[0]; }
// is kept in four instances: double (evaluate), Dual (Jacobians), Dual2 (second derivatives), Expr
// (the expression graph).
// A callable that takes doubles is kept as it is; its derivatives are differences. The leading
// t may be left out, or be a plain double while the vectors are generic.
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "daedalus/dual.h"
#include "daedalus/expr.h"
#include "daedalus/vector.h"

namespace daedalus {

namespace function_detail {

// Duals of eight directions and loops over many unknowns fill wide registers, which the flags of
// few programs allow: these instances are compiled a second time for them, with all that they call.
// No products are fused, so the bits are the same. Not for debugging, where it would take as long
// again to compile.
#if defined(__GNUC__) && defined(__x86_64__) && defined(NDEBUG)
#define DAEDALUS_WIDE [[gnu::target("avx2"), gnu::flatten]]
inline bool has_wide_registers() {
  return __builtin_cpu_supports("avx2");
}
#else
#define DAEDALUS_WIDE
inline bool has_wide_registers() {
  return false;
}
#endif

// Of few unknowns the way into wide registers and back takes longer than they save.
constexpr std::ptrdiff_t few_for_duals = 4, few_for_loops = 48;

template <class In>
bool are_more(const In* in, int count, std::ptrdiff_t few) {
  std::ptrdiff_t unknowns = 0;
  for (int k = 0; k < count; ++k) unknowns += in[k].size();
  return unknowns > few;
}

/// Pointers and std::function can be empty; then so is the Function.
template <class F>
bool is_empty(const F& f) {
  if constexpr (std::is_pointer_v<F>) return f == nullptr;
  return false;
}
template <class Signature>
bool is_empty(const std::function<Signature>& f) {
  return !f;
}

template <class Scalar, int>
using Repeated = InputOf<Scalar>;

/// The same shape, further on.
template <class Scalar>
OutputOf<Scalar> moved(OutputOf<Scalar> out, std::ptrdiff_t by) {
  return {out.data() + by, out.size()};
}
template <class Scalar>
MatrixOutputOf<Scalar> moved(MatrixOutputOf<Scalar> out, std::ptrdiff_t by) {
  return {out.data() + by, out.rows(), out.cols()};
}

/// Calls f with whichever of the allowed parameter lists it has.
template <class F, class Scalar, class Out, class Indices>
struct Call;

template <class F, class Scalar, class Out, int... I>
struct Call<F, Scalar, Out, std::integer_sequence<int, I...>> {
  static constexpr bool timeless = std::is_invocable_v<const F&, Repeated<Scalar, I>..., Out&>;
  static constexpr bool timed = std::is_invocable_v<const F&, Scalar, Repeated<Scalar, I>..., Out&>;
  // Asked only if need be: asking compiles the body with a time and vectors of two scalars.
  static constexpr bool with_plain_time =
      std::conjunction_v<std::bool_constant<!timeless && !timed>,
                         std::is_invocable<const F&, double, Repeated<Scalar, I>..., Out&>>;
  static constexpr bool possible = timeless || timed || with_plain_time;

  static void invoke(const F& f, const Scalar& t, const InputOf<Scalar>* in, Out out) {
    (void)t;
    if constexpr (timeless)
      f(in[I]..., out);
    else if constexpr (timed)
      f(t, in[I]..., out);
    else
      f(value_of(t), in[I]..., out);
  }

  /// One call for many points, so that f is compiled into the loop over them.
  static void invoke_each(const F& f, int points, std::ptrdiff_t apart, const Scalar* t,
                          [[maybe_unused]] const InputOf<Scalar>* in, Out out) {
    for (std::ptrdiff_t k = 0; k < points; ++k) {
      const std::array<InputOf<Scalar>, sizeof...(I)> here = {
          InputOf<Scalar>(in[I].data() + k * apart, in[I].size())...};
      invoke(f, t[k], here.data(), moved(out, k * apart));
    }
  }
};

}  // namespace function_detail

/// out = f(t, a_1, ..., a_K), where OutputShape is OutputOf (a vector) or MatrixOutputOf.
template <int K, template <class> class OutputShape>
class BasicFunction {
 public:
  BasicFunction() = default;

  template <class F>
  requires(!std::is_same_v<std::decay_t<F>, BasicFunction>) BasicFunction(F f) {
    if (!function_detail::is_empty(f)) body_ = std::make_shared<Body<F>>(std::move(f));
    static_assert(Body<F>::template Caller<double>::possible,
                  "the callable must take (t, inputs..., output) or (inputs..., output)");
  }

  explicit operator bool() const { return body_ != nullptr; }
  /// The very same callable, not one that is written alike; it may see other values by now.
  bool is_same_as(const BasicFunction& other) const { return body_ == other.body_; }
  /// Exact derivatives are to be had: the callable is generic in its scalar.
  bool is_differentiable() const { return body_ && body_->differentiable; }
  /// Also with respect to t.
  bool is_time_differentiable() const { return body_ && body_->time_differentiable; }
  /// It can be run with Expr.
  bool is_recordable() const { return body_ && body_->recordable; }

  template <class Scalar>
  void operator()(const Scalar& t, const std::array<InputOf<Scalar>, K>& in,
                  OutputShape<Scalar> out) const {
    if constexpr (std::is_same_v<Scalar, double>)
      body_->call(1, 0, &t, in.data(), out);
    else
      body_->call(t, in.data(), out);
  }
  /// At several points; the vectors of each begin `apart` numbers behind those of the last.
  void at_points(int points, std::ptrdiff_t apart, const double* t,
                 const std::array<InputOf<double>, K>& in, OutputShape<double> out) const {
    body_->call(points, apart, t, in.data(), out);
  }

 private:
  struct Interface {
    bool differentiable = false;
    bool time_differentiable = false;
    bool recordable = false;
    virtual ~Interface() = default;
    virtual void call(int points, std::ptrdiff_t apart, const double* t, const InputOf<double>* in,
                      OutputShape<double> out) const = 0;
    virtual void call(const Dual& t, const InputOf<Dual>* in, OutputShape<Dual> out) const = 0;
    virtual void call(const Dual2& t, const InputOf<Dual2>* in, OutputShape<Dual2> out) const = 0;
    virtual void call(const Expr& t, const InputOf<Expr>* in, OutputShape<Expr> out) const = 0;
  };

  template <class F>
  struct Body final : Interface {
    template <class Scalar>
    using Caller =
        function_detail::Call<F, Scalar, OutputShape<Scalar>, std::make_integer_sequence<int, K>>;

    F f;
    explicit Body(F callable) : f(std::move(callable)) {
      this->differentiable = Caller<Dual>::possible;
      this->time_differentiable = Caller<Dual>::timeless || Caller<Dual>::timed;
      this->recordable = Caller<Expr>::possible;
    }
    void call(int points, std::ptrdiff_t apart, const double* t, const InputOf<double>* in,
              OutputShape<double> out) const override {
      if (function_detail::are_more(in, K, function_detail::few_for_loops) &&
          function_detail::has_wide_registers())
        call_wide(points, apart, t, in, out);
      else
        Caller<double>::invoke_each(f, points, apart, t, in, out);
    }
    DAEDALUS_WIDE void call_wide(int points, std::ptrdiff_t apart, const double* t,
                                 const InputOf<double>* in, OutputShape<double> out) const {
      Caller<double>::invoke_each(f, points, apart, t, in, out);
    }
    void call(const Dual& t, const InputOf<Dual>* in, OutputShape<Dual> out) const override {
      if constexpr (Caller<Dual>::possible) {
        if (function_detail::are_more(in, K, function_detail::few_for_duals) &&
            function_detail::has_wide_registers())
          call_wide(t, in, out);
        else
          Caller<Dual>::invoke(f, t, in, out);
      }
    }
    DAEDALUS_WIDE void call_wide(const Dual& t, const InputOf<Dual>* in,
                                 OutputShape<Dual> out) const {
      Caller<Dual>::invoke(f, t, in, out);
    }
    void call(const Dual2& t, const InputOf<Dual2>* in, OutputShape<Dual2> out) const override {
      if constexpr (Caller<Dual2>::possible) Caller<Dual2>::invoke(f, t, in, out);
    }
    void call(const Expr& t, const InputOf<Expr>* in, OutputShape<Expr> out) const override {
      if constexpr (Caller<Expr>::possible) Caller<Expr>::invoke(f, t, in, out);
    }
  };

  std::shared_ptr<const Interface> body_;
};

#undef DAEDALUS_WIDE

template <int K>
using Function = BasicFunction<K, OutputOf>;
template <int K>
using MatrixFunction = BasicFunction<K, MatrixOutputOf>;

/// Wraps a generic callable whose body only works with double: plain([](auto t, auto y, auto r)
/// {...}).
template <class F>
struct Plain {
  F f;
  template <class... Arguments>
  requires((std::is_same_v<Arguments, double> || std::is_same_v<Arguments, Input> ||
            std::is_same_v<Arguments, Output> || std::is_same_v<Arguments, MatrixOutput>)&&...) auto
  operator()(Arguments... arguments) const -> decltype(f(arguments...)) {
    return f(arguments...);
  }
};
template <class F>
Plain<F> plain(F f) {
  return {std::move(f)};
}

}  // namespace daedalus
