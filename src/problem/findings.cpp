#include "problem/findings.h"

#include <algorithm>

namespace daedalus {

Findings::Findings() : store_(std::make_shared<Store>()) {}

std::uint64_t Findings::Store::kept() {
  const std::lock_guard lock(mutex_);
  return kept_;
}

std::vector<std::shared_ptr<const void>> Findings::Store::all_of(std::type_index type) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const void>> items;
  for (const Entry& entry : entries_)
    if (entry.type == type) items.push_back(entry.item);
  return items;
}

void Findings::Store::was_used(const std::shared_ptr<const void>& item) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry& entry) { return entry.item == item; });
  if (at != entries_.end()) std::rotate(at, at + 1, entries_.end());
}

/// A run and its counterpart by another method may take turns; more would be looked through for
/// nothing where functions change from run to run.
void Findings::Store::put(Entry entry) {
  constexpr std::ptrdiff_t enough = 2;
  const std::lock_guard lock(mutex_);
  const auto alike = [&](const Entry& other) { return other.type == entry.type; };
  if (std::count_if(entries_.begin(), entries_.end(), alike) >= enough)
    entries_.erase(std::find_if(entries_.begin(), entries_.end(), alike));
  entries_.push_back(std::move(entry));
  ++kept_;
}

}  // namespace daedalus
