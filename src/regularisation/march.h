#pragma once
// All iterates side by side, mesh interval by mesh interval: what iterate s needs of iterate s-1 is
// known once that one has made the same step, so memory does not grow with the number of steps.
// [AscherLin1996, 4.2]
#include <memory>

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
  /// Every constraint on x, with its derivatives.
  virtual Vector constraints(double t, const Vector& x) = 0;
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

/// One step of all iterates. Column s of each matrix is iterate s + 1.
class IterateSteps {
 public:
  virtual ~IterateSteps() = default;
  virtual void start(double t, const Vector& x) = 0;
  /// False if the equations of the step were not solved.
  virtual bool step(double t, double t_next) = 0;

  const Matrix& x() const { return x_; }
  /// What is carried at each node of the last step, and at the start unless that is no node.
  const std::vector<Matrix>& carried() const { return carried_; }
  /// Where the nodes are, relative to the step; 1 alone: the mesh points, the first included.
  const std::vector<double>& nodes() const { return nodes_; }
  bool are_mesh_points() const { return nodes_.size() == 1 && nodes_[0] == 1; }

 protected:
  IterateSteps(const RegularisedOde& ode, const Regularisation& settings, std::vector<double> nodes)
      : x_(ode.size(), settings.iterations),
        carried_(nodes.size(), Matrix::Zero(ode.carried(), settings.iterations)),
        nodes_(std::move(nodes)) {}

  Matrix x_;
  std::vector<Matrix> carried_;

 private:
  std::vector<double> nodes_;
};

/// Carried values at mesh points, taken there from the accepted x_{s-1} and linear between them.
std::unique_ptr<IterateSteps> explicit_steps(RegularisedOde& ode, const Tableau& method,
                                             const Regularisation& settings);
/// Carried values at the stages of collocation.
std::unique_ptr<IterateSteps> implicit_steps(RegularisedOde& ode, const Tableau& method,
                                             const Regularisation& settings);

RegularisedRun march(RegularisedOde& ode, const Vector& start, const Regularisation& settings,
                     const std::vector<double>& mesh, const RegularisationObserver& observer);

}  // namespace daedalus
