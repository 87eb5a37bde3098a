#pragma once
// Memory of objects that every run makes once and that take more than a kilobyte: the thread keeps
// the last block that was given back. Where malloc is asked for so much, glibc first sweeps up the
// small blocks of the run before and then cuts new ones from them, which takes longer than a step.
#include <cstddef>
#include <new>

namespace daedalus {

template <class Object>
class KeptBlock {
 public:
  static void* operator new(std::size_t size) {
    if (size != sizeof(Object) || !kept_.block) return ::operator new(size);
    void* const block = kept_.block;
    kept_.block = nullptr;
    return block;
  }
  static void operator delete(void* block, std::size_t size) {
    if (size != sizeof(Object) || kept_.block || kept_.is_over)
      ::operator delete(block);
    else
      kept_.block = block;
  }

 private:
  struct Kept {
    void* block = nullptr;
    bool is_over = false;  ///< the thread ends

    ~Kept() {
      ::operator delete(block);
      block = nullptr, is_over = true;
    }
  };
  static thread_local inline Kept kept_;
};

}  // namespace daedalus
