#pragma once
// Sums of slopes with the weights of a method, its zeros left out once and for all.
#include <algorithm>
#include <vector>

#include "expression/stage_tape.h"
#include "linear/sum_kernels.h"
#include "method/explicit.h"

namespace daedalus {

class SlopeSums {
 public:
  /// Slope j is the vector of `length` at slopes + j length.
  SlopeSums(const ExplicitTable& method, const double* slopes, int length, SumKernels kernels)
      : length_(length), sum_(kernels.sum) {
    terms_.stages = method.stages;
    terms_.time.assign(method.c.begin(), method.c.begin() + method.stages);
    const auto terms = static_cast<std::size_t>(count_terms(method));
    terms_.rows.reserve(static_cast<std::size_t>(method.stages) + 1 + method.e.size());
    terms_.weight.reserve(terms), terms_.slope.reserve(terms), slopes_.reserve(terms);
    for (int i = 0; i < method.stages; ++i) add_row(method.a[i].data(), i, slopes);
    add_row(method.b.data(), method.stages, slopes);
    for (const auto& e : method.e) add_row(e.data(), method.error_stages(), slopes);
    scaled_ = terms_.weight;
  }

  void set_step(double h) {
    const double* weights = terms_.weight.data();
    sum_(terms_.scaled(), 1, &h, &weights, nullptr, scaled_.data());
  }
  const SlopeTerms& terms() const { return terms_; }
  /// x = from + h sum_j a_ij slope_j, and with b for the end of the step.
  void stage(int i, const double* from, double* x) const { sum(i, from, x); }
  void end(const double* from, double* x) const { sum(terms_.stages, from, x); }
  /// Estimate e of the error over h.
  void estimate(int e, double* x) const { sum(terms_.stages + 1 + e, nullptr, x); }

 private:
  static std::ptrdiff_t count_terms(const ExplicitTable& method) {
    const auto in = [](const auto& row) {
      return std::count_if(row.begin(), row.end(), [](double weight) { return weight != 0; });
    };
    std::ptrdiff_t count = in(method.b);
    for (int i = 0; i < method.stages; ++i) count += in(method.a[static_cast<std::size_t>(i)]);
    for (const auto& e : method.e) count += in(e);
    return count;
  }
  void add_row(const double* weights, int count, const double* slopes) {
    terms_.rows.push_back({static_cast<int>(terms_.weight.size()), 0});
    for (int j = 0; j < count; ++j) {
      if (weights[j] == 0) continue;
      terms_.weight.push_back(weights[j]);
      terms_.slope.push_back(j);
      slopes_.push_back(slopes + static_cast<std::ptrdiff_t>(j) * length_);
      ++terms_.rows.back().count;
    }
  }
  void sum(int row, const double* from, double* x) const {
    const SlopeTerms::Row& own = terms_.rows[static_cast<std::size_t>(row)];
    sum_(length_, own.count, scaled_.data() + own.first, slopes_.data() + own.first, from, x);
  }

  int length_;
  decltype(SumKernels::sum) sum_;
  SlopeTerms terms_;
  std::vector<double> scaled_;  ///< weights, those of stages and the end times the step size
  std::vector<const double*> slopes_;
};

}  // namespace daedalus
