#pragma once
// The shelf behind `Findings`: items of any type, each with what tells whether it fits.
#include <mutex>
#include <typeindex>
#include <vector>

#include "daedalus/findings.h"

namespace daedalus {

class Findings::Store {
 public:
  /// The item of this type that fits, or null. `fits` is asked under the lock.
  template <class Item, class Fits>
  std::shared_ptr<const Item> find(Fits fits) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.type != typeid(Item)) continue;
      auto item = std::static_pointer_cast<const Item>(entry.item);
      if (fits(*item)) return item;
    }
    return nullptr;
  }

  /// In place of the oldest one of its type, if there are enough.
  template <class Item>
  void keep(std::shared_ptr<const Item> item) {
    const std::lock_guard lock(mutex_);
    put({typeid(Item), std::move(item)});
  }

 private:
  struct Entry {
    std::type_index type;
    std::shared_ptr<const void> item;
  };
  void put(Entry entry);

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

/// What fits among the findings, or what `make` makes, which is kept; `make` may give null.
template <class Item, class Fits, class Make>
std::shared_ptr<const Item> found_or_made(const Findings& findings, Fits fits, Make make) {
  Findings::Store* store = findings.store();
  if (store)
    if (auto item = store->find<Item>(fits)) return item;
  std::shared_ptr<const Item> item = make();
  if (store && item) store->keep(item);
  return item;
}

}  // namespace daedalus
