// The slider-crank of the published figures, through its singular position.
#include <sstream>

#include <gtest/gtest.h>

#include "reproduce/reproduction.h"

namespace daedalus::reproduce {
namespace {

ReproduceSummary summary_of(const std::string& name) {
  for (const Reproduction& entry : reproductions()) {
    std::ostringstream discarded;
    if (entry.name == name) return entry.run({}, discarded);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(SliderCrank, OfTheFiguresFollowsItsMotionInOneCoordinate) {
  EXPECT_EQ(summary_of("srm-figure-6.1").agree, 1);
  EXPECT_EQ(summary_of("srm-figure-6.2").agree, 1);
}

TEST(SliderCrank, OfTheTableIsMarkedAsNotReproducible) {
  const ReproduceSummary summary = summary_of("srm-6.5");
  EXPECT_EQ(summary.entries, 4);
  EXPECT_EQ(summary.known_misprints, 0);
}

}  // namespace
}  // namespace daedalus::reproduce
