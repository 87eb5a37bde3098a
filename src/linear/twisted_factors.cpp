#include "linear/twisted_factors.h"

#include "linear/factors.h"
#include "linear/twisted_band.h"

namespace daedalus {
namespace {

class TwistedRealFactors final : public RealFactors {
 public:
  TwistedRealFactors(const Pattern& pattern, Bandwidth width, const std::vector<int>& order)
      : lu_(pattern, width.lower, order) {}

  bool factor(const Pencil& pencil, double shift) override {
    singular_column_ = lu_.factor(pencil, shift, 0);
    return singular_column_ < 0;
  }

  void solve(double* x) const override { lu_.solve(x, nullptr); }
  const TwistedBand<Halves>& lu() const { return lu_; }

 private:
  TwistedBand<Halves> lu_;
};

class TwistedComplexFactors final : public ComplexFactors {
 public:
  TwistedComplexFactors(const Pattern& pattern, Bandwidth width, const std::vector<int>& order)
      : lu_(pattern, width.lower, order) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    singular_column_ = lu_.factor(pencil, re, im);
    return singular_column_ < 0;
  }

  void solve(double* re, double* im) const override { lu_.solve(re, im); }
  const TwistedBand<SplitHalves>& lu() const { return lu_; }

 private:
  TwistedBand<SplitHalves> lu_;
};

template <class Factors, class Twisted>
std::unique_ptr<Factors> make(const Pattern& pattern, Bandwidth width,
                              const std::vector<int>& order) {
  if (!TwistedBand<Halves>::fits(pattern.size, width)) return nullptr;
  return std::make_unique<Twisted>(pattern, width, order);
}

}  // namespace

std::unique_ptr<RealFactors> make_twisted_real_factors(const Pattern& pattern, Bandwidth width,
                                                       const std::vector<int>& order) {
  return make<RealFactors, TwistedRealFactors>(pattern, width, order);
}

std::unique_ptr<ComplexFactors> make_twisted_complex_factors(const Pattern& pattern,
                                                             Bandwidth width,
                                                             const std::vector<int>& order) {
  return make<ComplexFactors, TwistedComplexFactors>(pattern, width, order);
}

void solve_beside(const RealFactors& real, double* x, const ComplexFactors& complex, double* re,
                  double* im) {
  const auto* one = dynamic_cast<const TwistedRealFactors*>(&real);
  const auto* other = dynamic_cast<const TwistedComplexFactors*>(&complex);
  if (!one || !other || !one->lu().keeps_order()) {
    real.solve(x);
    complex.solve(re, im);
    return;
  }
  switch (one->lu().band()) {
    case 1:
      return solve_beside<1>(one->lu(), x, other->lu(), re, im);
    case 2:
      return solve_beside<2>(one->lu(), x, other->lu(), re, im);
    default:
      return solve_beside<3>(one->lu(), x, other->lu(), re, im);
  }
}

}  // namespace daedalus
