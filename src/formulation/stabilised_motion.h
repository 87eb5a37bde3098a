#pragma once
// Motions whose equations hold their constraints twice [GearGuptaLeimkuhler1985],
//   der(q) = v + B mu,   M der(v) + G^T lambda = f,   g(t, q) = 0,   h(t, q, v) = 0,
// where h = C (G v + g_t), C regular. With both of them G B mu = 0: wherever mu is determined it is
// zero. Without mu and h the same motion is left, in the form that explicit methods know best.
#include <memory>
#include <optional>
#include <vector>

#include "analysis/signature.h"
#include "daedalus/problem.h"

namespace daedalus {

struct UnstabilisedMotion {
  ExpressionGraph form;
  std::vector<int> variables;  ///< of `form`, as numbered in what was given
  std::vector<int> vanishing;  ///< mu, numbered likewise
};

/// By their form alone.
bool look_stabilised(const EquationSet& equations, const StructuralAnalysis& structure);
/// Nothing: other equations. That h belongs to g, and that G B is regular, is
/// seen at times of the interval and points around the start.
std::optional<UnstabilisedMotion> without_stabilisation(
    const ExpressionGraph& form, const StructuralAnalysis& structure, Interval t_span,
    const Vector& start, const std::shared_ptr<const std::vector<double>>& modes);

}  // namespace daedalus
