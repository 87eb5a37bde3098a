#include "regularisation/march.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "regularisation/schemes.h"

namespace daedalus {
namespace {

/// Puts mesh points and nodes into a run, all of them or only the last.
class Recorder {
 public:
  Recorder(const RegularisedOde& ode, const IterateSteps& steps, const std::vector<double>& mesh,
           bool only_end)
      : steps_(steps), only_end_(only_end), last_(mesh.size() - 1) {
    const double unknown = std::numeric_limits<double>::quiet_NaN();
    run.mesh = only_end ? std::vector<double>{mesh.back()} : mesh;
    run.nodes = only_end || steps.are_mesh_points() ? run.mesh : nodes_of(mesh);
    const Matrix x = Matrix::Constant(ode.size(), run.mesh.size(), unknown);
    const Matrix carried = Matrix::Constant(ode.carried(), run.nodes.size(), unknown);
    run.iterates.assign(steps.x().cols(), {x, carried});
    run.finite_until = mesh.back();
  }

  void record(std::size_t i) {
    if (only_end_ && i < last_) return;
    const Eigen::Index column = only_end_ ? 0 : static_cast<Eigen::Index>(i);
    const auto& carried = steps_.carried();
    for (std::size_t s = 0; s < run.iterates.size(); ++s) {
      RegularisedIterate& iterate = run.iterates[s];
      iterate.x.col(column) = steps_.x().col(s);
      if (only_end_ || steps_.are_mesh_points()) {
        iterate.carried.col(column) = carried.back().col(s);
      } else if (i > 0) {
        const auto first = (column - 1) * static_cast<Eigen::Index>(carried.size());
        for (std::size_t j = 0; j < carried.size(); ++j)
          iterate.carried.col(first + static_cast<Eigen::Index>(j)) = carried[j].col(s);
      }
    }
  }

  RegularisedRun run;

 private:
  std::vector<double> nodes_of(const std::vector<double>& mesh) const {
    std::vector<double> times;
    for (std::size_t i = 1; i < mesh.size(); ++i)
      for (const double c : steps_.nodes())
        times.push_back(c == 1 ? mesh[i] : mesh[i - 1] + c * (mesh[i] - mesh[i - 1]));
    return times;
  }

  const IterateSteps& steps_;
  bool only_end_;
  std::size_t last_;
};

}  // namespace

RegularisedRun march(RegularisedOde& ode, const Vector& start, const Regularisation& settings,
                     const std::vector<double>& mesh, const RegularisationObserver& observer) {
  const Tableau& method = scheme(settings.scheme);
  const std::unique_ptr<IterateSteps> steps = is_explicit(method)
                                                  ? explicit_steps(ode, method, settings)
                                                  : implicit_steps(ode, method, settings);
  Recorder recorder(ode, *steps, mesh, bool(observer));
  RegularisedRun& run = recorder.run;
  for (std::size_t i = 0; i < mesh.size(); ++i) {
    if (i == 0) {
      steps->start(mesh[0], start);
    } else if (!steps->step(mesh[i - 1], mesh[i])) {
      run.finite_until = mesh[i - 1];
      run.message = fmt::format("scheme '{}': the step from t = {:g} to {:g} was not solved",
                                method.name, mesh[i - 1], mesh[i]);
      return run;
    }
    if (observer) observer({mesh[i], steps->x(), steps->carried().back()});
    recorder.record(i);
    if (run.succeeded() && !steps->x().allFinite()) {
      run.finite_until = i == 0 ? mesh[0] : mesh[i - 1];
      run.message = fmt::format("not finite after t = {:g}", run.finite_until);
    }
  }
  return run;
}

}  // namespace daedalus
