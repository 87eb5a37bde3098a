#pragma once
// Memory that every run takes once and that is more than a kilobyte: the thread keeps the last
// block that was given back. Where malloc is asked for so much, glibc first sweeps up the small
// blocks of the run before and then cuts new ones from them, which takes longer than a step.
#include <cstddef>
#include <new>
#include <utility>

namespace daedalus {

/// One block for each `Owner`, a class that is used by one run at a time most of the time.
template <class Owner>
class KeptMemory {
 public:
  struct Block {
    void* place = nullptr;
    std::size_t size = 0;
  };

  /// Of this size at least, as the last owner left it.
  static Block take(std::size_t size) {
    Block& last = kept().block;
    return last.size < size ? Block{::operator new(size), size} : std::exchange(last, {});
  }
  static void give(Block block) {
    Kept& last = kept();
    if (!last.is_over && block.size > last.block.size && block.size <= most)
      std::swap(block, last.block);
    ::operator delete(block.place);
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 16;
  struct Kept {
    Block block;
    bool is_over = false;  ///< the thread ends

    ~Kept() {
      ::operator delete(block.place);
      block = {}, is_over = true;
    }
  };
  static Kept& kept() {
    static thread_local Kept of_thread;
    return of_thread;
  }
};

/// Objects that live there.
template <class Object>
class KeptBlock {
 public:
  static void* operator new(std::size_t size) {
    static_assert(alignof(Object) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    return size == sizeof(Object) ? KeptMemory<Object>::take(size).place : ::operator new(size);
  }
  static void operator delete(void* block, std::size_t size) {
    if (size == sizeof(Object))
      KeptMemory<Object>::give({block, size});
    else
      ::operator delete(block);
  }
};

}  // namespace daedalus
