#pragma once
// A number known at run time handed on as a constant: loops over it are unrolled.
namespace daedalus::bvp {

/// Calls f.operator()<n>(), 1 <= n <= most.
template <int most, class F>
void with_constant(int n, const F& f) {
  if constexpr (most > 1)
    if (n < most) return with_constant<most - 1>(n, f);
  f.template operator()<most>();
}

}  // namespace daedalus::bvp
