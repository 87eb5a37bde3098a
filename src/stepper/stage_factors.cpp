#include "stepper/stage_factors.h"

#include <cstring>
#include <utility>

#include "linear/factors.h"
#include "linear/large_pages.h"

namespace daedalus {

void StageMemory::make_room(std::size_t doubles, std::size_t row_numbers) {
  constexpr std::size_t line = 8;
  KeptMemory<StageMemory>::give(std::exchange(block_, {}));
  block_ = KeptMemory<StageMemory>::take((doubles + line + row_numbers) * sizeof(double));
  advise_large_pages(block_.place, block_.size);
  numbers_ = at_cache_line(static_cast<double*>(block_.place));
  rows_ = reinterpret_cast<long long*>(numbers_ + doubles);
  room_doubles_ = doubles, room_row_numbers_ = row_numbers;
  doubles_ = row_numbers_ = 0;
}

void StageMemory::reserve(int stages, int n) {
  const std::size_t stride = static_cast<std::size_t>(padded(n));
  const std::size_t vectors = stage_vectors(stages);
  // A complex matrix takes the place of two real ones; the estimate may have one of its own.
  const std::size_t matrices =
      n <= largest_uncondensed ? static_cast<std::size_t>(stages) + 1 : std::size_t{0};
  make_room(vectors * stride + matrices * doubles_of_factor(n, 1), matrices * 2 * stride);
}

void StageMemory::hold(std::size_t doubles, std::size_t row_numbers) {
  if (doubles > room_doubles_ || row_numbers > room_row_numbers_) make_room(doubles, row_numbers);
  if (doubles > doubles_) {
    std::memset(numbers_ + doubles_, 0, (doubles - doubles_) * sizeof(double));
    doubles_ = doubles;
  }
  if (row_numbers > row_numbers_) {
    std::memset(rows_ + row_numbers_, 0, (row_numbers - row_numbers_) * sizeof(long long));
    row_numbers_ = row_numbers;
  }
}

StageFactors::StageFactors(const StageTransformation& data, double estimate_gamma,
                           const Pencil& pencil)
    : data_(data),
      estimate_gamma_(estimate_gamma),
      own_estimate_(data.gamma.empty()),
      n_(pencil.size()),
      is_small_(pencil.storage == Storage::dense && pencil.size() <= largest_uncondensed &&
                reals() + pairs() <= most_small) {
  if (is_small_) {
    kernels_ = dense_kernels(best_instruction_set(), n_);
    if (!own_estimate_ && reals() == 1 && pairs() > 0)
      at_once_ = newton_kernels(best_instruction_set(), 1 + 2 * pairs(), n_);
    return;
  }
  for (int k = 0; k < reals(); ++k) real_.push_back(make_real_factors(pencil));
  for (int k = 0; k < pairs(); ++k) complex_.push_back(make_complex_factors(pencil));
}

std::size_t StageFactors::doubles() const {
  if (!is_small_) return 0;
  return static_cast<std::size_t>(reals()) * doubles_of_factor(n_, 1) +
         static_cast<std::size_t>(pairs()) * doubles_of_factor(n_, 2);
}

std::size_t StageFactors::row_numbers() const {
  return is_small_ ? static_cast<std::size_t>((reals() + pairs()) * 2 * padded(n_)) : 0;
}

void StageFactors::place(double* numbers, long long* rows) {
  if (!is_small_) return;
  for (int k = 0; k < reals() + pairs(); ++k) {
    const int parts = k < reals() ? 1 : 2;
    small_[k] = lay_out_factor(n_, parts, numbers, rows);
    numbers += doubles_of_factor(n_, parts), rows += 2 * padded(n_);
  }
}

bool StageFactors::factor(const Pencil& pencil, double h) {
  const double* const e = pencil.e.data();
  const double* const a = pencil.a.data();
  singular_column_ = -1;
  if (at_once_) {
    double re[most_small] = {}, im[most_small] = {};
    for (int k = 0; k < pairs(); ++k)
      re[k] = data_.pairs[k].alpha / h, im[k] = -data_.pairs[k].beta / h;
    singular_column_ = at_once_.factor(small_.data(), e, a, data_.gamma[0] / h, re, im);
    return singular_column_ < 0;
  }
  for (int k = 0; k < reals() && singular_column_ < 0; ++k) {
    if (is_small_)
      singular_column_ = kernels_.factor_real(small_[k], e, a, gamma(k) / h);
    else if (!real_[k]->factor(pencil, gamma(k) / h))
      return singular_column_ = real_[k]->singular_column(), false;
  }
  for (int k = 0; k < pairs() && singular_column_ < 0; ++k) {
    const double re = data_.pairs[k].alpha / h, im = -data_.pairs[k].beta / h;
    if (is_small_)
      singular_column_ = kernels_.factor_complex(small_[reals() + k], e, a, re, im);
    else if (!complex_[k]->factor(pencil, re, im))
      return singular_column_ = complex_[k]->singular_column(), false;
  }
  return singular_column_ < 0;
}

void StageFactors::solve(double* d) const {
  const int stride = padded(n_), systems = static_cast<int>(data_.gamma.size());
  if (is_small_) {
    for (int k = 0; k < systems; ++k, d += stride) kernels_.solve_padded_real(small_[k], d);
    for (int k = 0; k < pairs(); ++k, d += 2 * stride)
      kernels_.solve_padded_complex(small_[reals() + k], d, d + stride);
    return;
  }
  if (systems == 1 && pairs() == 1)
    return solve_beside(*real_[0], d, *complex_[0], d + stride, d + 2 * stride);
  for (int k = 0; k < systems; ++k, d += stride) real_[k]->solve(d);
  for (int k = 0; k < pairs(); ++k, d += 2 * stride) complex_[k]->solve(d, d + stride);
}

void StageFactors::solve_estimate(double* x) const {
  if (is_small_)
    kernels_.solve_padded_real(small_[0], x);
  else
    real_[0]->solve(x);
}

std::vector<double> StageFactors::pivots() const {
  std::vector<double> all;
  for (const auto& factors : real_) save_list(all, factors->pivots());
  for (const auto& factors : complex_) save_list(all, factors->pivots());
  return all;
}

void StageFactors::restore_pivots(const Pencil& pencil, const std::vector<double>& pivots) {
  SavedState saved(pivots);
  for (const auto& factors : real_) factors->restore_pivots(pencil, saved.list());
  for (const auto& factors : complex_) factors->restore_pivots(pencil, saved.list());
}

}  // namespace daedalus
