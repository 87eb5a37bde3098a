#include "formulation/stage_code.h"

namespace daedalus {

std::shared_ptr<const StageTape> StageCode::known(const SlopeTerms& terms) {
  const std::lock_guard lock(turn_);
  for (const auto& [of, tape] : list_)
    if (of == terms) return tape;
  return nullptr;
}

std::shared_ptr<const StageTape> StageCode::made(const SlopeTerms& terms) {
  // Instructions have seven bytes: more would not stay in the first cache from step to step.
  constexpr std::size_t most_operations = 4000;
  if (std::shared_ptr<const StageTape> tape = known(terms)) return tape;
  const std::size_t slopes = static_cast<std::size_t>(terms.stages) - 1,
                    sums = terms.slope.size() * static_cast<std::size_t>(2 * n_);
  if (slopes * a_->instructions().size() + sums > most_operations) return nullptr;
  auto tape = std::make_shared<StageTape>(*a_, n_, most_, least_, terms);
  tape->translate();
  const std::lock_guard lock(turn_);
  list_.emplace_back(terms, tape);
  return tape;
}

}  // namespace daedalus
