#include "stepper/stage_constants.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

namespace daedalus {
namespace {

std::vector<double> row_major(const Eigen::MatrixXd& m) {
  std::vector<double> rows;
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) rows.push_back(m(i, j));
  return rows;
}

bool are_equal(const Tableau& left, const Tableau& right) {
  const int s = left.stages;
  if (s != right.stages || left.name != right.name || left.family != right.family) return false;
  const auto same = [s](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.begin() + s, y.begin());
  };
  for (int i = 0; i < s; ++i)
    if (!same(left.a[i], right.a[i])) return false;
  return left.order == right.order && left.embedded_order == right.embedded_order &&
         same(left.b, right.b) && same(left.c, right.c) && same(left.b_hat, right.b_hat);
}

}  // namespace

StageConstants::StageConstants(const Tableau& tableau)
    : method(tableau), is_stiffly_accurate(daedalus::is_stiffly_accurate(tableau)) {
  const int order_of_stages = stage_order(method);
  // The defect of the stage derivatives at the start of the step is O(h^min(s, q+1)).
  estimate_order = method.embedded_order > 0
                       ? method.embedded_order
                       : std::max(1, std::min(method.stages, order_of_stages + 1));
  is_by_stages =
      is_diagonally_implicit(method) && method.stages > 1 && !has_explicit_first_stage(method);
  if (is_by_stages) return;
  data = transform_stages(method);
  const int s = data.unknowns;
  w = row_major(data.w), t = row_major(data.t), t_inverse = row_major(data.t_inverse);
  w_t = row_major(data.w * data.t);
  lambda = data.gamma;
  for (const ComplexPair& pair : data.pairs)
    lambda.push_back(pair.alpha), lambda.push_back(pair.beta);
  const Eigen::VectorXd slope = data.w * data.first_column;
  first_slope.assign(slope.data(), slope.data() + s);
  const bool first_at_zero = data.c[0] == 0;
  polynomial = StagePolynomial(data.c, !first_at_zero);
  if (s > 3) low_polynomial = StagePolynomial(data.c.tail(3), false);
  if (s >= 3) {
    const int left_out = s > 3 ? 1 : 0;
    const StagePolynomial late(data.c.tail(s - left_out), false);
    late_weights.assign(static_cast<std::size_t>(left_out), 0.0);
    late_weights.insert(late_weights.end(), late.weights(), late.weights() + s - left_out);
  }
  if (!first_at_zero && order_of_stages >= s) basis = std::make_shared<CollocationBasis>(data.c);
  estimate_gamma =
      data.gamma.empty() ? std::hypot(data.pairs[0].alpha, data.pairs[0].beta) : data.gamma[0];
  // With an explicit first stage the defect vanishes at 0; the middle of the first gap serves. With
  // an implicit one that lies there it vanishes wherever F does not depend on y; both serve.
  defects.push_back(defect(data.explicit_first ? 0.5 * data.c[0] : 0));
  if (!data.explicit_first && first_at_zero && s > 1) defects.push_back(defect(0.5 * data.c[1]));
  if (!data.explicit_first && !first_at_zero && s > 3) doubts.push_back(defect(0.5));
  end_slope.resize(s);
  polynomial.stage_basis(1.0, end_slope.data());
}

StageConstants::Defect StageConstants::defect(double at) const {
  const auto s = static_cast<std::size_t>(data.unknowns);
  const std::vector<double> none(s);
  Defect result{at, none, none, none};
  polynomial.basis(at, result.value.data());
  polynomial.stage_basis(at, result.slope.data());
  Eigen::Map<Eigen::RowVectorXd>(result.slope_of_z.data(), std::ssize(none)) =
      Eigen::Map<const Eigen::RowVectorXd>(result.slope.data(), std::ssize(none)) * data.w;
  return result;
}

const StageConstants& stage_constants(const Tableau& method) {
  static std::mutex mutex;
  static std::deque<StageConstants> known;
  const std::lock_guard lock(mutex);
  for (const StageConstants& constants : known)
    if (are_equal(constants.method, method)) return constants;
  return known.emplace_back(method);
}

}  // namespace daedalus
