#pragma once
// The matrices of all systems into which the stages of a step split, gamma_k/h E + A and
// (alpha_k - i beta_k)/h E + A, and the one of the error estimate.
#include <array>
#include <memory>
#include <vector>

#include "linear/kept_block.h"
#include "linear/newton_kernels.h"
#include "linear/pencil.h"
#include "method/transformation.h"
#include "stepper/saved_state.h"

namespace daedalus {

/// Seven for each stage, two more for each step: see ImplicitStages.
constexpr std::size_t stage_vectors(int stages) {
  return 7 * static_cast<std::size_t>(stages) + 2;
}

/// What the stages of a method work with. Methods that never work at the same time may share it:
/// every vector and every column takes whole cache lines, so that places which are zero because
/// they lie behind the end of a vector are so for all of them.
class StageMemory {
 public:
  StageMemory() = default;
  StageMemory(const StageMemory&) = delete;
  StageMemory& operator=(const StageMemory&) = delete;
  ~StageMemory() { KeptMemory<StageMemory>::give(block_); }
  /// Room for whoever has up to so many stages of n unknowns.
  void reserve(int stages, int n);
  /// At least so many, zero at first; what is there stays where it is if there is room.
  void hold(std::size_t doubles, std::size_t row_numbers);
  double* numbers() const { return numbers_; }  ///< from a cache line on
  long long* rows() const { return rows_; }

 private:
  KeptMemory<StageMemory>::Block block_;
  double* numbers_ = nullptr;
  long long* rows_ = nullptr;
  std::size_t doubles_ = 0, row_numbers_ = 0;            ///< in use
  std::size_t room_doubles_ = 0, room_row_numbers_ = 0;  ///< that there is

  void make_room(std::size_t doubles, std::size_t row_numbers);
};

class StageFactors {
 public:
  /// `estimate_gamma` counts only where no eigenvalue is real.
  StageFactors(const StageTransformation& data, double estimate_gamma, const Pencil& pencil);

  /// What small dense factors need; others see to it themselves.
  std::size_t doubles() const;
  std::size_t row_numbers() const;
  void place(double* numbers, long long* rows);

  /// Null: not for these.
  const NewtonKernels& at_once() const { return at_once_; }
  const DenseFactor* real_then_complex() const { return small_.data(); }

  bool factor(const Pencil& pencil, double h);
  int singular_column() const { return singular_column_; }
  /// All systems, right-hand sides one behind the other in padded vectors.
  void solve(double* d) const;
  void solve_estimate(double* x) const;

  std::vector<double> pivots() const;
  void restore_pivots(const Pencil& pencil, const std::vector<double>& pivots);

 private:
  int reals() const { return static_cast<int>(data_.gamma.size()) + (own_estimate_ ? 1 : 0); }
  int pairs() const { return static_cast<int>(data_.pairs.size()); }
  double gamma(int k) const { return own_estimate_ ? estimate_gamma_ : data_.gamma[k]; }

  const StageTransformation& data_;
  double estimate_gamma_;
  bool own_estimate_;  ///< its matrix belongs to no stage
  int n_;
  bool is_small_;
  int singular_column_ = -1;
  // Small dense matrices are called without a detour.
  DenseKernels kernels_ = {};
  NewtonKernels at_once_ = {};
  static constexpr int most_small = 5;         // nine stages
  std::array<DenseFactor, most_small> small_;  ///< real ones first
  std::vector<std::unique_ptr<RealFactors>> real_;
  std::vector<std::unique_ptr<ComplexFactors>> complex_;
};

}  // namespace daedalus
