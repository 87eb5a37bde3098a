// Each order is grown from the lower ones: branches are multisets, each listed once.
#include "method/trees.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace daedalus {
namespace {

class Grower {
 public:
  Grower(TreeKind kind, int limit) : kind_(kind), limit_(limit) {
    const auto orders = static_cast<std::size_t>(limit) + 1;
    forest_.y.resize(orders);
    forest_.z.resize(orders - 1);
    y_branches_.resize(orders);
    z_branches_.resize(orders);
  }

  Forest grow() {
    add({Colour::y, 1, 1, {}}, true);
    for (int order = 2; order <= limit_; ++order) {
      grow_y(order);
      if (kind_ == TreeKind::classical) continue;
      grow_z(order - 1);
      grow_single_z(order);
    }
    return std::move(forest_);
  }

 private:
  bool is_essential() const { return kind_ == TreeKind::index_2_essential; }

  void add(Tree tree, bool can_branch) {
    const auto index = static_cast<int>(forest_.trees.size());
    const auto order = static_cast<std::size_t>(tree.order);
    (tree.root == Colour::y ? forest_.y : forest_.z)[order].push_back(index);
    if (can_branch) (tree.root == Colour::y ? y_branches_ : z_branches_)[order].push_back(index);
    forest_.trees.push_back(std::move(tree));
  }

  // All multisets of branches with the given sum of orders.
  template <class Use>
  void for_each_multiset(int sum, bool with_z, const Use& use) {
    std::vector<int> pool;
    for (int order = 1; order <= sum; ++order) {
      const auto k = static_cast<std::size_t>(order);
      pool.insert(pool.end(), y_branches_[k].begin(), y_branches_[k].end());
      if (with_z) pool.insert(pool.end(), z_branches_[k].begin(), z_branches_[k].end());
    }
    std::vector<int> chosen;
    extend(pool, 0, sum, chosen, use);
  }

  template <class Use>
  void extend(const std::vector<int>& pool, std::size_t from, int sum, std::vector<int>& chosen,
              const Use& use) {
    if (sum == 0) return use(chosen);
    for (std::size_t k = from; k < pool.size(); ++k) {
      const int order = forest_.trees[static_cast<std::size_t>(pool[k])].order;
      if (order > sum) break;
      chosen.push_back(pool[k]);
      extend(pool, k, sum - order, chosen, use);
      chosen.pop_back();
    }
  }

  long double gamma_product(const std::vector<int>& branches) const {
    long double product = 1;
    for (int branch : branches) product *= forest_.trees[static_cast<std::size_t>(branch)].gamma;
    return product;
  }

  // All but [u]_y, which must wait for the z trees of order - 1.
  void grow_y(int order) {
    for_each_multiset(order - 1, true, [&](const std::vector<int>& branches) {
      add({Colour::y, order, order * gamma_product(branches), branches}, true);
    });
  }

  void grow_z(int order) {
    for_each_multiset(order + 1, false, [&](const std::vector<int>& branches) {
      const bool is_single = branches.size() == 1;
      add({Colour::z, order, gamma_product(branches) / (order + 1), branches},
          !(is_single && is_essential()));
    });
  }

  void grow_single_z(int order) {
    const std::vector<int> roots = forest_.z[static_cast<std::size_t>(order) - 1];
    for (int u : roots) {
      const bool repeats = forest_.trees[static_cast<std::size_t>(u)].branches.size() == 1;
      if (repeats && is_essential()) continue;
      add({Colour::y, order, order * gamma_product({u}), {u}}, !is_essential());
    }
  }

  TreeKind kind_;
  int limit_;
  Forest forest_;
  std::vector<std::vector<int>> y_branches_;
  std::vector<std::vector<int>> z_branches_;
};

}  // namespace

Forest grow_trees(TreeKind kind, int limit) {
  return Grower(kind, limit).grow();
}

std::string tree_name(const Forest& forest, int tree, bool with_colours) {
  const Tree& root = forest.trees[static_cast<std::size_t>(tree)];
  if (root.branches.empty()) return "tau";
  std::string name = "[";
  for (int branch : root.branches) {
    if (name.size() > 1) name += ',';
    name += tree_name(forest, branch, with_colours);
  }
  name += ']';
  if (with_colours) name += root.root == Colour::y ? "_y" : "_z";
  return name;
}

bool is_single_z(const Forest& forest, int tree) {
  const Tree& root = forest.trees[static_cast<std::size_t>(tree)];
  return root.root == Colour::y && root.branches.size() == 1 &&
         forest.trees[static_cast<std::size_t>(root.branches[0])].root == Colour::z;
}

}  // namespace daedalus
