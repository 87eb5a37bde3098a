#pragma once
// The shelf behind `Findings`: items of any type, each with what tells whether it fits.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <typeindex>
#include <vector>

#include "daedalus/findings.h"

namespace daedalus {

class Findings::Store {
 public:
  /// The item of this type that fits, or null. `fits` may run functions of the user, which may do
  /// anything: it is not asked under the lock.
  template <class Item, class Fits>
  std::shared_ptr<const Item> find(Fits fits) {
    for (const std::shared_ptr<const void>& candidate : all_of(typeid(Item))) {
      auto item = std::static_pointer_cast<const Item>(candidate);
      if (!fits(*item)) continue;
      was_used(candidate);
      return item;
    }
    return nullptr;
  }

  /// In place of the one of its type that was not used for longest, if there are enough.
  template <class Item>
  void keep(std::shared_ptr<const Item> item) {
    put({typeid(Item), std::move(item)});
  }
  /// Counts what was ever kept.
  std::uint64_t kept();

 private:
  struct Entry {
    std::type_index type;
    std::shared_ptr<const void> item;
  };
  std::vector<std::shared_ptr<const void>> all_of(std::type_index type);
  void was_used(const std::shared_ptr<const void>& item);
  void put(Entry entry);

  std::mutex mutex_;
  std::uint64_t kept_ = 0;
  std::vector<Entry> entries_;  ///< the one used last is last
};

/// What fits among the findings, or what `make` makes, which is kept; `make` may give null.
template <class Item, class Fits, class Make>
std::shared_ptr<const Item> found_or_made(const Findings& findings, Fits fits, Make make) {
  Findings::Store* store = findings.store();
  if (!store) return make();
  const std::uint64_t before = store->kept();
  if (auto item = store->find<Item>(fits)) return item;
  std::shared_ptr<const Item> item = make();
  // Another thread may have made the same meanwhile.
  if (store->kept() != before)
    if (auto other = store->find<Item>(fits)) return other;
  if (item) store->keep(item);
  return item;
}

/// What one thread at a time may use, again while it does. Whoever waits too long does without: it
/// may be held by someone who waits for what this thread holds.
class BriefTurn {
 public:
  explicit BriefTurn(std::recursive_timed_mutex& mutex)
      : lock_(mutex, std::chrono::milliseconds(1)) {}
  explicit operator bool() const { return lock_.owns_lock(); }

 private:
  std::unique_lock<std::recursive_timed_mutex> lock_;
};

/// Of two lists: 0 and -0 differ.
template <class List>
bool same_bits(const List& a, const List& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

}  // namespace daedalus
