#pragma once
// The program of the residuals of kernels, made when first asked for: most sets of equations are
// looked at, differentiated and cut, and never evaluated. Copies share what was made, but not the
// memory to evaluate it in.
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "expression/program.h"

namespace daedalus {

class LazyProgram {
 public:
  LazyProgram() = default;
  LazyProgram(const LazyProgram& other) : made_(other.made_) {}
  LazyProgram(LazyProgram&& other) noexcept
      : made_(other.made_), own_(other.own_.exchange(nullptr)) {}
  LazyProgram& operator=(LazyProgram other) noexcept {
    std::swap(made_, other.made_);
    other.own_ = own_.exchange(other.own_);
    return *this;
  }
  ~LazyProgram() { delete own_.load(); }

  /// Always of the same kernels.
  const Program& of(const std::shared_ptr<std::vector<Kernel>>& kernels) const {
    const Program* own = own_.load(std::memory_order_acquire);
    return own ? *own : first(kernels);
  }

 private:
  struct Made {
    std::once_flag once;
    Program program;
  };
  const Program& first(const std::shared_ptr<std::vector<Kernel>>& kernels) const;

  std::shared_ptr<Made> made_ = std::make_shared<Made>();
  mutable std::atomic<const Program*> own_ = nullptr;
};

}  // namespace daedalus
