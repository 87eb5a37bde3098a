#pragma once
// A boundary value problem as graphs: what a model with a `constraint` section and a
// BoundaryProblem of C++ functions both become.
#include <functional>

#include "daedalus/bvp.h"
#include "expression/equation_set.h"

namespace daedalus::model {
struct FlatModel;
}

namespace daedalus::bvp {

/// x[k][j] = k-th derivative of variable j, k < orders; zeros on entry.
using BoundaryGuess = std::function<void(double t, int orders, double* const* x)>;

struct BoundaryGraph {
  Names variables = {};
  /// What a solution holds: derivatives (order) of variables.
  std::vector<std::pair<int, int>> shown = {};
  Names shown_names = {};
  EquationSet equations = {};
  Names equation_names = {};
  std::vector<double> points = {};  ///< of the conditions, increasing
  /// Variable p * variables.size() + j stands for variable j at points[p].
  EquationSet conditions = {};
  Names condition_names = {};
  Interval t_span = {};
  BoundaryGuess guess = {};
  std::vector<double> discrete = {};  ///< values that only events would change

  int size() const { return static_cast<int>(variables.size()); }
};

BoundaryGraph graph_of(const BoundaryProblem& problem);
/// The same without the guess, which may be anything the next time: that of an earlier run, if the
/// functions still do what they did. Throws InvalidInput.
std::shared_ptr<const BoundaryGraph> recorded_graph(const BoundaryProblem& problem);
BoundaryGuess guess_of(const BoundaryProblem& problem);
BoundaryGraph graph_of(const model::FlatModel& model);
/// Sequential regularisation of its constraints as one problem of index 1. Throws InvalidInput.
BoundaryGraph regularised(const BoundaryGraph& graph, double eps, int iterations);
/// The equations without the conditions, with the guess at the left end as start.
Problem problem_of(const BoundaryGraph& graph);

}  // namespace daedalus::bvp
