#pragma once
// d^3/ds^3 g(t + s, q + s v) at s = 0: exact from a recording of g where it can be had, else by
// differences of the exact second derivative.
#include <memory>

#include "expression/tape.h"
#include "problem/total_derivative.h"

namespace daedalus {

class ThirdDerivative {
 public:
  ThirdDerivative(const Differentiated<1>& g, int arguments);
  void operator()(double t, const double* q, const double* v, double* out);

 private:
  void record();
  void differences(double t, const double* q, const double* v, double* out);

  Differentiated<1> g_;
  int n_;
  bool recorded_ = false;
  Tape tape_;
  std::vector<double> memory_, shifted_, second_;
};

}  // namespace daedalus
