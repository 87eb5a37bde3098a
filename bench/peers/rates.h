#pragma once
// What is evaluated for other codes: f of M y' = f(t, y), or F(t, y, y'), with exact derivatives at
// the entries of a fixed pattern. The ways to it are as direct as those of Daedalus are, functions
// as they are or the compiled program of a model, so that the times of other codes are theirs.
#include <memory>
#include <vector>

#include "reproduce/testset.h"

namespace daedalus::peers {

class Rates {
 public:
  virtual ~Rates() = default;
  /// f or F; y' is not looked at where `is_implicit` is false.
  virtual void values(double t, const double* y, const double* yp, double* out) = 0;
  /// df/dy, or dF/dy + shift dF/dy', entry by entry.
  virtual void derivatives(double t, const double* y, const double* yp, double shift,
                           double* out) = 0;

  int size = 0;
  bool is_implicit = false;
  std::vector<Mass::Entry> mass = {};  ///< M
  struct Entry {
    int row, column;
  };
  std::vector<Entry> entries = {};  ///< by columns, and by rows in each; none twice
};

/// LinearlyImplicit with a constant M, FullyImplicit, or an ExpressionGraph that has such an M.
std::unique_ptr<Rates> rates_of(const Problem& problem, const Vector& start);

}  // namespace daedalus::peers
