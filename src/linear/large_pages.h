#pragma once
// The numbers of large systems fill thousands of small pages, and a machine that goes through all
// of them in every iteration spends much of its time looking up where they are.
#include <cstddef>
#include <memory>
#include <vector>

namespace daedalus {

/// Asks for large pages where this block is so large that it has some; to be called before it is
/// written for the first time.
void advise_large_pages(void* block, std::size_t bytes);

/// `count` elements, whatever their values are.
template <class Number>
std::unique_ptr<Number[]> large_array(std::size_t count) {
  std::unique_ptr<Number[]> array(new Number[count]);
  advise_large_pages(array.get(), count * sizeof(Number));
  return array;
}

template <class Number>
void resize_large(std::vector<Number>& list, std::size_t size) {
  if (size > list.capacity()) {
    list.reserve(size);
    if (list.empty()) advise_large_pages(list.data(), size * sizeof(Number));
  }
  list.resize(size);
}

}  // namespace daedalus
