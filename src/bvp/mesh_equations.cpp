#include "bvp/mesh_equations.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Cholesky>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bvp/parallel.h"
#include "daedalus/error.h"

namespace daedalus::bvp {
namespace {

constexpr int chunk = 16;  ///< elements that one thread takes at a time

std::size_t at_index(int i) {
  return static_cast<std::size_t>(i);
}

template <class Work>
void for_elements(int count, int threads, const Work& work) {
  in_parallel((count + chunk - 1) / chunk, threads, [&](int piece, int thread) {
    for (int i = piece * chunk; i < std::min(count, (piece + 1) * chunk); ++i) work(i, thread);
  });
}

}  // namespace

MeshEquations::MeshEquations(const CollocationSystem& system, const Basis& basis,
                             Conditions& conditions, const BoundaryOptions& options)
    : system_(system), basis_(basis), conditions_(conditions), options_(options) {
  options_.threads = std::max(1, options_.threads);
  for (int thread = 0; thread < options_.threads; ++thread) {
    kernels_.emplace_back(system, basis);
    projectors_.emplace_back(system);
    slots_.emplace_back(system.slots());
  }
}

void MeshEquations::node_slots(int thread, const Iterate& at, int node, double* s) {
  ElementKernel& kernel = kernels_[at_index(thread)];
  const int element = std::max(0, node - 1);
  const double* left = at.z.col(element).data();
  const double *w = at.w.col(element).data(), *y = at.y.col(element).data();
  if (node == 0)
    kernel.slots_inside(0, at.length(0), left, w, y, s);
  else
    kernel.slots_at_end(at.length(element), left, w, y, s);
  std::copy(at.z.col(node).data(), at.z.col(node).data() + system_.states(), s);
}

void MeshEquations::condition_states(const Iterate& at) {
  condition_states_.resize(condition_nodes_.size());
  for (std::size_t p = 0; p < condition_nodes_.size(); ++p) {
    NodeState& state = condition_states_[p];
    state.t = at.t[at_index(condition_nodes_[p])];
    state.slots.resize(at_index(system_.slots()));
    state.projection = &condition_projections_[p];
    node_slots(0, at, condition_nodes_[p], state.slots.data());
    if (p > 0 && conditions_.need_closure())
      system_.closure.solve(state.t, state.slots.data(), kernels_[0].scratch());
  }
}

void MeshEquations::prepare(const Iterate& at) {
  const int elements = at.elements(), states = system_.states();
  condition_nodes_ = conditions_.nodes(at.t);
  condition_projections_.resize(condition_nodes_.size());
  condition_states(at);
  if (index_two_ < 0) {
    // The number that holds at most mesh points: a guess may touch a singular point.
    std::map<int, int> votes;
    Vector s(system_.slots());
    for (int node = 0; node <= elements; node += 1 + elements / 50) {
      node_slots(0, at, node, s.data());
      ++votes[projectors_[0].count(at.t[at_index(node)], s.data())];
    }
    index_two_ = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
                   return a.second < b.second;
                 })->first;
    if (basis_.kind() == CollocationPoints::lobatto && index_two_ > 0)
      throw InvalidInput(
          "points: Lobatto points hold the left end of each element, where constraints "
          "of index 2 say nothing about its unknowns; use Gauss or Radau points");
  }
  if (!conditions_.is_chosen()) {
    for (std::size_t p = 0; p < condition_nodes_.size(); ++p)
      projectors_[0].linearize(condition_states_[p].t, condition_states_[p].slots.data(),
                               index_two_, false, condition_projections_[p]);
    conditions_.choose(condition_states_, index_two_);
  }
  factors_.resize(kernels_[0], elements);
  transfer_.resize(states, states * elements);
  if (projects() || projects_lower()) projections_.resize(at_index(elements));
  solver_.emplace(elements, states, condition_nodes_, options_.threads);
  f_.resize(system_.rows() * basis_.points(), elements);
  defect_.resize(states, elements), gamma_.resize(states, elements);
  g_.resize(index_two_, elements + 1), lower_.resize(system_.lower.rows(), elements + 1);
}

void MeshEquations::linearize_node(int thread, const Iterate& at, int element) {
  const double t = at.t[at_index(element) + 1];
  double* s = slots_[at_index(thread)].data();
  Projector& projector = projectors_[at_index(thread)];
  NodeProjection& node = projections_[at_index(element)];
  node_slots(thread, at, element + 1, s);
  projector.linearize(t, s, projects() ? index_two_ : 0, projects_lower(), node);
  if (projects()) projector.residual(t, s, node, g_.col(element + 1).data());
  if (projects_lower()) projector.lower(t, s, lower_.col(element + 1).data());
}

bool MeshEquations::linearize(const Iterate& at) {
  const int elements = at.elements(), states = system_.states();
  linearized_ += elements;
  count_evaluations(elements);
  for_elements(elements, options_.threads, [&](int i, int thread) {
    ElementKernel& kernel = kernels_[at_index(thread)];
    const double h = at.length(i);
    auto transfer = transfer_.middleCols(i * states, states);
    kernel.factor(at.left(i), h, at.z.col(i).data(), at.w.col(i).data(), at.y.col(i).data(),
                  f_.col(i).data(), defect_.col(i).data(), factors_[i]);
    kernel.transfer(factors_[i], h, transfer.data());
    defect_.col(i) -= at.z.col(i + 1);
    if (projections_.empty()) return;
    linearize_node(thread, at, i);
    project(projections_[at_index(i)], nullptr, nullptr, transfer, projects());
  });
  for (int i = 0; i < elements; ++i)
    if (!factors_[i].is_regular || !transfer_.middleCols(i * states, states).allFinite() ||
        !(projections_.empty() || projections_[at_index(i)].is_regular)) {
      fail_singular_element(at, i);
      return false;
    }
  condition_states(at);
  NodeProjection& left = condition_projections_[0];
  left_residual(at, left);
  conditions_.jacobian(condition_states_, condition_jacobian_);
  conditions_.residual(condition_states_, g_.col(0).data(), condition_residual_);
  if (left.is_regular && solver_->factor(transfer_, condition_jacobian_)) return true;
  fail_singular_system();
  return false;
}

void MeshEquations::left_residual(const Iterate& at, NodeProjection& left) {
  if (index_two_ == 0) return;
  const double* s = condition_states_[0].slots.data();
  projectors_[0].linearize(at.t[0], s, index_two_, false, left);
  if (&left != &condition_projections_[0]) {
    // Null vectors of this iterate in the basis for which the matrix was made.
    const Matrix& basis = condition_projections_[0].u;
    const Matrix turn = (left.u.transpose() * left.u).ldlt().solve(left.u.transpose() * basis);
    left.u = (left.u * turn).eval();
  }
  projectors_[0].residual(at.t[0], s, left, g_.col(0).data());
}

bool MeshEquations::residual_is_finite() const {
  return f_.allFinite() && defect_.allFinite() && condition_residual_.allFinite();
}

bool MeshEquations::residual(const Iterate& at) {
  count_evaluations(at.elements());
  for_elements(at.elements(), options_.threads, [&](int i, int thread) {
    kernels_[at_index(thread)].residual(at.left(i), at.length(i), at.z.col(i).data(),
                                        at.w.col(i).data(), at.y.col(i).data(), f_.col(i).data(),
                                        defect_.col(i).data());
    defect_.col(i) -= at.z.col(i + 1);
    if (!projections_.empty()) linearize_node(thread, at, i);
  });
  condition_states(at);
  left_residual(at, left_);
  conditions_.residual(condition_states_, g_.col(0).data(), condition_residual_);
  return residual_is_finite();
}

void MeshEquations::correction(Iterate& delta) {
  const int elements = factors_.size();
  for_elements(elements, options_.threads, [&](int i, int thread) {
    ElementKernel& kernel = kernels_[at_index(thread)];
    kernel.solve(factors_[i], f_.col(i).data(), delta.w.col(i).data(), delta.y.col(i).data());
    gamma_.col(i) = defect_.col(i);
    kernel.add_end(delta.length(i), delta.w.col(i).data(), gamma_.col(i).data());
    if (!projections_.empty())
      project(projections_[at_index(i)], g_.col(i + 1).data(), lower_.col(i + 1).data(),
              gamma_.col(i), projects());
  });
  solver_->solve(gamma_, -condition_residual_, delta.z);
  for_elements(elements, options_.threads, [&](int i, int thread) {
    kernels_[at_index(thread)].complete(factors_[i], delta.length(i), delta.z.col(i).data(),
                                        delta.w.col(i).data(), delta.y.col(i).data());
  });
}

std::string MeshEquations::violated_condition(const Iterate& at, double tolerance) {
  condition_nodes_ = conditions_.nodes(at.t);
  condition_states(at);
  return conditions_.violated(condition_states_, tolerance);
}

std::string MeshEquations::trouble(const Iterate& at) {
  Vector f(f_.rows()), end(system_.states());
  for (int i = 0; i < at.elements(); ++i) {
    kernels_[0].residual(at.left(i), at.length(i), at.z.col(i).data(), at.w.col(i).data(),
                         at.y.col(i).data(), f.data(), end.data());
    for (int r = 0; r < f.size(); ++r)
      if (!std::isfinite(f[r]))
        return fmt::format("t = {:.6g}, {}",
                           at.left(i) + basis_.rho(r % basis_.points()) * at.length(i),
                           system_.row_names[at_index(r / basis_.points())]);
  }
  return {};
}

void MeshEquations::fail_singular_element(const Iterate& at, int element) {
  failure_.what = "the collocation equations of an element are singular";
  failure_.where = fmt::format("between t = {:.6g} and {:.6g}, element {} of {}", at.left(element),
                               at.t[at_index(element) + 1], element + 1, at.elements());
  failure_.why =
      "the equations do not determine the highest derivatives and the algebraic variables there: "
      "the constraints lose rank, or their index is higher than their structure shows";
  failure_.hint = "another guess, or constraints differentiated by hand";
}

void MeshEquations::fail_singular_system() {
  const Vector direction = solver_->free_direction();
  std::vector<std::pair<double, int>> sizes;
  for (int p = 0; p < static_cast<int>(condition_nodes_.size()); ++p)
    for (int j = 0; j < system_.states(); ++j)
      sizes.emplace_back(-std::abs(direction[p * system_.states() + j]), p * system_.states() + j);
  std::sort(sizes.begin(), sizes.end());
  Names names;
  for (const auto& [size, place] : sizes) {
    if (!(-size > 0.3 * -sizes[0].first) || names.size() == 4 || !std::isfinite(size)) break;
    const std::string name =
        fmt::format("{} at t = {:.6g}", system_.slot_names[at_index(place % system_.states())],
                    condition_states_[at_index(place / system_.states())].t);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  failure_.what = "the boundary conditions do not determine the solution";
  failure_.where = names.empty()
                       ? "where they are linearised"
                       : fmt::format("and leave free, together: {}", fmt::join(names, ", "));
  failure_.why = fmt::format(
      "conditions that repeat each other or the constraints, a guess at which a nonlinear "
      "condition "
      "has no derivative, or a solution that grows so fast that the conditions do not reach it "
      "(changes are amplified by {:.1e})",
      solver_->condition());
  failure_.hint = "conditions for the variables named, or another guess";
}

}  // namespace daedalus::bvp
