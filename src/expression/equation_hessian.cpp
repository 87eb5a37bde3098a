#include "expression/equation_hessian.h"

namespace daedalus {

EquationHessian::EquationHessian(const EquationSet& equations) {
  std::vector<Fragment> fragments;
  for (const Kernel& kernel : equations.kernels()) {
    Fragment fragment{&kernel, kernel.graph, {}, false, static_cast<int>(entries_.size())};
    std::vector<int> leaves;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order == 0)
        leaves.push_back(static_cast<int>(l));
    struct Pair {
      std::size_t first, second;
    };
    std::vector<Pair> pairs;
    const std::vector<NodeId> slopes = gradient(fragment.graph, kernel.residual, leaves);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      const std::vector<NodeId> curvatures = gradient(fragment.graph, slopes[k], leaves);
      for (std::size_t l = 0; l < leaves.size(); ++l) {
        if (fragment.graph.is_constant(curvatures[l], 0)) continue;
        fragment.outputs.push_back(curvatures[l]);
        pairs.push_back({static_cast<std::size_t>(leaves[k]), static_cast<std::size_t>(leaves[l])});
      }
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(kernel.instances()); ++i)
      for (const Pair& pair : pairs)
        entries_.push_back(
            {kernel.rows[i], kernel.which[pair.first][i], kernel.which[pair.second][i]});
    fragments.push_back(std::move(fragment));
  }
  program_ = Program(fragments, equations.kernels_);
}

}  // namespace daedalus
