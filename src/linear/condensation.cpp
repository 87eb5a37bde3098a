#include "linear/condensation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace daedalus {
namespace {

constexpr int most_others = 2;   // in a row that is eliminated
constexpr int most_weights = 4;  // in a row of W

/// Of factors and solutions with kernels that work on registers of eight rows.
double work(int n) {
  return double(n) * n * ((n + 7) / 8 * 8);
}

std::size_t at(int n, int row, int column) {
  return static_cast<std::size_t>(column) * static_cast<std::size_t>(n) +
         static_cast<std::size_t>(row);
}

}  // namespace

void Condensation::count(int n, const double* values, std::vector<double>& of) const {
  of.assign(static_cast<std::size_t>(n), 0.0);
  double* __restrict const number = of.data();
  for (int j = 0; j < n; ++j) {
    const double* __restrict const column = values + at(n, 0, j);
    for (int i = 0; i < n; ++i) number[i] += column[i] != 0 ? 1.0 : 0.0;
  }
}

void Condensation::update(int n, const double* e, const double* a) {
  count(n, e, of_e_);
  count(n, a, of_a_);
  if (!is_as_before(n, e, a)) {
    of_a_before_ = of_a_, of_e_before_ = of_e_;
    find_candidates(n, e, a);
    choose_rows(n);
    ++choice_;
  }
  if (is_used()) gather(n, e, a);
}

bool Condensation::is_as_before(int n, const double* e, const double* a) const {
  if (of_a_ != of_a_before_ || of_e_ != of_e_before_) return false;
  // As many entries, and none of those known is missing.
  return std::all_of(candidates_.begin(), candidates_.end(), [&](const Candidate& x) {
    return e[at(n, x.row, x.column)] != 0 && (a[at(n, x.row, x.column)] != 0) == x.has_own &&
           std::all_of(x.other, x.other + x.others,
                       [&](int column) { return a[at(n, x.row, column)] != 0; });
  });
}

void Condensation::find_candidates(int n, const double* e, const double* a) {
  candidates_.clear();
  candidates_.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    if (of_e_[i] != 1 || of_a_[i] > 1 + most_others) continue;
    Candidate x{.row = i, .column = -1, .others = 0, .other = {}, .has_own = false};
    for (int j = 0; j < n; ++j) {
      if (e[at(n, i, j)] != 0)
        x.column = j, x.has_own = a[at(n, i, j)] != 0;
      else if (a[at(n, i, j)] != 0)
        x.other[x.others++] = j;
    }
    candidates_.push_back(x);
  }
}

bool Condensation::leads_to(int from, int column) {
  if (from == column) return true;
  if (gives_[from] < 0 || seen_for_[from] == column) return false;
  seen_for_[from] = column;
  const Candidate& x = candidates_[gives_[from]];
  return std::any_of(x.other, x.other + x.others,
                     [&](int other) { return leads_to(other, column); });
}

void Condensation::choose_rows(int n) {
  const std::size_t size = static_cast<std::size_t>(n);
  rows_.clear(), terms_.clear(), weight_column_.clear(), kept_row_.clear(), kept_column_.clear();
  if (candidates_.empty()) return;
  gives_.assign(size, -1), place_.assign(size, -1), seen_for_.assign(size, -1);
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    const Candidate& x = candidates_[k];
    const bool is_circle =
        std::any_of(x.other, x.other + x.others, [&](int j) { return leads_to(j, x.column); });
    if (x.others <= most_others && gives_[x.column] < 0 && !is_circle)
      gives_[x.column] = static_cast<int>(k);
  }
  rows_.reserve(size), terms_.reserve(most_others * size);
  weight_column_.reserve(most_weights * size), kept_row_.reserve(size), kept_column_.reserve(size);
  for (int j = 0; j < n; ++j)
    if (gives_[j] >= 0) add(gives_[j]);
  const int left = n - static_cast<int>(rows_.size());
  // Gathering what remains costs as much as so many of these units for each entry of its rows.
  constexpr double of_gathering = 24;
  const bool pays = work(n) - work(left) >= of_gathering * n * left;
  // A system that is a triangle but for its order leaves nothing to factor at all.
  if (!pays || left == 0) return rows_.clear();

  std::vector<char> is_kept(size, 1);
  for (const Row& row : rows_) is_kept[row.row] = 0;
  std::vector<int> remaining(size, -1);
  for (int j = 0; j < n; ++j) {
    if (is_kept[j]) kept_row_.push_back(j);
    if (place_[j] >= 0) continue;
    remaining[j] = static_cast<int>(kept_column_.size());
    kept_column_.push_back(j);
  }
  for (Term& term : terms_) term.remaining = remaining[term.column];
  for (int& column : weight_column_) column = remaining[column];
  // Room for every choice to come: registers of eight rows, a column for each unknown.
  const std::size_t padded = (size + 7) / 8 * 8;
  kept_e_.resize(padded * size), kept_a_.resize(padded * size), scratch_.resize(2 * size * size);
}

void Condensation::add(int candidate) {
  const Candidate& x = candidates_[candidate];
  if (place_[x.column] >= 0 || gives_[x.column] != candidate) return;
  for (int k = 0; k < x.others; ++k)
    if (gives_[x.other[k]] >= 0) add(gives_[x.other[k]]);
  const std::size_t first = weight_column_.size();
  const auto include = [&](int column) {
    const auto begin = weight_column_.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::find(begin, weight_column_.end(), column) == weight_column_.end())
      weight_column_.push_back(column);
  };
  for (int k = 0; k < x.others; ++k) {
    const int place = place_[x.other[k]];
    if (place < 0) {
      include(x.other[k]);
      continue;
    }
    for (int w = rows_[place].first_weight; w < rows_[place].last_weight; ++w)
      include(weight_column_[w]);
  }
  if (weight_column_.size() > first + most_weights) {
    weight_column_.resize(first);
    gives_[x.column] = -1;
    return;
  }
  const int first_term = static_cast<int>(terms_.size());
  for (int k = 0; k < x.others; ++k) terms_.push_back({x.other[k], place_[x.other[k]], -1});
  place_[x.column] = static_cast<int>(rows_.size());
  rows_.push_back({x.row, x.column, first_term, first_term + x.others, static_cast<int>(first),
                   static_cast<int>(weight_column_.size()), true});
}

void Condensation::gather(int n, const double* e, const double* a) {
  double* to_e = kept_e_.data();
  double* to_a = kept_a_.data();
  const int r = remaining(), padding = stride() - r;
  const auto take = [&](int column) {
    const double* const from_e = e + at(n, 0, column);
    const double* const from_a = a + at(n, 0, column);
    for (int i = 0; i < r; ++i) {
      to_e[i] = from_e[kept_row_[i]];
      to_a[i] = from_a[kept_row_[i]];
    }
    to_e += r, to_a += r;
    to_e = std::fill_n(to_e, padding, 0.0), to_a = std::fill_n(to_a, padding, 0.0);
  };
  for (const int column : kept_column_) take(column);
  mass_is_coupled_ = false;
  for (Row& row : rows_) {
    take(row.column);
    const auto any = [&](const double* end) {
      return std::any_of(end - stride(), end, [](double x) { return x != 0; });
    };
    const bool mass = any(to_e);
    mass_is_coupled_ |= mass;
    row.is_felt = mass || any(to_a);
  }
}

}  // namespace daedalus
