#pragma once
// What is made of a problem before numbers are looked at.
#include "bvp/conditions.h"
#include "daedalus/findings.h"

namespace daedalus::bvp {

/// Never changes after construction, so runs and threads share it.
struct PreparedBoundary {
  std::shared_ptr<const BoundaryGraph> graph;
  ConstraintForm form;
  double gamma;
  CollocationSystem system;
  ConditionEquations conditions;

  /// Throws InvalidInput.
  PreparedBoundary(std::shared_ptr<const BoundaryGraph> given, ConstraintForm chosen, double weight)
      : graph(std::move(given)),
        form(chosen),
        gamma(weight),
        system(*graph, form, gamma),
        conditions(*graph, system) {}
  /// That of an earlier run, if the graph is the same.
  static std::shared_ptr<const PreparedBoundary> of(
      const std::shared_ptr<const BoundaryGraph>& graph, ConstraintForm form, double gamma,
      const Findings& findings);
};

}  // namespace daedalus::bvp
