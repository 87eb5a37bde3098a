#pragma once
// Independent pieces of work on a few threads. Piece i always does the same, so results do not
// depend on the number of threads.
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace daedalus::bvp {

/// work(piece, thread)
template <class Work>
void in_parallel(int pieces, int threads, const Work& work) {
  if (threads <= 1 || pieces <= 1) {
    for (int i = 0; i < pieces; ++i) work(i, 0);
    return;
  }
  std::atomic<int> next = 0;
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(threads));
  const auto run = [&](int thread) {
    try {
      for (int i = next++; i < pieces; i = next++) work(i, thread);
    } catch (...) {
      failed[static_cast<std::size_t>(thread)] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& each : others) each.join();
  for (const std::exception_ptr& each : failed)
    if (each) std::rethrow_exception(each);
}

}  // namespace daedalus::bvp
