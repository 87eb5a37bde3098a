// Initial values: the same elements one after the other. Newton's method for the unknowns of an
// element, then the projection of its right end. [AscherPetzold1992, 2]
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bvp/element.h"
#include "bvp/mesh.h"
#include "bvp/polynomial.h"
#include "daedalus/error.h"

namespace daedalus {
namespace bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class March {
 public:
  March(const BoundaryGraph& graph, const BoundaryOptions& options)
      : options_(options),
        system_(graph, options.form, options.gamma),
        basis_(options.points, options.stages > 0 ? options.stages : system_.highest() + 2,
               system_.highest()),
        kernel_(system_, basis_),
        projector_(system_),
        f_(system_.rows() * basis_.points()),
        end_(system_.states()) {}

  BoundarySolution run(const BoundaryGraph& graph, const Values& start) {
    const int states = system_.states(), k = basis_.points();
    u_.t = options_.mesh.empty() ? equal_mesh(options_.elements, graph.t_span, {}) : options_.mesh;
    const int elements = u_.elements();
    u_.z.setZero(states, elements + 1);
    u_.w.setZero(system_.components() * k, elements);
    u_.y.setZero(system_.algebraic() * k, elements);
    // Shifts of projected invariants, which come last, begin with zero.
    u_.z.col(0).head(start.size()) = start.vector();
    BoundarySolution solution;
    int done = 0;
    while (done < elements && solution.succeeded()) {
      if (done > 0) u_.w.col(done) = u_.w.col(done - 1), u_.y.col(done) = u_.y.col(done - 1);
      if (step(done, solution)) ++done;
    }
    u_.t.resize(at(done) + 1);
    u_.z.conservativeResize(states, done + 1);
    u_.w.conservativeResize(u_.w.rows(), done), u_.y.conservativeResize(u_.y.rows(), done);
    solution.variables = graph.shown_names;
    solution.t = u_.t;
    if (done > 0) {
      const PiecewisePolynomial polynomial(graph, system_, basis_, u_);
      std::vector<double> row(graph.shown.size());
      for (const double t : u_.t) {
        polynomial.values(t, row.data());
        solution.values.insert(solution.values.end(), row.begin(), row.end());
      }
      solution.polynomial = std::make_shared<PiecewisePolynomial>(polynomial);
    }
    return solution;
  }

 private:
  bool fail(BoundarySolution& solution, int i, Reason reason, const char* what, const char* why) {
    solution.status = Status::failed;
    solution.reason = reason;
    solution.message = {what,
                        fmt::format("between t = {:.6g} and {:.6g}", u_.left(i), u_.t[at(i) + 1]),
                        why, "smaller elements"};
    return false;
  }

  bool step(int i, BoundarySolution& solution) {
    constexpr int most_iterations = 30;
    const double t = u_.left(i), h = u_.length(i);
    const double* left = u_.z.col(i).data();
    Vector dw(u_.w.rows()), dy(std::max<Eigen::Index>(1, u_.y.rows()));
    double before = HUGE_VAL;
    for (int iteration = 0;; ++iteration) {
      kernel_.factor(t, h, left, u_.w.col(i).data(), u_.y.col(i).data(), factors_);
      if (!factors_.is_regular)
        return fail(solution, i, Reason::singular_matrix,
                    "the equations of an element are singular", "the constraints lose rank");
      kernel_.residual(t, h, left, u_.w.col(i).data(), u_.y.col(i).data(), f_.data(), end_.data());
      kernel_.solve(factors_, h, f_.data(), dw.data(), dy.data());
      u_.w.col(i) += dw;
      if (u_.y.rows() > 0) u_.y.col(i) += dy;
      const double change = dw.norm() / (1 + u_.w.col(i).norm());
      if (!std::isfinite(change))
        return fail(solution, i, Reason::not_finite, "the equations are not finite",
                    "an overflow, or a function outside of where it is defined");
      // Until rounding errors are all that moves.
      if (change < 1e-14 || (change < 1e-9 && change > 0.1 * before)) break;
      if (iteration == most_iterations)
        return fail(solution, i, Reason::newton_failed, "Newton's method did not converge",
                    "the element is too long for the nonlinearity");
      before = change;
    }
    kernel_.residual(t, h, left, u_.w.col(i).data(), u_.y.col(i).data(), f_.data(), end_.data());
    project_end(i);
    return true;
  }

  void project_end(int i) {
    const double t = u_.t[at(i) + 1];
    Vector s(system_.slots());
    kernel_.slots_at(basis_.points(), u_.length(i), u_.z.col(i).data(), u_.w.col(i).data(),
                     u_.y.col(i).data(), s.data());
    const bool projects = options_.project && !basis_.ends_in_point();
    const bool with_lower = options_.project_lower && system_.zero_at_left.empty();
    const int states = system_.states();
    if (count_ < 0) count_ = projector_.count(system_, t, s.data());
    Vector g(std::max(1, count_)), lower(std::max(1, system_.lower.rows()));
    auto z = u_.z.col(i + 1);
    z = end_;
    for (int iteration = 0; iteration < 10; ++iteration) {
      s.head(states) = z;
      projector_.linearize(system_, t, s.data(), projects ? count_ : 0, with_lower, node_);
      if (projects && count_ > 0) projector_.residual(system_, t, s.data(), node_, g.data());
      lower.setZero();
      if (with_lower) system_.lower.add_residual(t, s.data(), lower.data());
      Vector delta = end_ - z;
      project(node_, g.data(), lower.data(), delta, projects && count_ > 0);
      z += delta;
      if (delta.norm() <= 1e-15 * (1 + z.norm())) break;
    }
  }

  BoundaryOptions options_;
  CollocationSystem system_;
  Basis basis_;
  ElementKernel kernel_;
  Projector projector_;
  NodeProjection node_;
  ElementFactors factors_;
  Iterate u_;
  Vector f_, end_;
  int count_ = -1;
};

}  // namespace
}  // namespace bvp

BoundarySolution collocate_initial_values(const BoundaryProblem& problem, const Values& start,
                                          const BoundaryOptions& options) {
  if (start.size() != problem.states())
    throw InvalidInput(
        fmt::format("start: {} values for {} states", start.size(), problem.states()));
  const bvp::BoundaryGraph graph = bvp::graph_of(problem);
  return bvp::March(graph, options).run(graph, start);
}

}  // namespace daedalus
