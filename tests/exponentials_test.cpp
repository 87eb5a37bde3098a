// Four exponentials at once against that of the library in extended precision.
#include "expression/exponentials.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace daedalus {
namespace {

TEST(Exponentials, AreExactToLessThanTheLastPlace) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int k = 0; k < 50000; ++k) {
    double x[4], e[4];
    for (double& value : x) value = (k % 2 ? 708 : 2) * number(random);
    four_exponentials()(e, x);
    for (int i = 0; i < 4; ++i) {
      const double unit = std::nextafter(e[i], std::numeric_limits<double>::infinity()) - e[i];
      // Where 1 + s lies just above 0.7: half a unit by the last sum, a quarter by s = r + q. Of q,
      // whose size is 0.054, 0.03 by its own rounding, 0.06 and 0.04 by those of its series, 0.03
      // by that of r^2, and 0.04 by what the series leaves out.
      EXPECT_LE(std::abs(static_cast<long double>(e[i]) - std::exp(static_cast<long double>(x[i]))),
                0.95L * unit)
          << x[i];
    }
  }
}

TEST(Exponentials, AreThoseOfTheLibraryBeyondNormalNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double some[] = {709.7, -708.1, -745,   -800, infinity, -infinity,
                         710,   1e300,  -1e300, 0.0,  -0.0,     1e-320};
  for (int first = 0; first + 4 <= static_cast<int>(std::size(some)); ++first) {
    double four[4];
    four_exponentials()(four, some + first);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(four[i], std::exp(some[first + i]));
  }
  const double nothing[] = {std::nan(""), 0, std::nan(""), 1};
  double four[4];
  four_exponentials()(four, nothing);
  EXPECT_TRUE(std::isnan(four[0]));
  EXPECT_EQ(four[1], 1);
}

/// Each for itself, wherever it stands.
TEST(Exponentials, DoNotDependOnTheirLane) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-30, 30);
  for (int k = 0; k < 1000; ++k) {
    double x[4], e[4], turned[4], again[4];
    for (double& value : x) value = number(random);
    for (int i = 0; i < 4; ++i) turned[i] = x[(i + 1) % 4];
    four_exponentials()(e, x), four_exponentials()(again, turned);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(again[i], e[(i + 1) % 4]);
  }
}

}  // namespace
}  // namespace daedalus
