#pragma once
// Numbers of two eliminations that go on side by side: see twisted_band.h.

namespace daedalus {

/// First half: of the elimination from the first column on; second: from the last column back.
using Halves = double __attribute__((vector_size(16)));

/// Copied part by part: as a block the compiler moves it in pieces that vector loads wait for.
struct SplitHalves {
  Halves re{}, im{};

  SplitHalves() = default;
  SplitHalves(Halves real, Halves imaginary) : re(real), im(imaginary) {}
  SplitHalves(const SplitHalves& x) : re(x.re), im(x.im) {}
  SplitHalves& operator=(const SplitHalves& x) {
    re = x.re, im = x.im;
    return *this;
  }
};
inline SplitHalves operator-(SplitHalves x, SplitHalves y) {
  return {x.re - y.re, x.im - y.im};
}
inline SplitHalves operator*(SplitHalves x, SplitHalves y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

namespace twisted {

using Mask = decltype(Halves{} < Halves{});

inline Halves choose(Mask mask, Halves yes, Halves no) {
  return mask ? yes : no;
}
inline SplitHalves choose(Mask mask, SplitHalves yes, SplitHalves no) {
  return {choose(mask, yes.re, no.re), choose(mask, yes.im, no.im)};
}
inline Halves size(Halves x) {
  return choose(x < 0, -x, x);
}
inline Halves size(SplitHalves x) {
  return size(x.re) + size(x.im);
}
inline Halves inverse(Halves x) {
  return 1 / x;
}
inline SplitHalves inverse(SplitHalves x) {
  const Halves s = size(x);
  constexpr double tiny = 1e-140,
                   huge = 1e140;  // between them |x|^2 neither vanishes nor overflows
  if (s[0] > tiny && s[1] > tiny && s[0] < huge && s[1] < huge) {
    const Halves t = 1 / (x.re * x.re + x.im * x.im);
    return {x.re * t, -x.im * t};
  }
  const Halves scale = 1 / s;
  const Halves re = x.re * scale, im = x.im * scale;
  const Halves t = scale / (re * re + im * im);
  return {re * t, -im * t};
}

}  // namespace twisted

}  // namespace daedalus
