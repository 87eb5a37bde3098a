// Sparse motions where their constraints are regular: all but the forces as straight-line code. And
// motions of functions, whose constraints were recorded: what later runs need not make again.
#include <algorithm>

#include "formulation/recorded_motion.h"
#include "formulation/sparse_motion.h"
#include "problem/findings.h"

namespace daedalus {
namespace {

// Code pays where the factors have few entries beside the rows, as those of chains and trees.
constexpr int most_fill_of_code = 4;

/// A motion before its begin, and what it was made of.
struct SparseMotionFinding {
  mutable std::recursive_timed_mutex turn;  ///< for the graph
  mutable Graph graph;
  std::vector<NodeId> constraints;
  int coordinates;
  std::vector<Mass::Entry> mass;
  std::shared_ptr<const SparseMotion> motion;  ///< null: sparse matrices do not pay

  bool fits(const Mechanical& form) const {
    const BriefTurn mine(turn);
    std::vector<NodeId> again;
    const auto same = [](const Mass::Entry& a, const Mass::Entry& b) {
      return a.row == b.row && a.column == b.column && a.value == b.value;
    };
    return mine && form.coordinates == coordinates &&
           std::ranges::equal(form.mass.entries(coordinates), mass, same) &&
           recorded_constraints(form, graph, again) && again == constraints;
  }
};

}  // namespace

/// Forces are numbers: what they depend on need not be known, and may change at any time.
void SparseMotion::make_code(const Graph& graph, const std::vector<NodeId>& constraints,
                             int first_force, int inputs) {
  if (n_ > StraightMotion::most_coordinates_of_constraints || gram_.fill() > most_fill_of_code * m_)
    return;
  Graph all = graph;
  const auto n = static_cast<std::size_t>(n_);
  MotionNodes motion{.mass = std::vector<NodeId>(n * n, all.constant(0)),
                     .force = {},
                     .further = inputs - 1 - 2 * n_,
                     .given_force = first_force};
  for (std::size_t k = 0; k < mass_entries_.at.size(); ++k) {
    const auto [row, column] = mass_entries_.at[k];
    NodeId& entry =
        motion.mass[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)];
    entry = all.add(entry, mass_entries_.nodes[k]);
  }
  for (int j = 0; j < n_; ++j) motion.force.push_back(all.input(first_force + j));
  code_ = StraightMotion::make(all, PositionConstraints(all, n_, constraints), motion, modes_);
}

bool SparseMotion::slope_by_code(double t, const double* x, double* xp) {
  if (!code_ || dense_ || lost_) return false;
  find_force(t, x, x + n_);
  const StraightMotion::Acceleration made = code_->accelerate(t, x, xp + n_, force_.data());
  if (!is_regular(made.rows)) return false;
  slope_is_by_code_ = true;
  ++factorizations;
  std::copy(x + n_, x + 2 * n_, xp);
  show_accelerations(xp + n_);
  return made.is_finite;
}

bool SparseMotion::project_by_code(double t, double* x) {
  return code_ && !dense_ && !lost_ &&
         code_->project(t, x, size_, [this](const StraightMotion::Rows& rows) {
           return is_regular(rows) && ++factorizations > 0;
         });
}

std::unique_ptr<SparseMotion> SparseMotion::make(const Mechanical& form, Dense dense,
                                                 const Findings& findings) {
  if (form.coordinates <= few_coordinates || form.holonomic == 0 || form.nonholonomic > 0 ||
      !form.mass.is_constant())
    return nullptr;
  const auto found = found_or_made<SparseMotionFinding>(
      findings, [&](const SparseMotionFinding& known) { return known.fits(form); },
      [&]() -> std::shared_ptr<SparseMotionFinding> {
        auto fresh = std::make_shared<SparseMotionFinding>();
        fresh->coordinates = form.coordinates, fresh->mass = form.mass.entries(form.coordinates);
        if (!recorded_constraints(form, fresh->graph, fresh->constraints)) return nullptr;
        Graph graph = fresh->graph;
        auto motion = std::make_shared<SparseMotion>(motion_sets(form, graph, fresh->constraints),
                                                     nullptr, nullptr);
        motion->algebraic = form.holonomic;
        if (!motion->pays()) return fresh;
        const int n = form.coordinates;
        motion->make_code(graph, fresh->constraints, 1 + 2 * n, 1 + 3 * n);
        motion->force_function_ = {};  // may hold what belongs to one run
        fresh->motion = std::move(motion);
        return fresh;
      });
  if (!found || !found->motion) return nullptr;
  std::unique_ptr<SparseMotion> motion(new SparseMotion(*found->motion, nullptr));
  motion->force_function_ = force_of(form);
  if (form.coordinates <= most_dense_coordinates) motion->make_dense_ = std::move(dense);
  return motion;
}

}  // namespace daedalus
