// Where a Jacobian has entries, found by moving one variable after the other, and which columns
// share no row: these are evaluated together.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "problem/jacobian.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

/// Deterministic numbers in (0.5, 1.5): the pattern must not depend on chance.
double spread(int i, int round) {
  const double x = 0.6180339887498949 * (i + 1) + 0.7548776662466927 * round;
  return 0.5 + (x - std::floor(x));
}

}  // namespace

/// Calls use(t, y, y') at the start and at points near it, before and after it as well: a mass like
/// M = t vanishes at a single moment only.
template <class Use>
void Jacobian::near_start(double t, const double* y, const double* yp, Use use) {
  const int n = system_.size;
  std::vector<double> y_near(n), yp_near(n);
  for (int round = 0; round < 3; ++round) {
    const double t_near = t + (round == 0   ? 0.0
                               : round == 1 ? 1e-3
                                            : -1e-3) *
                                  std::max(1e-2, std::abs(t));
    for (int i = 0; i < n; ++i) {
      const double s = round == 0 ? 0.0 : 1e-3 * spread(i, round);
      y_near[i] = y[i] + s * std::max(1e-2, std::abs(y[i]));
      yp_near[i] = yp[i] + (round == 0 ? 0.0 : spread(i, round + 7));
    }
    use(t_near, y_near.data(), yp_near.data());
  }
}

void Jacobian::discover(double t, const double* y, const double* yp, bool wants_pattern) {
  const int n = system_.size;
  std::vector<std::pair<int, int>> entries;
  std::vector<char> row_has(n, 0), column_has(n, 0);
  near_start(t, y, yp, [&](double at, const double* y_near, const double* yp_near) {
    if (wants_pattern)
      probe(at, y_near, yp_near, false, [&](int i, int j) { entries.emplace_back(i, j); });
    probe(at, y_near, yp_near, true, [&](int i, int j) {
      if (wants_pattern) entries.emplace_back(i, j);
      row_has[i] = column_has[j] = 1;
    });
  });
  if (wants_pattern && !system_.sparsity) pattern_ = make_pattern(n, entries);
  if (!system_.discover_rows) return;
  for (int i = 0; i < n; ++i) {
    if (!row_has[i]) mark_algebraic_rows(system_, i, i + 1);
    if (!column_has[i]) system_.algebraic_variable[i] = 1;
  }
  add_algebraic_level(system_);
  system_.discover_rows = false;
  has_discovered_rows_ = true;
}

bool Jacobian::rows_are_as_discovered(double t, const double* y, const double* yp) {
  if (!has_discovered_rows_) return true;
  const int n = system_.size;
  std::vector<char> without_row(n, 1), without_column(n, 1);
  near_start(t, y, yp, [&](double at, const double* y_near, const double* yp_near) {
    probe(at, y_near, yp_near, true, [&](int i, int j) { without_row[i] = without_column[j] = 0; });
  });
  return without_row == system_.algebraic_row && without_column == system_.algebraic_variable;
}

void Jacobian::probe(double t, const double* y, const double* yp, bool wrt_yp,
                     const std::function<void(int, int)>& found) {
  const int n = system_.size;
  if (system_.differentiable) {
    hold_point(y, yp);
    Dual* const seeded = wrt_yp ? work_.yp : work_.y;
    work_.seeded = true;
    for (int first = 0; first < n; first += dual_directions) {
      const int width = std::min(dual_directions, n - first);
      for (int d = 0; d < width; ++d) seeded[first + d].d[d] = 1;
      system_.residual(Dual(t), work_.y, work_.yp, work_.r);
      for (int d = 0; d < width; ++d) seeded[first + d].d[d] = 0;
      for (int i = 0; i < n; ++i)
        for (int d = 0; d < width; ++d)
          if (work_.r[i].d[d] != 0) found(i, first + d);  // not-a-number counts as an entry
    }
    work_.seeded = false;
    return;
  }
  work_.hold_values(n);
  system_.residual(t, y, yp, work_.base.data());
  const double* origin = wrt_yp ? yp : y;
  std::copy(origin, origin + n, work_.moved.begin());
  for (int j = 0; j < n; ++j) {
    work_.moved[j] = origin[j] + 1e-4 * std::max(1.0, std::abs(origin[j]));
    system_.residual(t, wrt_yp ? y : work_.moved.data(), wrt_yp ? work_.moved.data() : yp,
                     work_.moved_r.data());
    work_.moved[j] = origin[j];
    for (int i = 0; i < n; ++i)  // a row not defined here tells nothing
      if (!(work_.moved_r[i] == work_.base[i]) && !std::isnan(work_.base[i])) found(i, j);
  }
}

void Jacobian::choose_colours() {
  const int n = system_.size;
  if (pattern_.nonzeros() == n * n) {
    colours_ = n;
    has_own_colours_ = true;
    return;
  }
  columns_.resize(static_cast<std::size_t>(n));
  // Greedy: a column takes the first colour that no column sharing a row with it has.
  std::vector<int> row_start(static_cast<std::size_t>(n) + 1, 0),
      columns_in_row(pattern_.row.size());
  for (const int i : pattern_.row) ++row_start[i + 1];
  for (int i = 0; i < n; ++i) row_start[i + 1] += row_start[i];
  std::vector<int> place(row_start.begin(), row_start.end() - 1);
  for (int j = 0; j < n; ++j)
    for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k)
      columns_in_row[place[pattern_.row[k]]++] = j;
  std::vector<int> colour(n, -1), seen_by;  // the column that met each colour last
  for (int j = 0; j < n; ++j) {
    for (int k = pattern_.column_start[j]; k < pattern_.column_start[j + 1]; ++k) {
      const int i = pattern_.row[k];
      for (int m = row_start[i]; m < row_start[i + 1] && columns_in_row[m] < j; ++m)
        seen_by[colour[columns_in_row[m]]] = j;
    }
    const auto free =
        std::find_if(seen_by.begin(), seen_by.end(), [&](int column) { return column != j; });
    colour[j] = static_cast<int>(free - seen_by.begin());
    if (free == seen_by.end()) seen_by.push_back(-1);
  }
  colours_ = static_cast<int>(seen_by.size());
  colour_start_.assign(seen_by.size() + 1, 0);
  for (const int c : colour) ++colour_start_[c + 1];
  std::partial_sum(colour_start_.begin(), colour_start_.end(), colour_start_.begin());
  place.assign(colour_start_.begin(), colour_start_.end() - 1);
  for (int j = 0; j < n; ++j) columns_[place[colour[j]]++] = j;
  if (colours_ <= dual_directions && system_.differentiable) colour_ = std::move(colour);
}

}  // namespace daedalus
