#pragma once
// Sums of slopes with the weights of a method, its zeros left out once and for all.
#include <vector>

#include "linear/sum_kernels.h"
#include "method/explicit.h"

namespace daedalus {

class SlopeSums {
 public:
  /// Slope j is the vector of `length` at slopes + j length.
  SlopeSums(const ExplicitTable& method, const double* slopes, int length, SumKernels kernels)
      : length_(length), sum_(kernels.sum) {
    for (int i = 0; i < method.stages; ++i) add_row(method.a[i].data(), i, slopes);
    end_ = add_row(method.b.data(), method.stages, slopes);
    estimates_ = static_cast<int>(rows_.size());
    for (const auto& e : method.e) add_row(e.data(), method.error_stages(), slopes);
    scaled_ = weights_;
  }

  void set_step(double h) {
    const std::size_t count = weights_.size();
    for (std::size_t k = 0; k < count; ++k) scaled_[k] = h * weights_[k];
  }
  /// x = from + h sum_j a_ij slope_j, and with b for the end of the step.
  void stage(int i, const double* from, double* x) const { sum(i, scaled_.data(), from, x); }
  void end(const double* from, double* x) const { sum(end_, scaled_.data(), from, x); }
  /// Estimate e of the error over h.
  void estimate(int e, double* x) const { sum(estimates_ + e, weights_.data(), nullptr, x); }

 private:
  struct Row {
    std::size_t first;
    int count;
  };

  int add_row(const double* weights, int count, const double* slopes) {
    rows_.push_back({weights_.size(), 0});
    for (int j = 0; j < count; ++j) {
      if (weights[j] == 0) continue;
      weights_.push_back(weights[j]);
      terms_.push_back(slopes + static_cast<std::ptrdiff_t>(j) * length_);
      ++rows_.back().count;
    }
    return static_cast<int>(rows_.size()) - 1;
  }
  void sum(int row, const double* weights, const double* from, double* x) const {
    const Row& own = rows_[static_cast<std::size_t>(row)];
    sum_(length_, own.count, weights + own.first, terms_.data() + own.first, from, x);
  }

  int length_, end_ = 0, estimates_ = 0;
  decltype(SumKernels::sum) sum_;
  std::vector<Row> rows_;
  std::vector<double> weights_, scaled_;
  std::vector<const double*> terms_;
};

}  // namespace daedalus
