#pragma once
// dF/dy and dF/dy' of a System: exact by forward differentiation, by the user's function (checked
// once against ours), or by differences; in every case with columns of one colour together.
// [CurtisPowellReid1974]
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "daedalus/findings.h"
#include "linear/pencil.h"
#include "problem/system.h"

namespace daedalus {

class Jacobian {
 public:
  /// Finds the pattern near (t, y, yp), completes what the form could not tell about algebraic
  /// rows and variables, chooses the storage, checks a supplied Jacobian. How large sparse matrices
  /// are factored may be among the findings, or is kept there.
  Jacobian(System& system, LinearAlgebra wish, double t, const double* y, const double* yp,
           const Findings& findings = Findings::none());

  Pencil make_pencil() const { return {storage_, pattern_, direct_work_}; }
  /// Factors would cost most of a run: iterations instead, if they converge.
  bool factors_are_dear() const;
  /// Of sparse factors, for each unknown; 0: not known.
  double operations() const { return direct_work_.flops / system_.size; }
  /// Sparse systems only; pencils made before stay what they are.
  void iterate(bool yes) { storage_ = yes ? Storage::krylov : Storage::sparse; }
  /// Fills pencil.a, and pencil.e unless it is constant and filled before. `nonfinite_row` is set
  /// to that of the first value that is not finite, here and beside, and false returned.
  bool evaluate(double t, const double* y, const double* yp, Pencil& pencil);
  /// Fills pencil.e alone, where that is less work.
  bool evaluate_mass(double t, const double* y, const double* yp, Pencil& pencil);
  /// dF/dt on all rows, exact where the equations are generic in t or a graph.
  void time_derivative(double t, const double* y, const double* yp, double* out);

  /// Which rows and variables are algebraic was told by values near the start; they would tell the
  /// same now.
  bool rows_are_as_discovered(double t, const double* y, const double* yp);

  std::string description() const;
  Storage storage() const { return storage_; }
  int nonfinite_row() const { return nonfinite_row_; }

 private:
  /// Sized when it is first needed; copies, of which many are never asked, begin without.
  struct Workspace {
    std::vector<Dual> duals;  ///< all that follow
    Dual *y = nullptr, *yp = nullptr, *r = nullptr;
    std::vector<double> base, moved_r, moved, delta;
    bool seeded = false;    ///< some direction of y or y' is not zero
    bool identity = false;  ///< direction j of y is variable j
    bool both = false;      ///< likewise, and n + j of y'

    Workspace() = default;
    Workspace(const Workspace&) {}
    Workspace& operator=(const Workspace&) { return *this; }
    void hold_values(int n);
  };

  bool evaluate_at(double t, const double* y, const double* yp, Pencil& pencil);
  void choose_storage_for(LinearAlgebra wish, const Findings& findings);
  StorageChoice found_storage(const Findings& findings) const;
  template <class Use>
  void near_start(double t, const double* y, const double* yp, Use use);
  void discover(double t, const double* y, const double* yp, bool wants_pattern);
  /// Calls found(row, column) for every derivative that is not zero.
  void probe(double t, const double* y, const double* yp, bool wrt_yp,
             const std::function<void(int, int)>& found);
  /// yp null: whatever it was.
  void hold_point(const double* y, const double* yp);
  void choose_colours();
  void check_supplied(double t, const double* y, const double* yp);
  void sweep(double t, const double* y, const double* yp, bool wrt_yp, std::vector<double>& values);
  /// With respect to y, all columns together.
  void single_sweep(double t, const double* y, const double* yp, std::vector<double>& values);
  /// With respect to y and y', where there are directions enough for both.
  void double_sweep(double t, const double* y, const double* yp, std::vector<double>& a,
                    std::vector<double>& e);
  bool has_directions_for_both() const;
  void exact_sweep(double t, const double* y, const double* yp, bool wrt_yp,
                   std::vector<double>& values);
  void difference_sweep(double t, const double* y, const double* yp, bool wrt_yp,
                        std::vector<double>& values);
  /// Of all columns at once, by one pass over the rows: large systems wait for memory.
  void gather_in_one_round(Dual* seeded, double t, std::vector<double>& values);
  bool fill_mass(double t, const double* y, const double* yp, Pencil& pencil);
  bool all_finite(const std::vector<double>& values);
  std::span<const int> columns_of(int colour) const {
    if (has_own_colours_) return {pattern_.row.data() + colour, 1};  // 0, 1, ... in each column
    return {columns_.data() + colour_start_[colour], columns_.data() + colour_start_[colour + 1]};
  }

  System& system_;
  Storage storage_ = Storage::dense;
  Pattern pattern_;
  SparseWork direct_work_;
  int colours_ = 0;
  bool has_own_colours_ = false;             ///< every column, and each has entries in all rows
  std::vector<int> columns_, colour_start_;  ///< sorted by colour; where each one begins; or empty
  std::vector<int> colour_;  ///< of each column, where duals have a direction for every colour
  int nonfinite_row_ = -1;
  bool mass_known_ = false;
  bool has_discovered_rows_ = false;
  std::vector<double> constant_e_;
  Workspace work_;
};

}  // namespace daedalus
