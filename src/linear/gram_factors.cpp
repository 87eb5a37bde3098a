#include "linear/gram_factors.h"

#include <algorithm>
#include <amd.h>
extern "C" {  // the header lacks it
#include <ldl.h>
}

#include "daedalus/error.h"

namespace daedalus {
namespace {

/// Rows that share a column, with themselves, by columns.
std::vector<std::vector<int>> neighbours(int columns, const std::vector<int>& start,
                                         const std::vector<int>& column) {
  const int m = static_cast<int>(start.size()) - 1;
  std::vector<std::vector<int>> rows_of(static_cast<std::size_t>(columns));
  for (int i = 0; i < m; ++i)
    for (int k = start[i]; k < start[i + 1]; ++k) rows_of[column[k]].push_back(i);
  std::vector<std::vector<int>> result(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) {
    auto& list = result[i];
    for (int k = start[i]; k < start[i + 1]; ++k)
      list.insert(list.end(), rows_of[column[k]].begin(), rows_of[column[k]].end());
    list.push_back(i);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return result;
}

}  // namespace

GramFactors::GramFactors(int columns, const std::vector<int>& start,
                         const std::vector<int>& column) {
  const int m = static_cast<int>(start.size()) - 1;
  const std::size_t size = static_cast<std::size_t>(m);
  const auto near = neighbours(columns, start, column);
  std::vector<int> all_start = {0}, all_row;
  for (const auto& list : near) {
    all_row.insert(all_row.end(), list.begin(), list.end());
    all_start.push_back(static_cast<int>(all_row.size()));
  }
  order_.resize(size), place_.resize(size);
  if (m > 0 && amd_order(m, all_start.data(), all_row.data(), order_.data(), nullptr, nullptr) < 0)
    throw InvalidInput("the constraints could not be ordered for elimination");
  for (int k = 0; k < m; ++k) place_[order_[k]] = k;

  s_start_ = {0};
  for (int k = 0; k < m; ++k) {
    std::vector<int> above;
    for (const int j : near[order_[k]])
      if (place_[j] <= k) above.push_back(place_[j]);
    std::sort(above.begin(), above.end());
    s_row_.insert(s_row_.end(), above.begin(), above.end());
    s_start_.push_back(static_cast<int>(s_row_.size()));
  }
  const auto slot = [this](int row, int k) {  // in the order of elimination
    const auto begin = s_row_.begin() + s_start_[k], end = s_row_.begin() + s_start_[k + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - s_row_.begin());
  };
  std::vector<std::vector<std::pair<int, int>>> in_column(static_cast<std::size_t>(columns));
  for (int i = 0; i < m; ++i)
    for (int k = start[i]; k < start[i + 1]; ++k) in_column[column[k]].emplace_back(place_[i], k);
  for (const auto& list : in_column)
    for (const auto& [pa, a] : list)
      for (const auto& [pb, b] : list)
        if (pa <= pb) products_.push_back({slot(pa, pb), a, b});
  std::sort(products_.begin(), products_.end(), [](const Product& x, const Product& y) {
    return x.slot != y.slot ? x.slot < y.slot : x.a < y.a;
  });
  s_.resize(s_row_.size());
  products_start_.assign(s_.size() + 1, 0);
  for (const Product& p : products_) ++products_start_[static_cast<std::size_t>(p.slot) + 1];
  for (std::size_t k = 0; k < s_.size(); ++k) products_start_[k + 1] += products_start_[k];
  diagonal_ = s_row_.size() == size;
  l_start_.resize(size + 1);
  for (auto* list : {&parent_, &count_, &flag_, &pattern_}) list->resize(size);
  for (auto* list : {&d_, &y_, &permuted_}) list->resize(size);
  if (m == 0) return;
  ldl_symbolic(m, s_start_.data(), s_row_.data(), l_start_.data(), parent_.data(), count_.data(),
               flag_.data(), nullptr, nullptr);
  l_row_.resize(static_cast<std::size_t>(l_start_.back()) + 1);
  l_.resize(l_row_.size());
}

bool GramFactors::factor(const double* values, bool fill_zero_rows) {
  if (size() == 0) return true;
  const Product* product = products_.data();
  for (std::size_t slot = 0; slot < s_.size(); ++slot) {
    double sum = 0;
    for (const Product* end = products_.data() + products_start_[slot + 1]; product < end;
         ++product)
      sum += values[product->a] * values[product->b];
    s_[slot] = sum;
  }
  for (std::size_t k = 1; fill_zero_rows && k < s_start_.size(); ++k)
    if (double& square = s_[static_cast<std::size_t>(s_start_[k]) - 1]; square == 0) square = 1;
  if (diagonal_) {
    d_ = s_;
    return std::all_of(d_.begin(), d_.end(), [](double d) { return d > 0; });
  }
  const int done = ldl_numeric(size(), s_start_.data(), s_row_.data(), s_.data(), l_start_.data(),
                               parent_.data(), count_.data(), l_row_.data(), l_.data(), d_.data(),
                               y_.data(), pattern_.data(), flag_.data(), nullptr, nullptr);
  return done == size() && std::all_of(d_.begin(), d_.end(), [](double d) { return d > 0; });
}

void GramFactors::solve(double* c) const {
  const int m = size();
  if (diagonal_) {
    for (int k = 0; k < m; ++k) c[order_[k]] /= d_[k];
    return;
  }
  for (int k = 0; k < m; ++k) permuted_[k] = c[order_[k]];
  for (int k = 0; k < m; ++k) {
    const double x = permuted_[k];
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) permuted_[l_row_[p]] -= l_[p] * x;
  }
  for (int k = 0; k < m; ++k) permuted_[k] /= d_[k];
  for (int k = m - 1; k >= 0; --k) {
    double x = permuted_[k];
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) x -= l_[p] * permuted_[l_row_[p]];
    permuted_[k] = x;
  }
  for (int k = 0; k < m; ++k) c[order_[k]] = permuted_[k];
}

void GramFactors::solve_rows(double* c, int width) const {
  const int m = size();
  const auto row = [&](int k) { return c + static_cast<std::ptrdiff_t>(order_[k]) * width; };
  const auto subtract = [width](double* from, double factor, const double* what) {
    for (int j = 0; j < width; ++j) from[j] -= factor * what[j];
  };
  for (int k = 0; k < m; ++k)
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) subtract(row(l_row_[p]), l_[p], row(k));
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < width; ++j) row(k)[j] /= d_[k];
  for (int k = m - 1; k >= 0; --k)
    for (int p = l_start_[k]; p < l_start_[k + 1]; ++p) subtract(row(k), l_[p], row(l_row_[p]));
}

}  // namespace daedalus
