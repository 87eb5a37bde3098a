#include "formulation/straight_line.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

ThirdDerivative::ThirdDerivative(const Differentiated<1>& g, int arguments)
    : g_(g),
      n_(arguments),
      shifted_(static_cast<std::size_t>(arguments)),
      second_(static_cast<std::size_t>(g.rows())) {
  if (g_.rows() > 0 && g_.function().is_recordable()) record();
}

void ThirdDerivative::record() {
  Graph graph;
  // Inputs: the time, then q, then v.
  const Expr t(graph, graph.input(0));
  std::vector<Expr> q;
  for (int j = 0; j < n_; ++j) q.emplace_back(graph, graph.input(1 + j));
  std::vector<Expr> rows(static_cast<std::size_t>(g_.rows()));
  try {
    g_.function()(t, {InputOf<Expr>(q.data(), n_)}, OutputOf<Expr>(rows.data(), g_.rows()));
  } catch (const std::exception&) {
    return;  // it branches on values
  }
  std::vector<int> inputs;
  for (int j = 0; j <= n_; ++j) inputs.push_back(j);
  std::vector<NodeId> outputs;
  for (const Expr& row : rows) {
    NodeId node = row.node_in(graph);
    for (int order = 0; order < 3; ++order) {
      const std::vector<NodeId> partial = gradient(graph, node, inputs);
      node = partial[0];
      for (int j = 0; j < n_; ++j)
        node = graph.add(node, graph.mul(partial[1 + j], graph.input(1 + n_ + j)));
    }
    outputs.push_back(node);
  }
  tape_ = Tape(graph, 1 + 2 * n_, outputs);
  memory_.resize(static_cast<std::size_t>(tape_.registers()));
  std::copy(tape_.constants().begin(), tape_.constants().end(), memory_.begin() + tape_.inputs());
  recorded_ = true;
}

void ThirdDerivative::operator()(double t, const double* q, const double* v, double* out) {
  if (!recorded_) return differences(t, q, v, out);
  memory_[0] = t;
  std::copy(q, q + n_, memory_.begin() + 1);
  std::copy(v, v + n_, memory_.begin() + 1 + n_);
  tape_.run_one(memory_.data());
  for (std::size_t i = 0; i < tape_.outputs().size(); ++i) out[i] = memory_[tape_.outputs()[i]];
}

void ThirdDerivative::differences(double t, const double* q, const double* v, double* out) {
  double size = 1, speed = 1e-300;
  for (int j = 0; j < n_; ++j)
    size = std::max(size, std::abs(q[j])), speed = std::max(speed, std::abs(v[j]));
  const double s = 1e-3 * size / speed;  // error s^4 against rounding eps / s
  std::fill(out, out + g_.rows(), 0.0);
  for (const auto& [shift, weight] :
       {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    for (int j = 0; j < n_; ++j) shifted_[j] = q[j] + shift * s * v[j];
    g_.second(t + shift * s, {shifted_.data()}, {v}, second_.data());
    for (int i = 0; i < g_.rows(); ++i) out[i] += weight * second_[i] / (12 * s);
  }
}

}  // namespace daedalus
