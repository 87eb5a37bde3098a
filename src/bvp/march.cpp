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
        shared_(std::make_shared<CollocationSystem>(graph, options.form, options.gamma)),
        system_(*shared_),
        basis_(Basis::shared(options.points,
                             options.stages > 0 ? options.stages : system_.highest() + 2,
                             system_.highest())),
        kernel_(system_, basis_),
        projector_(system_),
        f_(system_.rows() * basis_.points()),
        end_(system_.states()) {
    factors_.resize(kernel_, 1);
  }

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
    const int done = options_.adapt && options_.mesh.empty() ? adapt(graph.t_span, solution)
                                                             : follow_mesh(solution);
    u_.t.resize(at(done) + 1);
    u_.z.conservativeResize(states, done + 1);
    u_.w.conservativeResize(u_.w.rows(), done), u_.y.conservativeResize(u_.y.rows(), done);
    solution.variables = graph.shown_names;
    solution.t = u_.t;
    if (done > 0) {
      const PiecewisePolynomial polynomial(graph, shared_, basis_, u_);
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
  int follow_mesh(BoundarySolution& solution) {
    int done = 0;
    while (done < u_.elements() && solution.succeeded())
      if (begin_like_last(done); step(done, solution)) ++done;
    return done;
  }

  void begin_like_last(int i) {
    if (i > 0)
      u_.w.col(i) = u_.w.col(i - 1), u_.y.col(i) = u_.y.col(i - 1);
    else
      u_.w.col(0).setZero(), u_.y.col(0).setZero();
  }

  /// Room for elements up to number `elements`.
  void reserve(int elements) {
    if (static_cast<int>(u_.w.cols()) >= elements) return;
    const int room = 2 * elements;
    u_.t.resize(at(room) + 1);
    u_.z.conservativeResize(Eigen::NoChange, room + 1);
    u_.w.conservativeResize(Eigen::NoChange, room), u_.y.conservativeResize(Eigen::NoChange, room);
  }

  /// Variables at the right end of element i.
  Vector end_values(int i) {
    Vector s(system_.slots());
    kernel_.slots_at_end(u_.length(i), u_.z.col(i).data(), u_.w.col(i).data(), u_.y.col(i).data(),
                         s.data());
    s.head(system_.states()) = u_.z.col(i + 1);
    return s;
  }

  /// One element against its two halves, which are kept: the difference, divided by 2^q - 1 with
  /// the order q inside of elements, is the error of the halves and chooses the next length.
  int adapt(Interval span, BoundarySolution& solution) {
    const int k = basis_.points();
    double h = (span.end - span.begin) / options_.elements;
    int done = 0;
    u_.t.assign(1, span.begin);
    u_.w.resize(Eigen::NoChange, 0), u_.y.resize(Eigen::NoChange, 0);
    while (u_.t[at(done)] < span.end) {
      reserve(done + 3);
      const double t = u_.t[at(done)];
      const bool is_last = t + 1.01 * h >= span.end;
      const double end = is_last ? span.end : t + h;
      double error = HUGE_VAL;
      BoundarySolution attempt;
      u_.t[at(done) + 1] = end;
      begin_like_last(done);
      if (step(done, attempt)) {
        const Vector coarse = end_values(done);
        u_.t[at(done) + 1] = 0.5 * (t + end), u_.t[at(done) + 2] = end;
        begin_like_last(done);
        if (step(done, attempt)) begin_like_last(done + 1);
        if (attempt.succeeded() && step(done + 1, attempt))
          error = difference(coarse, end_values(done + 1));
      }
      if (error <= 1) done += 2;
      h = (end - t) * std::clamp(0.9 * std::pow(std::max(error, 1e-10), -1.0 / (k + 1)), 0.1, 4.0);
      if (!(h > 1e-13 * (span.end - span.begin)) || done > options_.max_elements) {
        solution = attempt;
        if (solution.succeeded()) {
          reserve(done + 3);
          u_.t[at(done) + 1] = t + h;
          fail(solution, done, Reason::step_too_small,
               "the tolerance needs elements that are too short",
               "a singularity of the solution, or rounding errors");
        }
        break;
      }
    }
    return done;
  }

  double difference(const Vector& coarse, const Vector& fine) const {
    const int k = basis_.points();
    double error = 0;
    for (int j = 0; j < system_.slots(); ++j) {
      if (!system_.controlled[at(j)]) continue;
      const int order = j < system_.states() ? k + 1 : k;
      const double own = std::abs(coarse[j] - fine[j]) / (std::pow(2.0, order) - 1) /
                         (options_.tolerance * (1 + std::abs(fine[j])));
      error = std::isfinite(own) ? std::max(error, own) : HUGE_VAL;
    }
    return error;
  }

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
    const Vector no_change = Vector::Zero(system_.states());
    double before = HUGE_VAL;
    for (int iteration = 0;; ++iteration) {
      kernel_.factor(t, h, left, u_.w.col(i).data(), u_.y.col(i).data(), f_.data(), end_.data(),
                     factors_[0]);
      if (!factors_[0].is_regular)
        return fail(solution, i, Reason::singular_matrix,
                    "the equations of an element are singular", "the constraints lose rank");
      kernel_.solve(factors_[0], f_.data(), dw.data(), dy.data());
      kernel_.complete(factors_[0], h, no_change.data(), dw.data(), dy.data());
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
    kernel_.slots_at_end(u_.length(i), u_.z.col(i).data(), u_.w.col(i).data(), u_.y.col(i).data(),
                         s.data());
    const bool projects = options_.project && !basis_.ends_in_point();
    const bool with_lower = options_.project_lower && system_.zero_at_left.empty();
    const int states = system_.states();
    if (count_ < 0) count_ = projector_.count(t, s.data());
    Vector g(std::max(1, count_)), lower(std::max(1, system_.lower.rows()));
    auto z = u_.z.col(i + 1);
    z = end_;
    for (int iteration = 0; iteration < 10; ++iteration) {
      s.head(states) = z;
      projector_.linearize(t, s.data(), projects ? count_ : 0, with_lower, node_);
      if (projects && count_ > 0) projector_.residual(t, s.data(), node_, g.data());
      if (with_lower) projector_.lower(t, s.data(), lower.data());
      Vector delta = end_ - z;
      project(node_, g.data(), lower.data(), delta, projects && count_ > 0);
      z += delta;
      if (delta.norm() <= 1e-15 * (1 + z.norm())) break;
    }
  }

  BoundaryOptions options_;
  std::shared_ptr<const CollocationSystem> shared_;
  const CollocationSystem& system_;
  const Basis& basis_;
  ElementKernel kernel_;
  Projector projector_;
  NodeProjection node_;
  ElementStore factors_;
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
