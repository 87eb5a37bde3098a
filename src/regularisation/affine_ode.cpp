#include "regularisation/affine_ode.h"

#include <cmath>

#include <Eigen/LU>

#include "bvp/block_solver.h"

namespace daedalus {
namespace {

/// One step: all slopes as k = by_start u + constant, and u_i = T u + g.
struct CondensedStep {
  Matrix by_start;
  Vector constant;
  Matrix T;
  Vector g;
};

/// k_j = L_j (u + h sum_l a_jl k_l) + l_j, solved for an unknown u.
CondensedStep condense(const AffineOde& ode, int n, const Tableau& method, double t, double h,
                       int first_node) {
  const int s = method.stages;
  Matrix left = Matrix::Identity(s * n, s * n);
  Matrix right(s * n, n + 1);
  AffineRate rate{Matrix(n, n), Vector(n)};
  for (int j = 0; j < s; ++j) {
    ode(t + method.c[j] * h, first_node + j, rate);
    for (int l = 0; l < s; ++l) left.block(j * n, l * n, n, n) -= h * method.a[j][l] * rate.L;
    right.block(j * n, 0, n, n) = rate.L;
    right.block(j * n, n, n, 1) = rate.l;
  }
  const Matrix slopes = left.partialPivLu().solve(right);
  CondensedStep step{slopes.leftCols(n), slopes.col(n), Matrix::Identity(n, n), Vector::Zero(n)};
  for (int j = 0; j < s; ++j) {
    step.T += h * method.b[j] * step.by_start.middleRows(j * n, n);
    step.g += h * method.b[j] * step.constant.segment(j * n, n);
  }
  return step;
}

/// The chain of steps with its conditions is the condensed system of a mesh.
Matrix two_point_solution(const std::vector<CondensedStep>& steps, int n,
                          const EndConditions& conditions) {
  const int count = static_cast<int>(steps.size());
  Matrix transfer(n, n * count), gamma(n, count), both(n, 2 * n), u;
  for (int i = 0; i < count; ++i) {
    transfer.middleCols(i * n, n) = steps[i].T;
    gamma.col(i) = steps[i].g;
  }
  both << conditions.begin, conditions.end;
  bvp::BlockSolver solver(count, n, {0, count}, 1);
  if (!solver.factor(transfer, both)) return Matrix::Constant(n, count + 1, NAN);
  solver.solve(gamma, conditions.values, u);
  return u;
}

Matrix initial_value_solution(const std::vector<CondensedStep>& steps, int n,
                              const EndConditions& conditions) {
  Matrix u(n, steps.size() + 1);
  u.col(0) = conditions.begin.partialPivLu().solve(conditions.values);
  for (std::size_t i = 0; i < steps.size(); ++i) u.col(i + 1) = steps[i].T * u.col(i) + steps[i].g;
  return u;
}

}  // namespace

std::vector<double> stage_times(const Tableau& method, const std::vector<double>& mesh) {
  std::vector<double> times;
  for (std::size_t i = 1; i < mesh.size(); ++i)
    for (int j = 0; j < method.stages; ++j)
      times.push_back(method.c[j] == 1 ? mesh[i]
                                       : mesh[i - 1] + method.c[j] * (mesh[i] - mesh[i - 1]));
  return times;
}

AffineSolution solve_affine(const AffineOde& ode, int size, const EndConditions& conditions,
                            const Tableau& method, const std::vector<double>& mesh) {
  const int s = method.stages;
  const int count = static_cast<int>(mesh.size()) - 1;
  std::vector<CondensedStep> steps;
  steps.reserve(count);
  for (int i = 0; i < count; ++i)
    steps.push_back(condense(ode, size, method, mesh[i], mesh[i + 1] - mesh[i], i * s));
  AffineSolution solution{conditions.end.size() == 0
                              ? initial_value_solution(steps, size, conditions)
                              : two_point_solution(steps, size, conditions),
                          Matrix(size, count * s)};
  for (int i = 0; i < count; ++i) {
    const double h = mesh[i + 1] - mesh[i];
    const Vector k = steps[i].by_start * solution.u.col(i) + steps[i].constant;
    for (int j = 0; j < s; ++j) {
      solution.stages.col(i * s + j) = solution.u.col(i);
      for (int l = 0; l < s; ++l)
        solution.stages.col(i * s + j) += h * method.a[j][l] * k.segment(l * size, size);
    }
  }
  return solution;
}

}  // namespace daedalus
