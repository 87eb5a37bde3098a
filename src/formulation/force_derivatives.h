#pragma once
// df/dq and df/dv of a force f(t, q, v) given as a function: exact where it is generic in its
// scalar, by differences otherwise. Columns whose entries meet in no row are found by one direction
// [CurtisPowellReid1974]. Where the entries stand is a guess from what was seen, at first that
// friction acts along each coordinate by itself; a direction at random tells each time whether the
// guess was right.
#include <vector>

#include "daedalus/function.h"

namespace daedalus {

class ForceDerivatives {
 public:
  ForceDerivatives() = default;
  ForceDerivatives(Function<2> force, int coordinates);

  /// n rows of 2n: df_i/dq, df_i/dv.
  void evaluate(double t, const double* q, const double* v, double* rows);

 private:
  int full_columns(int first) const;
  void along_directions(double t, double* rows);
  void one_by_one(double t, double* rows);
  bool agrees(const double* rows) const;
  void learn(const double* rows);
  void differences(double t, const double* q, const double* v, double* rows);

  Function<2> force_;
  int n_ = 0;
  bool guessed_ = true;                       ///< where entries stand
  std::vector<std::vector<int>> rows_of_;     ///< each column: where it has entries
  std::vector<std::vector<int>> columns_of_;  ///< each direction
  std::vector<double> random_, along_random_, point_, base_, moved_;
  std::vector<Dual> in_, out_;
};

}  // namespace daedalus
