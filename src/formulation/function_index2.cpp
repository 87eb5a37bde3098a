// Hessenberg systems of index 2 stated by functions.
#include "formulation/index2_equations.h"
#include "problem/total_derivative.h"

namespace daedalus {
namespace {

class FunctionIndex2 final : public Index2Equations {
 public:
  explicit FunctionIndex2(const HessenbergIndex2& form)
      : f_(form.f, {form.differential, form.algebraic}, form.differential),
        g_(form.g, {form.differential}, form.algebraic) {
    differential = form.differential, algebraic = form.algebraic;
    const std::size_t n = static_cast<std::size_t>(differential);
    const std::size_t area = n * static_cast<std::size_t>(algebraic);
    columns_.resize(area), dual_y_.resize(n), dual_columns_.resize(area);
  }

  std::shared_ptr<Index2Equations> copy() const override {
    return std::make_shared<FunctionIndex2>(*this);
  }
  void slopes(double t, const double* y, const double* z, double* f) override {
    f_.value<double>(t, {y, z}, f);
  }
  void directions(double t, const double* y, const double* z, double* rows) override {
    f_.jacobian<double>(t, {y, z}, 1, columns_.data());
    to_rows(differential, algebraic, rows, [&](int k) { return columns_[k]; });
  }
  void constraint(double t, const double* y, double* g) override { g_.value<double>(t, {y}, g); }
  void drift(double t, const double* y, double* g) override {
    g_.first<double>(t, {y}, {nullptr}, g);
  }
  void jacobian(double t, const double* y, double* rows) override {
    g_.jacobian<double>(t, {y}, 0, columns_.data());
    to_rows(algebraic, differential, rows, [&](int k) { return columns_[k]; });
  }
  bool jacobian_rate(double t, const double* y, const double* yp, double* rows) override {
    if (!g_.is_differentiable()) return false;
    for (int j = 0; j < differential; ++j) dual_y_[j] = Dual(y[j]), dual_y_[j].d[0] = yp[j];
    Dual time(t);
    time.d[0] = 1;
    g_.jacobian<Dual>(time, {dual_y_.data()}, 0, dual_columns_.data());
    to_rows(algebraic, differential, rows, [&](int k) { return dual_columns_[k].d[0]; });
    return true;
  }

 private:
  template <class Entry>
  static void to_rows(int rows, int columns, double* out, Entry entry) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) *out++ = entry(i + j * rows);
  }

  Differentiated<2> f_;
  Differentiated<1> g_;
  std::vector<double> columns_;
  std::vector<Dual> dual_y_, dual_columns_;
};

}  // namespace

std::unique_ptr<Index2Equations> index2_equations_of(const HessenbergIndex2& form) {
  return std::make_unique<FunctionIndex2>(form);
}

}  // namespace daedalus
