// Sparse motions as copies for other threads, and in checkpoints.
#include "formulation/sparse_motion.h"
#include "stepper/saved_state.h"

namespace daedalus {

SparseMotion::SparseMotion(const SparseMotion& other, std::unique_ptr<ProjectedField> dense)
    : SparseMotion(other) {
  dense_ = std::move(dense);
  derivatives_ = nullptr;
  prepared_ = false;
}

std::unique_ptr<ProjectedField> SparseMotion::copy() const {
  return std::unique_ptr<ProjectedField>(
      new SparseMotion(*this, dense_ ? dense_->copy() : nullptr));
}

std::unique_ptr<ProjectedField> SparseMotion::for_output() const {
  return std::unique_ptr<ProjectedField>(
      new SparseMotion(*this, dense_ ? dense_->for_output() : nullptr));
}

std::vector<std::string> SparseMotion::notes() const {
  if (dense_) return dense_->notes();
  if (!lost_) return {};
  return {
      "constraints became nearly dependent on each other, and they are too many for the dense "
      "matrices that pass such points"};
}

void SparseMotion::save(std::vector<double>& memory) const {
  for (const double x : {dense_ ? 1.0 : 0.0, size_, prepared_ ? 1.0 : 0.0, at_t_})
    memory.push_back(x);
  save_list(memory, at_q_), save_list(memory, length_at_start_);
  if (dense_) dense_->save(memory);
}

void SparseMotion::restore(SavedState& memory) {
  const bool dense = memory.flag();
  size_ = memory.number();
  const bool was_prepared = memory.flag();
  const double t = memory.number();
  std::vector<double> q(static_cast<std::size_t>(n_));
  memory.list(q), memory.list(length_at_start_);
  prepared_ = false;
  if (was_prepared) prepare(t, q.data());
  factorizations = 0;
  if (!dense || !make_dense_) return;
  dense_ = make_dense_();
  dense_->restore(memory);
}

}  // namespace daedalus
