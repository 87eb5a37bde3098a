#pragma once
// Rooted trees for order conditions: the classical ones have one colour (y), those of index 2,
// y' = f(y, z), 0 = g(y), have two, with t in y and u in z [HairerLubichRoche1989, 5]:
//
//   tau,  [t1..tm, u1..un]_y  with m + n >= 1      rho = 1 + sum,  gamma = rho prod
//   [t1..tm]_z  with m >= 2 or t1 not tau, [u]_y   rho = sum - 1,  gamma = prod / (rho + 1)
//
// [tau]_z has differential (-g_y f_z)^-1 g_y f = 0, the hidden constraint, so it is no tree at all;
// without it every order is positive and has finitely many trees.
#include <string>
#include <vector>

namespace daedalus {

enum class Colour { y, z };

struct Tree {
  Colour root = Colour::y;
  int order = 1;
  long double gamma = 1;
  std::vector<int> branches;  ///< Indices into Forest::trees; empty: tau.
};

enum class TreeKind {
  classical,
  index_2,
  /// Without trees that repeat a condition. A branch [[t..,u..]_y]_z on y has the weights and gamma
  /// of the branches t..,u.. in its place (A^-1 A = 1), and so has a branch [[t..]_z]_y
  /// (A A^-1 = 1). Such trees are kept only at the root, where b or b^T A^-1 tells them apart.
  index_2_essential
};

struct Forest {
  std::vector<Tree> trees;  ///< Branches stand before the trees that use them.
  /// Indices by order, from order 0 (none): y to the limit, z to one less, because [t]_z rests on a
  /// t of the next order.
  std::vector<std::vector<int>> y, z;
};

/// All trees up to the limit.
Forest grow_trees(TreeKind kind, int limit);

/// "[tau,[tau,tau]_z]_y"; without colours for classical trees.
std::string tree_name(const Forest& forest, int tree, bool with_colours);

/// [u]_y: the differential f_z u is normal to the constraint, and b enters only through b^T A^-1.
bool is_single_z(const Forest& forest, int tree);

}  // namespace daedalus
