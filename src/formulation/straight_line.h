#pragma once
// d^3/ds^3 g(t + s, q + s v) at s = 0 by differences of the second derivative, for functions that
// cannot be recorded.
#include "problem/total_derivative.h"

namespace daedalus {

class ThirdDerivative {
 public:
  ThirdDerivative(const Differentiated<1>& g, int arguments);
  void operator()(double t, const double* q, const double* v, double* out);

 private:
  Differentiated<1> g_;
  int n_;
  std::vector<double> shifted_, second_;
};

}  // namespace daedalus
