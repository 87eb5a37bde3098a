#pragma once
// A Hessenberg system of index 2 found in the equations of a model: each derivative in an equation
// of its own, der(y) = f(t, y, z), and constraints 0 = g(t, y).
#include "analysis/signature.h"
#include "formulation/graph_tape.h"
#include "formulation/index2_equations.h"

namespace daedalus {

class GraphIndex2 final : public Index2Equations {
 public:
  /// Throws InvalidInput that says what is missing.
  GraphIndex2(const ExpressionGraph& form, const StructuralAnalysis& structure,
              std::shared_ptr<const std::vector<double>> modes);

  /// Differential variables, then the others.
  const std::vector<int>& places() const { return places_; }
  /// Where the constraints stand among the equations.
  const std::vector<int>& constraint_rows() const { return constraint_rows_; }

  std::shared_ptr<Index2Equations> copy() const override {
    return std::make_shared<GraphIndex2>(*this);
  }
  void slopes(double t, const double* y, const double* z, double* f) override {
    slopes_(t, y, differential, z, f);
  }
  void directions(double t, const double* y, const double* z, double* rows) override {
    directions_(t, y, differential, z, rows);
  }
  void constraint(double t, const double* y, double* g) override {
    constraint_(t, y, differential, nullptr, g);
  }
  void drift(double t, const double* y, double* g) override {
    drift_(t, y, differential, nullptr, g);
  }
  void jacobian(double t, const double* y, double* rows) override {
    jacobian_(t, y, differential, nullptr, rows);
  }
  /// In one go, with what they share.
  void linearize(double t, const double* y, const double* z, const Linearized& to) override {
    const int n = differential, m = algebraic;
    linearized_.run(t, y, n, z);
    linearized_.hand_out(0, n, to.f), linearized_.hand_out(n, n * m, to.directions);
    linearized_.hand_out(n + n * m, m, to.drift);
    linearized_.hand_out(n + n * m + m, m * n, to.jacobian);
  }
  bool jacobian_rate(double t, const double* y, const double* yp, double* rows) override {
    jacobian_rate_(t, y, differential, yp, rows);
    return true;
  }

 private:
  std::vector<int> places_, constraint_rows_;
  GraphTape slopes_, directions_, constraint_, drift_, jacobian_, jacobian_rate_, linearized_;
};

}  // namespace daedalus
