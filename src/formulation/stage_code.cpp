#include "formulation/stage_code.h"

namespace daedalus {

std::shared_ptr<const StageTape> StageCode::of(const SlopeTerms& terms) {
  constexpr int most_operations = 10'000;
  const std::lock_guard lock(turn_);
  for (const auto& [of, tape] : list_)
    if (of == terms) return tape;
  std::shared_ptr<StageTape> tape;
  if (operations(terms) <= most_operations) {
    tape = std::make_shared<StageTape>(
        MotionTapes{*accelerate_, *correct_, *arrive_, *watch_, n_, most_, least_}, terms);
    tape->translate();
    if (!tape->tape().is_translated()) tape = nullptr;
  }
  list_.emplace_back(terms, tape);
  return tape;
}

}  // namespace daedalus
