#pragma once
// Explicit steps of all iterates, mesh interval by mesh interval. What is carried from iterate s-1
// to s lives at mesh points, taken there from the accepted x_{s-1}; between them it is linear:
//     k_j = F(t + c_j h, x_s + h sum_l a_jl k_l, w_{s-1}(t + c_j h)),  x_s += h sum_j b_j k_j.
// Memory does not depend on the number of steps.  [AscherLin1996, 4.2]
#include "daedalus/method.h"
#include "daedalus/regularisation.h"

namespace daedalus {

/// The ordinary differential equation of one iterate, given what the one before carries.
class RegularisedOde {
 public:
  virtual ~RegularisedOde() = default;
  int size() const { return size_; }
  int carried() const { return carried_; }

  /// rate = x_s' and after = w_s at (t, x_s), given before = w_{s-1}(t).
  virtual void evaluate(double t, const Vector& x, const Vector& before, Vector& rate,
                        Vector& after) = 0;
  /// Moves x towards its constraints once.
  virtual void stabilise(double /*t*/, Vector& /*x*/) {}

 protected:
  void set_sizes(Eigen::Index size, Eigen::Index carried) {
    size_ = static_cast<int>(size);
    carried_ = static_cast<int>(carried);
  }

 private:
  int size_ = 0, carried_ = 0;
};

/// forward_euler and heun, or an explicit method of the catalogue. Throws InvalidInput.
const Tableau& explicit_scheme(const std::string& name);
/// midpoint and backward_euler, or a method of the catalogue.
const Tableau& scheme(const std::string& name);

/// Throws InvalidInput for a mesh that is not strictly monotonic, eps or counts that cannot be.
void require_settings(const Regularisation& settings, const std::vector<double>& mesh);

RegularisedRun march(RegularisedOde& ode, const Vector& start, const Regularisation& settings,
                     const std::vector<double>& mesh, const RegularisationObserver& observer);

}  // namespace daedalus
