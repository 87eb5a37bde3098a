// Sparse LU of a pencil by KLU: one symbolic analysis (ordered by minimum degree or dissection),
// one factorisation that chooses pivots, then refactorisations with these pivots for as long as
// they stay good. [DavisPalamadaiNatarajan2010]
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "linear/factors.h"
#include "linear/klu_analysis.h"
#include "linear/sparse_plan.h"

namespace daedalus {
namespace {

struct RealKlu {
  static constexpr int width = 1;  ///< doubles per entry
  static constexpr auto factor = klu_factor;
  static constexpr auto refactor = klu_refactor;
  static constexpr auto solve = klu_solve;
  static constexpr auto growth = klu_rgrowth;
  static constexpr auto condition = klu_rcond;
  static constexpr auto free = klu_free_numeric;
};

struct ComplexKlu {
  static constexpr int width = 2;
  static constexpr auto factor = klu_z_factor;
  static constexpr auto refactor = klu_z_refactor;
  static constexpr auto solve = klu_z_solve;
  static constexpr auto growth = klu_z_rgrowth;
  static constexpr auto condition = klu_z_rcond;
  static constexpr auto free = klu_z_free_numeric;
};

/// In three dimensions factors grow out of all proportion to the matrix: say so at once rather
/// than after hours. KLU counts entries with int.
void refuse_hopeless_size(int size, const SparseWork& work, int width) {
  const double entries = work.entries;
  const double bytes = entries * (8.0 * width + 4);
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const bool countable = entries < std::numeric_limits<int>::max();
  if (countable && (bytes <= memory || memory <= 0)) return;
  throw std::runtime_error(fmt::format(
      "the sparse factors of {} unknowns are too large: {}, and the machine has {:.0f} GB; take a "
      "coarser grid, or fewer dimensions",
      size,
      countable ? fmt::format("they need {:.0f} GB", 1e-9 * bytes)
                : std::string("more than 2^31 entries"),
      1e-9 * memory));
}

template <class Klu>
class KluFactors {
 public:
  KluFactors(const Pattern& pattern, const SparsePlan& plan)
      : values(static_cast<std::size_t>(Klu::width) * pattern.nonzeros()),
        column_start_(pattern.column_start),
        row_(pattern.row) {
    klu_defaults(&settings_);
    refuse_hopeless_size(pattern.size, plan.work(), Klu::width);
    analysis_ = plan.analysis(pattern);
    symbolic_ = analysis_->symbolic;
    pivots_.reserve(values.size());
  }
  KluFactors(const KluFactors&) = delete;
  KluFactors& operator=(const KluFactors&) = delete;
  ~KluFactors() { Klu::free(&numeric_, &settings_); }

  /// Factors `values`; returns the singular column or -1.
  int factor() { return keeps_pivots() ? -1 : choose_pivots(); }

  int choose_pivots() {
    forget_pivots();
    numeric_ = Klu::factor(column_start_.data(), row_.data(), values.data(), symbolic_, &settings_);
    if (numeric_ == nullptr) {
      if (settings_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
      return std::clamp(settings_.singular_col, 0, symbolic_->n - 1);
    }
    if (!is_regular()) {
      const int column = irregular_column();
      Klu::free(&numeric_, &settings_);
      return column;
    }
    growth_ = growth();
    pivots_ = values;
    return -1;
  }

  void forget_pivots() {
    Klu::free(&numeric_, &settings_);
    pivots_.clear();
  }

  void solve(double* x) const { Klu::solve(symbolic_, numeric_, symbolic_->n, 1, x, &settings_); }

  const std::vector<double>& pivots() const { return pivots_; }

  std::vector<double> values;  ///< of the shifted pencil

 private:
  /// The backward error is about eps / growth (the reciprocal of what others call pivot growth).
  /// Newton corrects a loss of a few digits but repeats it in every iteration, so three digits
  /// below what fresh pivots gave is where choosing new ones pays.
  bool keeps_pivots() {
    if (numeric_ == nullptr) return false;
    return Klu::refactor(column_start_.data(), row_.data(), values.data(), symbolic_, numeric_,
                         &settings_) &&
           settings_.status == KLU_OK && is_regular() && growth() >= 1e-3 * growth_;
  }

  bool is_regular() {
    return Klu::condition(symbolic_, numeric_, &settings_) && settings_.rcond > 0;
  }

  double growth() {
    Klu::growth(column_start_.data(), row_.data(), values.data(), symbolic_, numeric_, &settings_);
    return settings_.rgrowth;
  }

  int irregular_column() const {
    const auto* diagonal = static_cast<const double*>(numeric_->Udiag);
    for (int k = 0; k < symbolic_->n; ++k) {
      double size = 0;
      for (int c = 0; c < Klu::width; ++c) size += std::abs(diagonal[Klu::width * k + c]);
      if (!(size > 0 && std::isfinite(size))) return symbolic_->Q[k];
    }
    return 0;
  }

  std::vector<int> column_start_, row_;  // KLU takes pointers to non-const
  mutable klu_common settings_;
  std::shared_ptr<const KluAnalysis> analysis_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double growth_ = 1;           // of the factorisation that chose the pivots
  std::vector<double> pivots_;  // the values it saw
};

std::shared_ptr<const SparsePlan> plan_of(const Pencil& pencil) {
  return pencil.work.plan ? pencil.work.plan : std::make_shared<const SparsePlan>(pencil.pattern);
}

/// By fronts where there are many operations for each unknown, unless pivots have to be sought
/// outside of them: then by KLU from there on.
class SparseRealFactors final : public RealFactors {
 public:
  explicit SparseRealFactors(const Pencil& pencil) : plan_(plan_of(pencil)) {
    plan_->has_fronts() ? take_fronts(pencil) : take_klu(pencil);
  }

  bool factor(const Pencil& pencil, double shift) override {
    singular_column_ = -1;
    if (fronts_) {
      shift_values(pencil, shift, values_);
      if (fronts_->factor(values_.data())) return true;
      take_klu(pencil);
    }
    shift_values(pencil, shift, klu_->values);
    singular_column_ = klu_->factor();
    return singular_column_ < 0;
  }
  void solve(double* x) const override { fronts_ ? fronts_->solve(x) : klu_->solve(x); }

  std::vector<double> pivots() const override {
    return klu_ ? klu_->pivots() : std::vector<double>{};
  }
  void restore_pivots(const Pencil& pencil, const std::vector<double>& pivots) override {
    if (pivots.size() != pencil.a.size()) return;
    if (fronts_) take_klu(pencil);
    klu_->values = pivots;
    klu_->choose_pivots();
  }
  void forget_pivots(const Pencil& pencil) override {
    if (klu_ && plan_->has_fronts()) take_fronts(pencil);
    if (klu_) klu_->forget_pivots();
  }

 private:
  using Klu = KluFactors<RealKlu>;

  static void shift_values(const Pencil& pencil, double shift, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = shift * pencil.e[i] + pencil.a[i];
  }
  void take_fronts(const Pencil& pencil) {
    refuse_hopeless_size(pencil.size(), plan_->work(), RealKlu::width);
    klu_.reset();
    values_.resize(pencil.a.size());
    fronts_ = std::make_unique<SparseFronts>(plan_->fronts(pencil.pattern));
  }
  void take_klu(const Pencil& pencil) {
    fronts_.reset();
    klu_ = std::make_unique<Klu>(pencil.pattern, *plan_);
  }

  std::shared_ptr<const SparsePlan> plan_;
  std::unique_ptr<SparseFronts> fronts_;
  std::vector<double> values_;
  std::unique_ptr<Klu> klu_;
};

class SparseComplexFactors final : public ComplexFactors {
 public:
  explicit SparseComplexFactors(const Pencil& pencil)
      : klu_(pencil.pattern, *plan_of(pencil)), x_(2 * static_cast<std::size_t>(pencil.size())) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    const std::size_t entries = pencil.e.size();
    for (std::size_t i = 0; i < entries; ++i) {
      klu_.values[2 * i] = re * pencil.e[i] + pencil.a[i];
      klu_.values[2 * i + 1] = im * pencil.e[i];
    }
    singular_column_ = klu_.factor();
    return singular_column_ < 0;
  }
  void solve(double* re, double* im) const override {
    const std::size_t n = x_.size() / 2;
    for (std::size_t i = 0; i < n; ++i) x_[2 * i] = re[i], x_[2 * i + 1] = im[i];
    klu_.solve(x_.data());
    for (std::size_t i = 0; i < n; ++i) re[i] = x_[2 * i], im[i] = x_[2 * i + 1];
  }

  std::vector<double> pivots() const override { return klu_.pivots(); }
  void restore_pivots(const Pencil&, const std::vector<double>& pivots) override {
    if (pivots.size() != klu_.values.size()) return;
    klu_.values = pivots;
    klu_.choose_pivots();
  }

 private:
  KluFactors<ComplexKlu> klu_;
  mutable std::vector<double> x_;
};

}  // namespace

std::unique_ptr<RealFactors> make_sparse_real_factors(const Pencil& pencil) {
  return std::make_unique<SparseRealFactors>(pencil);
}

std::unique_ptr<ComplexFactors> make_sparse_complex_factors(const Pencil& pencil) {
  return std::make_unique<SparseComplexFactors>(pencil);
}

}  // namespace daedalus
