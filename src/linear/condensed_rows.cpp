#include "linear/condensed_rows.h"

#include <algorithm>

namespace daedalus {
namespace {

constexpr double least_of_lead = 0.1;   // what a pivot  shift e + a  keeps of  shift e
constexpr double largest_weight = 1e6;  // beyond, the other entries would lose too many digits

double real(double x) {
  return x;
}
double real(Split x) {
  return x.re;
}
double imaginary(double) {
  return 0;
}
double imaginary(Split x) {
  return x.im;
}

constexpr int lanes = 8;  // rows at a time, so that loops over them have no ends to care for

/// y -= x t of `lanes` rows, by parts; x may have no imaginary part.
template <class T>
void subtract(const double* x, const double* x_im, T t, double* re, double* im) {
  const double t_re = real(t), t_im = imaginary(t);
  for (int i = 0; i < lanes; ++i) re[i] -= x[i] * t_re;
  if constexpr (sizeof(T) > sizeof(double)) {
    for (int i = 0; i < lanes; ++i) im[i] -= x[i] * t_im;
    if (!x_im) return;
    for (int i = 0; i < lanes; ++i) re[i] += x_im[i] * t_im;
    for (int i = 0; i < lanes; ++i) im[i] -= x_im[i] * t_re;
  }
}

}  // namespace

template <class T>
void CondensedRows<T>::copy_places(const Condensation& from, int n) {
  const auto at = [n](int row, int column) {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(n) +
           static_cast<std::size_t>(row);
  };
  from_ = &from, choice_ = from.choice();
  r_ = from.remaining(), stride_ = from.stride();
  kept_row_ = from.kept_row(), kept_column_ = from.kept_column();
  rows_.clear(), terms_.clear(), weights_.clear();
  for (const int column : from.weight_column()) weights_.push_back({column, T(0)});
  for (const Condensation::Row& row : from.rows()) {
    for (int k = row.first_term; k < row.last_term; ++k) {
      const Condensation::Term& term = from.terms()[k];
      int weight = -1;
      for (int w = row.first_weight; term.eliminated < 0 && w < row.last_weight; ++w)
        if (weights_[w].column == term.remaining) weight = w;
      terms_.push_back({term.eliminated, at(row.row, term.column), weight, T(0)});
    }
    rows_.push_back({row.row, row.column, row.first_term, row.last_term, row.first_weight,
                     row.last_weight, at(row.row, row.column), -1, T(0)});
  }
  uses_.clear(), first_use_.clear();
  for (int column = 0; column <= r_; ++column) {
    first_use_.push_back(static_cast<int>(uses_.size()));
    for (int k = 0; k < static_cast<int>(rows_.size()); ++k)
      for (int w = rows_[k].first_weight; w < rows_[k].last_weight; ++w)
        if (weights_[w].column == column) uses_.push_back({k, w});
  }
  const std::size_t count = rows_.size(), stride = static_cast<std::size_t>(stride_);
  c_.resize(stride * count);
  given_.resize(count), felt_.resize(count * (is_complex ? 2 : 1));
  b_.resize(stride * (is_complex ? 2 : 1));
}

template <class T>
bool CondensedRows<T>::form(const Condensation& from, int n, const double* e, const double* a,
                            T shift, double* re, double* im) {
  if (from_ != &from || choice_ != from.choice()) copy_places(from, n);
  for (Row& row : rows_) {
    const T lead = T(e[row.pivot]) * shift;
    T pivot = lead;
    pivot -= T(-a[row.pivot]);
    if (!(size(pivot) >= least_of_lead * size(lead))) return false;
    row.inverse = inverse(pivot);
    for (int w = row.first_weight; w < row.last_weight; ++w) weights_[w].value = T(0);
    for (int k = row.first_term; k < row.last_term; ++k) {
      Term& term = terms_[k];
      term.value = T(a[term.place]) * row.inverse;
      if (term.weight >= 0) {
        weights_[term.weight].value -= T(-a[term.place]) * row.inverse;
        continue;
      }
      const Row& other = rows_[term.eliminated];
      for (int w = other.first_weight; w < other.last_weight; ++w)
        for (int v = row.first_weight; v < row.last_weight; ++v)
          if (weights_[v].column == weights_[w].column)
            weights_[v].value -= term.value * weights_[w].value;
    }
    for (int w = row.first_weight; w < row.last_weight; ++w)
      if (!(size(weights_[w].value) <= largest_weight)) return false;
  }

  const double shift_re = real(shift), shift_im = imaginary(shift);
  const std::size_t stride = static_cast<std::size_t>(stride_);
  has_imaginary_c_ = is_complex && from.mass_is_coupled();
  if (has_imaginary_c_) c_imaginary_.resize(c_.size());
  int felt = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    rows_[k].felt = from.rows()[k].is_felt ? felt : -1;
    if (rows_[k].felt < 0) continue;
    const std::size_t column = (static_cast<std::size_t>(r_) + k) * stride;
    const double* const from_e = from.kept_e() + column;
    const double* const from_a = from.kept_a() + column;
    const std::size_t to = static_cast<std::size_t>(felt++) * stride;
    if (from.mass_is_coupled())
      for (std::size_t i = 0; i < stride; ++i) c_[to + i] = shift_re * from_e[i] + from_a[i];
    else
      std::copy(from_a, from_a + stride, c_.data() + to);
    if (has_imaginary_c_)
      for (std::size_t i = 0; i < stride; ++i) c_imaginary_[to + i] = shift_im * from_e[i];
  }

  for (int column = 0; column < r_; ++column)
    for (int first = 0; first < r_; first += lanes) {
      const std::size_t place = static_cast<std::size_t>(column) * stride + first;
      double x[lanes], y[lanes];
      for (int i = 0; i < lanes; ++i)
        x[i] = shift_re * from.kept_e()[place + i] + from.kept_a()[place + i];
      if constexpr (is_complex)
        for (int i = 0; i < lanes; ++i) y[i] = shift_im * from.kept_e()[place + i];
      for (int u = first_use_[column]; u < first_use_[column + 1]; ++u) {
        const Row& row = rows_[uses_[u].row];
        if (row.felt < 0) continue;
        const std::size_t c = static_cast<std::size_t>(row.felt) * stride + first;
        subtract(c_.data() + c, has_imaginary_c_ ? c_imaginary_.data() + c : nullptr,
                 weights_[uses_[u].weight].value, x, y);
      }
      const int rows = std::min(lanes, r_ - first);
      const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(column) * r_ + first;
      std::copy(x, x + rows, re + to);
      if constexpr (is_complex) std::copy(y, y + rows, im + to);
    }
  return true;
}

template <class T>
double* CondensedRows<T>::reduce(const DenseKernels& kernels, const double* re, const double* im) {
  double* const b = b_.data();
  double* const b_im = is_complex ? b + stride_ : nullptr;
  for (int i = 0; i < r_; ++i) b[i] = re[kept_row_[i]];
  if constexpr (is_complex)
    for (int i = 0; i < r_; ++i) b_im[i] = im[kept_row_[i]];
  double* const felt_re = felt_.data();
  double* const felt_im = is_complex ? felt_re + rows_.size() : nullptr;
  int felt = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    T x;
    if constexpr (is_complex)
      x = row.inverse * Split(re[row.row], im[row.row]);
    else
      x = row.inverse * re[row.row];
    for (int t = row.first_term; t < row.last_term; ++t)
      if (terms_[t].eliminated >= 0) x -= terms_[t].value * given_[terms_[t].eliminated];
    given_[k] = x;
    if (row.felt < 0) continue;
    felt_re[felt] = real(x);
    if constexpr (is_complex) felt_im[felt] = imaginary(x);
    ++felt;
  }
  kernels.subtract_columns(stride_, felt, c_.data(), felt_re, felt_im, b, b_im);
  if (has_imaginary_c_) {
    for (int k = 0; k < felt; ++k) felt_im[k] = -felt_im[k];
    kernels.subtract_columns(stride_, felt, c_imaginary_.data(), felt_im, felt_re, b, b_im);
  }
  return b;
}

template <class T>
void CondensedRows<T>::expand(double* re, double* im) {
  const double* const b = b_.data();
  const double* const b_im = is_complex ? b + stride_ : nullptr;
  for (int i = 0; i < r_; ++i) re[kept_column_[i]] = b[i];
  if constexpr (is_complex)
    for (int i = 0; i < r_; ++i) im[kept_column_[i]] = b_im[i];
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    T x = given_[k];
    for (int w = rows_[k].first_weight; w < rows_[k].last_weight; ++w) {
      const int column = weights_[w].column;
      if constexpr (is_complex)
        x -= weights_[w].value * Split(b[column], b_im[column]);
      else
        x -= weights_[w].value * b[column];
    }
    re[rows_[k].column] = real(x);
    if constexpr (is_complex) im[rows_[k].column] = imaginary(x);
  }
}

template class CondensedRows<double>;
template class CondensedRows<Split>;

}  // namespace daedalus
