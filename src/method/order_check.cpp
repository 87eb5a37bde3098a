// Weights of the trees for one tableau, y in columns t, z in columns u:
//
//   Phi(tau) = 1,   Phi([t.., u..]_y) = prod A Phi(t) * prod Phi(u)       componentwise
//   Phi([t..]_z) = W prod A^ Phi(t)
//
// A^ gives the points where g = 0 is asked for and W its inverse: A itself, or for half-explicit
// methods rows 2..s of A and then b. With an explicit first stage Z_1 = z_n is no unknown, so W is
// the inverse of the remaining block, bordered by zeros.
#include "daedalus/order_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "method/generate.h"
#include "method/inverse.h"
#include "method/trees.h"

namespace daedalus {
namespace {

struct ConstraintForm {
  ExtendedMatrix a_hat;
  ExtendedMatrix w;
  std::optional<ExtendedVector> z_weights;  // z1 - z0 = z_weights . (Z - z0)
  std::string obstacle;                     // why the method does not apply to index 2
};

ConstraintForm half_explicit_form(const Coefficients& k) {
  ConstraintForm form;
  const Eigen::Index s = k.b.size();
  form.a_hat.resize(s, s);
  form.a_hat << k.a.bottomRows(s - 1), k.b.transpose();
  if (const auto w = inverse_if_regular(form.a_hat)) {
    form.w = *w;
  } else {
    form.obstacle = "half-explicit steps need a_{i+1,i} != 0 and b_s != 0";
  }
  return form;
}

ConstraintForm constraint_form(const Tableau& method, const Coefficients& k) {
  if (is_explicit(method)) return half_explicit_form(k);
  ConstraintForm form;
  form.a_hat = k.a;
  const Eigen::Index s = k.b.size();
  const bool explicit_first = has_explicit_first_stage(method);
  const Eigen::Index n = explicit_first ? s - 1 : s;
  const auto inverse = inverse_if_regular(k.a.bottomRightCorner(n, n));
  if (!inverse) {
    form.obstacle = "A is singular";
    return form;
  }
  form.w = ExtendedMatrix::Zero(s, s);
  form.w.bottomRightCorner(n, n) = *inverse;
  if (is_stiffly_accurate(method)) {
    form.z_weights = ExtendedVector::Unit(s, s - 1);
  } else if (!explicit_first) {
    form.z_weights = form.w.transpose() * k.b;
  }
  return form;
}

// Each weight with a bound of the terms that were summed for it.
struct Weights {
  ExtendedMatrix value;
  ExtendedMatrix size;

  Weights(Eigen::Index stages, Eigen::Index trees)
      : value(ExtendedMatrix::Ones(stages, trees)), size(ExtendedMatrix::Ones(stages, trees)) {}

  void multiply(Eigen::Index column, const Weights& factor, Eigen::Index factor_column) {
    value.col(column).array() *= factor.value.col(factor_column).array();
    size.col(column).array() *= factor.size.col(factor_column).array();
  }
  void apply(const ExtendedMatrix& matrix, Eigen::Index column) {
    value.col(column) = (matrix * value.col(column)).eval();
    size.col(column) = (matrix.cwiseAbs() * size.col(column)).eval();
  }
};

Weights tree_weights(const Forest& forest, const ExtendedMatrix& a, const ConstraintForm& form) {
  const auto count = static_cast<Eigen::Index>(forest.trees.size());
  int highest = 0;
  for (const Tree& tree : forest.trees) highest = std::max(highest, tree.order);
  Weights phi(a.rows(), count);
  Weights a_phi(a.rows(), count);
  Weights a_hat_phi(a.rows(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Tree& tree = forest.trees[static_cast<std::size_t>(k)];
    const bool is_y = tree.root == Colour::y;
    if (!is_y && tree.branches.size() == 1) {
      phi.multiply(k, phi, tree.branches[0]);  // W A^ = 1, and most trees of z are of this form
      continue;
    }
    for (int branch : tree.branches) {
      const bool from_z = forest.trees[static_cast<std::size_t>(branch)].root == Colour::z;
      phi.multiply(k, from_z ? phi : (is_y ? a_phi : a_hat_phi), branch);
    }
    if (!is_y) {
      phi.apply(form.w, k);
      continue;
    }
    if (tree.order >= highest) continue;  // no branch of anything
    a_phi.multiply(k, phi, k);
    a_phi.apply(a, k);
    if (form.a_hat.size() == 0) continue;
    a_hat_phi.multiply(k, phi, k);
    a_hat_phi.apply(form.a_hat, k);
  }
  return phi;
}

struct Finding {
  int order = 0;
  double largest_defect = 0;
  std::string failure;
};

// Rounding of the coefficients to double leaves about 1e-16 of the summed terms; a residual beyond
// the upper bound is a failure however ill-conditioned the sum.
long double tolerance(long double size) {
  constexpr long double per_term = 1e-15L;
  return std::clamp(per_term * size, 1e-13L, 1e-7L);
}

template <class Selected>
Finding check(const Forest& forest, const std::vector<std::vector<int>>& by_order,
              const Weights& phi, const ExtendedVector& weights, bool with_colours,
              Selected selected) {
  Finding finding;
  for (std::size_t order = 1; order < by_order.size(); ++order) {
    for (int tree : by_order[order]) {
      if (!selected(tree)) continue;
      const long double exact = 1 / forest.trees[static_cast<std::size_t>(tree)].gamma;
      const long double value = weights.dot(phi.value.col(tree));
      const long double size = weights.cwiseAbs().dot(phi.size.col(tree));
      const long double defect = std::abs(value - exact);
      // Written so that a value that is not a number fails.
      if (!(defect <= tolerance(size))) {
        finding.failure =
            fmt::format("{}: {:.10g} instead of {:.10g}, residual {:.3g}",
                        tree_name(forest, tree, with_colours), value, exact, value - exact);
        return finding;
      }
      finding.largest_defect = std::max(finding.largest_defect, static_cast<double>(defect));
    }
    finding.order = static_cast<int>(order);
  }
  return finding;
}

void check_index2(const Tableau& method, const Coefficients& k, OrderReport& report) {
  const ConstraintForm form = constraint_form(method, k);
  if (!form.obstacle.empty()) {
    report.index2_obstacle = "index 2: not applicable, " + form.obstacle;
    return;
  }
  const Forest forest = grow_trees(TreeKind::index_2_essential, report.limit);
  const Weights phi = tree_weights(forest, k.a, form);
  Finding y = check(forest, forest.y, phi, k.b, true, [](int) { return true; });
  const Finding tangential =
      check(forest, forest.y, phi, k.b, true, [&](int tree) { return !is_single_z(forest, tree); });
  report.index2_y = y.order;
  report.index2_y_failure = std::move(y.failure);
  report.index2_y_tangential = tangential.order;
  report.largest_defect_below =
      std::max({report.largest_defect_below, y.largest_defect, tangential.largest_defect});
  if (!form.z_weights) return;
  Finding z = check(forest, forest.z, phi, *form.z_weights, true, [](int) { return true; });
  report.index2_z = z.order;
  report.index2_z_failure = std::move(z.failure);
  report.largest_defect_below = std::max(report.largest_defect_below, z.largest_defect);
}

}  // namespace

OrderReport check_orders(const Tableau& method, int limit) {
  if (limit < 1 || limit > 10) {
    throw InvalidInput(
        fmt::format("limit: {} for the order of trees; must be from 1 to 10", limit));
  }
  if (method.stages < 1 || method.stages > max_stages) {
    throw InvalidInput(fmt::format("stages: {} in method '{}'; must be from 1 to {}", method.stages,
                                   method.name, max_stages));
  }
  OrderReport report;
  report.limit = limit;
  report.quadrature = quadrature_order(method);
  report.stages_c = stage_order(method);
  report.adjoint_d = adjoint_order(method);
  report.stiffly_accurate = is_stiffly_accurate(method);
  const double r_infinity = stability_at_infinity(method);
  if (std::isfinite(r_infinity)) report.r_infinity = r_infinity;

  const Coefficients k = extended_coefficients(method);
  const Forest forest = grow_trees(TreeKind::classical, limit);
  const Weights phi = tree_weights(forest, k.a, {});
  Finding classical = check(forest, forest.y, phi, k.b, false, [](int) { return true; });
  report.classical = classical.order;
  report.largest_defect_below = classical.largest_defect;
  report.first_failure = std::move(classical.failure);
  check_index2(method, k, report);
  return report;
}

}  // namespace daedalus
