#include "problem/findings.h"

#include <algorithm>

namespace daedalus {

Findings::Findings() : store_(std::make_shared<Store>()) {}

Findings::Store::~Store() {
  for (const Idle& idle : idle_)
    if (idle.item) idle.dispose(idle.item);
}

/// What goes may hold anything of the user's: not under the lock.
void Findings::Store::put_idle(Idle idle) noexcept {
  {
    const std::lock_guard lock(mutex_);
    for (Idle& place : idle_) {
      std::swap(place, idle);
      if (!idle.item) return;
    }
  }
  idle.dispose(idle.item);
}

std::uint64_t Findings::Store::kept() {
  const std::lock_guard lock(mutex_);
  return kept_;
}

Findings::Store::Items Findings::Store::all_of(std::type_index type) {
  const std::lock_guard lock(mutex_);
  Items items;
  std::size_t count = 0;
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && count < enough; ++entry)
    if (entry->type == type) items[count++] = entry->item;
  return items;
}

void Findings::Store::was_used(const std::shared_ptr<const void>& item) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry& entry) { return entry.item == item; });
  if (at != entries_.end()) std::rotate(at, at + 1, entries_.end());
}

void Findings::Store::put(Entry entry) {
  std::shared_ptr<const void> gone;  // likewise not under the lock
  const std::lock_guard lock(mutex_);
  const auto alike = [&](const Entry& other) { return other.type == entry.type; };
  if (std::count_if(entries_.begin(), entries_.end(), alike) >= std::ptrdiff_t{enough}) {
    const auto oldest = std::find_if(entries_.begin(), entries_.end(), alike);
    gone = std::move(oldest->item);
    entries_.erase(oldest);
  }
  entries_.push_back(std::move(entry));
  ++kept_;
}

}  // namespace daedalus
