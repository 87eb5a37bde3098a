#pragma once
// A graph as it is integrated: without auxiliary variables, and with equations whose structure
// shows their index.
#include "daedalus/problem.h"
#include "problem/expansion.h"

namespace daedalus {

struct PreparedGraph {
  Problem problem;
  std::shared_ptr<const Expansion> expansion;  ///< null: no variable was left out
  std::string note;                            ///< what was done to the equations
  double fastest_source = 0;                   ///< of the equations as they were given
};

/// `on_manifold` as in `lean_problem`; `combine`: equations may be combined.
std::shared_ptr<const PreparedGraph> prepared_graph(const Problem& problem, bool on_manifold,
                                                    bool combine);

}  // namespace daedalus
