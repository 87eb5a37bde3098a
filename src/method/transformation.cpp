// Eigenvectors of W = A^-1 in extended precision, rounded to double at the very end.
// Scaling: real ones to 2-norm 1 with last component > 0, complex ones to last component 1.
#include "method/transformation.h"

#include <algorithm>
#include <complex>
#include <utility>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "daedalus/error.h"
#include "method/generate.h"
#include "method/inverse.h"

namespace daedalus {
namespace {

// Condition of T from which a multiple eigenvalue is assumed; distinct ones stay below 1e5 (s = 9),
// while rounding splits a double one into neighbours with condition 1e8 or more.
constexpr long double defective = 1e7L;

using Complex = std::complex<long double>;
using ComplexVector = Eigen::Matrix<Complex, Eigen::Dynamic, 1>;

struct Eigenpairs {
  std::vector<std::pair<long double, ExtendedVector>> real;
  std::vector<std::pair<Complex, ComplexVector>> complex;  // imaginary part > 0
};

Eigenpairs eigenpairs(const ExtendedMatrix& w) {
  const Eigen::EigenSolver<ExtendedMatrix> solver(w);
  const ComplexVector& values = solver.eigenvalues();
  const auto vectors = solver.eigenvectors().eval();
  const Eigen::Index last = w.rows() - 1;
  Eigenpairs result;
  for (Eigen::Index k = 0; k < w.rows(); ++k) {
    if (values[k].imag() == 0) {
      ExtendedVector v = vectors.col(k).real();
      v /= v[last] < 0 ? -v.norm() : v.norm();
      result.real.emplace_back(values[k].real(), v);
    } else if (values[k].imag() > 0) {
      ComplexVector v = vectors.col(k) / vectors(last, k);
      v[last] = 1;
      result.complex.emplace_back(values[k], v);
    }
  }
  std::sort(result.real.begin(), result.real.end(),
            [](const auto& left, const auto& right) { return left.first < right.first; });
  std::sort(result.complex.begin(), result.complex.end(), [](const auto& left, const auto& right) {
    return left.first.imag() < right.first.imag();
  });
  return result;
}

}  // namespace

StageTransformation transform_stages(const Tableau& method) {
  const Coefficients digits = extended_coefficients(method);
  StageTransformation result;
  result.explicit_first = has_explicit_first_stage(method);
  const int first = result.explicit_first ? 1 : 0;
  const int n = method.stages - first;
  result.unknowns = n;

  const auto w = inverse_if_regular(digits.a.bottomRightCorner(n, n));
  if (!w) {
    throw InvalidInput(
        fmt::format("method: {} has a singular matrix A{}; an implicit step needs its inverse",
                    method.name, result.explicit_first ? " (after its explicit first stage)" : ""));
  }

  ExtendedMatrix t(n, n);
  Eigen::Index column = 0;
  const Eigenpairs pairs = eigenpairs(*w);
  for (const auto& [value, vector] : pairs.real) {
    result.gamma.push_back(static_cast<double>(value));
    t.col(column++) = vector;
  }
  for (const auto& [value, vector] : pairs.complex) {
    result.pairs.push_back({static_cast<double>(value.real()), static_cast<double>(value.imag())});
    t.col(column++) = vector.real();
    t.col(column++) = vector.imag();
  }
  const auto t_inverse = inverse_if_regular(t);
  if (!t_inverse || t.norm() * t_inverse->norm() > defective) {
    throw InvalidInput(
        fmt::format("method: {} has a matrix A without a full set of eigenvectors; "
                    "it can be stepped stage by stage, but not transformed",
                    method.name));
  }

  result.w = w->cast<double>();
  result.t = t.cast<double>();
  result.t_inverse = t_inverse->cast<double>();
  result.c = digits.c.tail(n).cast<double>();
  ExtendedVector first_column = ExtendedVector::Zero(n);
  long double first_weight = 0;
  if (result.explicit_first) {
    first_column = digits.a.col(0).tail(n);
    first_weight = digits.b[0];
  }
  result.first_column = first_column.cast<double>();
  if (is_stiffly_accurate(method)) {
    result.result = Eigen::VectorXd::Unit(n, n - 1);
  } else {
    const ExtendedVector weights = w->transpose() * digits.b.tail(n);
    result.result = weights.cast<double>();
    result.result_first = static_cast<double>(first_weight - weights.dot(first_column));
  }
  return result;
}

}  // namespace daedalus
