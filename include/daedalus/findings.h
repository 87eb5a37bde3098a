#pragma once
// What solving a problem finds out about its equations, kept for the next time.
#include <memory>

namespace daedalus {

/// Belongs to a problem and its copies: records of functions, analyses and code are used again by
/// later runs where the equations are still the same, which is looked at. Results are the same with
/// and without. Threads may share it.
class Findings {
 public:
  Findings();
  /// Nothing is kept.
  static Findings none() { return Findings(nullptr); }

  class Store;
  Store* store() const { return store_.get(); }

 private:
  explicit Findings(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  std::shared_ptr<Store> store_;
};

}  // namespace daedalus
