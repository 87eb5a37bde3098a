#pragma once
// f of F = E y' - f(t, y), and -df/dy, as machine code made of what a function does with Expr, or
// of what a model says: the stages of a step side by side in vector registers, and what depends on
// the time alone computed once for all iterations on a step.
#include <functional>
#include <memory>
#include <vector>

#include "daedalus/expr.h"
#include "daedalus/findings.h"
#include "expression/graph.h"

namespace daedalus {

class RightHandSideCode {
 public:
  using Record = std::function<void(const Expr& t, const Expr* y, Expr* f)>;
  /// Null: the function branches on values. `size`: of y and f.
  static std::unique_ptr<RightHandSideCode> of(int size, const Record& function,
                                               const Findings& findings);
  /// Of expressions that are there already, in a graph whose inputs are the time, then y.
  /// `statement` never changes: whoever comes with the same one gets the same code. Null: there
  /// are too many. Derivatives are left to others.
  using Build = std::function<std::vector<NodeId>(Graph& graph)>;
  static std::unique_ptr<RightHandSideCode> of(std::shared_ptr<const void> statement, int size,
                                               const Build& build, const Findings& findings);
  RightHandSideCode(const RightHandSideCode&) = delete;
  RightHandSideCode& operator=(const RightHandSideCode&) = delete;
  ~RightHandSideCode();

  /// As System::right_hand_sides, at up to `most_points` points. What lies behind vectors up to a
  /// multiple of four, if they are so far apart, is read and becomes zero.
  void values(int points, int apart, const double* t, const double* y, double* f);
  /// Vectors cost more to be laid side by side and taken apart than a short function does to be
  /// called at each point.
  bool pays() const;
  /// Dense, column-major.
  void minus_derivatives(double t, const double* y, double* a);
  static constexpr int most_points = 16;

  struct Tapes;

 private:
  explicit RightHandSideCode(std::shared_ptr<const Tapes> tapes);
  void find_sources(double t, double* out, int apart);

  std::shared_ptr<const Tapes> tapes_;
  std::vector<double> side_by_side_, single_, source_;  ///< memory of the tapes
  std::vector<double> times_;                           ///< whose sources are known
  bool has_squares_ = false;                            ///< of four times four numbers
};

}  // namespace daedalus
