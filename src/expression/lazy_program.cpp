#include "expression/lazy_program.h"

namespace daedalus {

const Program& LazyProgram::first(const std::shared_ptr<std::vector<Kernel>>& kernels) const {
  std::call_once(made_->once, [&] {
    std::vector<Fragment> fragments;
    for (const Kernel& kernel : *kernels)
      fragments.push_back({&kernel, kernel.graph, {kernel.residual}, true, 0});
    made_->program = Program(fragments, kernels);
  });
  auto own = std::make_unique<const Program>(made_->program);
  const Program* known = nullptr;
  if (own_.compare_exchange_strong(known, own.get(), std::memory_order_acq_rel))
    return *own.release();
  return *known;  // another thread was here first
}

}  // namespace daedalus
