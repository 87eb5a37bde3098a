#pragma once
// The shelf behind `Findings`: items of any type, each with what tells whether it fits.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <typeindex>
#include <utility>
#include <vector>

#include "daedalus/findings.h"

namespace daedalus {

class Findings::Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// The item of this type that fits, or null. `fits` may run functions of the user, which may do
  /// anything: it is not asked under the lock.
  template <class Item, class Fits>
  std::shared_ptr<const Item> find(Fits fits) {
    const Items candidates = all_of(typeid(Item));
    for (std::size_t k = 0; k < candidates.size() && candidates[k]; ++k) {
      auto item = std::static_pointer_cast<const Item>(candidates[k]);
      if (!fits(*item)) continue;
      if (k > 0) was_used(candidates[k]);
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

  /// What changes as it is used, and so belongs to one user at a time: the last that was left here
  /// and fits, or null. `fits` is asked under the lock.
  template <class Item, class Fits>
  std::unique_ptr<Item> take(Fits fits) {
    const std::lock_guard lock(mutex_);
    for (Idle& idle : idle_)
      if (idle.dispose == dispose_of<Item> && fits(*static_cast<const Item*>(idle.item)))
        return std::unique_ptr<Item>(static_cast<Item*>(std::exchange(idle, {}).item));
    return nullptr;
  }
  /// In place of the one that was left here first, if there is no room.
  template <class Item>
  void leave(std::unique_ptr<Item> item) {
    put_idle({item.release(), dispose_of<Item>});
  }

 private:
  struct Idle {
    void* item = nullptr;
    void (*dispose)(void*) = nullptr;  ///< tells of which type it is; null: there is none
  };
  template <class Item>
  static void dispose_of(void* item) {
    delete static_cast<Item*>(item);
  }
  void put_idle(Idle idle) noexcept;

  struct Entry {
    std::type_index type;
    std::shared_ptr<const void> item;
  };
  /// A run and its counterpart by another method may take turns; more would be looked through for
  /// nothing where functions change from run to run.
  static constexpr std::size_t enough = 2;
  using Items = std::array<std::shared_ptr<const void>, enough>;
  /// The one used last is first; then come nulls.
  Items all_of(std::type_index type);
  void was_used(const std::shared_ptr<const void>& item);
  void put(Entry entry);

  std::mutex mutex_;
  std::uint64_t kept_ = 0;
  std::vector<Entry> entries_;  ///< the one used last is last
  /// Two threads may share a problem, or two sets of options take turns. The last one is first.
  std::array<Idle, enough> idle_;
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
