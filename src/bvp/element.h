#pragma once
// One element: its collocation equations linearised and solved for the local unknowns,
//
//   F_w dw_i + F_z (P_i dz + sum_j Q_ij dw_j) + F_y dy_i = -F      at each collocation point i,
//
// where P dz + Q dw is the polynomial with left value dz (basis.h). First y is eliminated point by
// point: d of the rows give y, the n others hold w alone. Then every row is scaled to largest
// entry 1: those of index 2 are O(h), and without the scaling they lose the pivots.
// [AscherPetzold1992, 4; AscherSpiteri1994]
#include "bvp/basis.h"
#include "bvp/collocation_system.h"
#include "linear/dense_kernels.h"

namespace daedalus::bvp {

/// Places in the memory of an ElementStore; matrices by columns unless said otherwise.
struct ElementFactors {
  DenseFactor lu = {};           ///< of the system for w
  double* q = nullptr;           ///< of each point, by rows: (y, right sides for w) = q F
  double* y_of_slots = nullptr;  ///< of each point, by rows: dy = this times (dz, dw), where F = 0
  double* w_of_left = nullptr;   ///< dw = this times dz, where F = 0
  bool is_regular = false;
};

/// Evaluates and factors elements; owns its memory, so one for each thread.
class ElementKernel {
 public:
  ElementKernel(const CollocationSystem& system, const Basis& basis);

  const CollocationSystem& system() const { return system_; }
  Scratch& scratch() { return scratch_; }
  /// Slots at the right end, where w and y are extrapolated.
  void slots_at_end(double h, const double* left, const double* w, const double* y, double* s);
  /// At any place 0 <= sigma <= 1 of the element.
  void slots_inside(double sigma, double h, const double* left, const double* w, const double* y,
                    double* s);
  /// The same with basis.integrals(sigma) at hand.
  void slots_inside(double sigma, const double* weights, double h, const double* left,
                    const double* w, const double* y, double* s) const;
  /// F, row i of point p at f[i k + p], and the value of z at the right end.
  void residual(double t, double h, const double* left, const double* w, const double* y, double* f,
                double* end);
  /// The same, and the factors of the linearised equations.
  void factor(double t, double h, const double* left, const double* w, const double* y, double* f,
              double* end, ElementFactors& to);
  /// dw for dz = 0 and residuals f; of dy what f contributes.
  void solve(const ElementFactors& factors, const double* f, double* dw, double* dy) const;
  /// Adds to dw what dz does, and to dy what dz and dw do.
  void complete(const ElementFactors& factors, double h, const double* dz, double* dw, double* dy);
  /// d z(right end) / d z(left end) for F = 0, states x states.
  void transfer(const ElementFactors& factors, double h, double* to);
  /// Adds what dw does to z at the right end.
  void add_end(double h, const double* dw, double* end);

 private:
  friend class ElementStore;
  static constexpr int lanes = 16;  ///< slot j of point i is slots_[j * lanes + i]

  double power(int r) const { return powers_[static_cast<std::size_t>(r)]; }
  void set_length(double h);
  /// z at all points; point k is the right end.
  void fill_states(double h, const double* left, const double* w);
  template <int k>
  void fill_states_of(double h, const double* left, const double* w);
  template <int k>
  void solve_of(const ElementFactors& factors, const double* f, double* dw, double* dy) const;
  template <int k>
  void complete_of(const ElementFactors& factors, const double* dw, double* dy) const;
  template <int k>
  void add_end_of(const double* dw, double* end) const;
  template <int k>
  void slots_inside_of(double sigma, const double* weights, double h, const double* left,
                       const double* w, const double* y, double* s) const;
  /// Row r of those of point i for w, with its largest entry; `row` holds F_z and F_w.
  template <int k>
  double assemble(int i, int r, const double* row);
  void fill_slots(double h, const double* left, const double* w, const double* y);
  bool eliminate_algebraic(double* point);

  const CollocationSystem& system_;
  const Basis& basis_;
  int n_, d_, states_, rows_, k_, width_;
  DenseKernels kernels_;
  std::vector<double> points_;  ///< of each point, by rows: [F_z F_w F_y I], width_ columns
  std::vector<double> local_, slots_, f_, powers_, weights_;
  std::vector<double> rho_, times_, row_scale_;
  void (ElementKernel::*solve_)(const ElementFactors& factors, const double* f, double* dw,
                                double* dy) const = nullptr;
  void (ElementKernel::*complete_)(const ElementFactors& factors, const double* dw,
                                   double* dy) const = nullptr;
  void (ElementKernel::*add_end_)(const double* dw, double* end) const = nullptr;
  void (ElementKernel::*fill_)(double h, const double* left, const double* w) = nullptr;
  double (ElementKernel::*assemble_)(int i, int r, const double* row) = nullptr;
  void (ElementKernel::*inside_)(double sigma, const double* weights, double h, const double* left,
                                 const double* w, const double* y, double* s) const = nullptr;
  std::vector<int> order_;
  Scratch scratch_;
};

/// Memory for the factors of many elements.
class ElementStore {
 public:
  void resize(const ElementKernel& kernel, int elements);
  ElementFactors& operator[](int i) { return factors_[static_cast<std::size_t>(i)]; }
  const ElementFactors& operator[](int i) const { return factors_[static_cast<std::size_t>(i)]; }
  int size() const { return static_cast<int>(factors_.size()); }

 private:
  struct alignas(64) Line {
    double number[8];
  };
  std::vector<Line> numbers_;
  std::vector<long long> rows_;
  std::vector<ElementFactors> factors_;
};

}  // namespace daedalus::bvp
