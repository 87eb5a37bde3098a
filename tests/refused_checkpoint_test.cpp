// Checkpoints that are damaged, or of something else, are refused.
#include <cmath>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "checkpoints.h"
#include "daedalus/error.h"
#include "exact_problems.h"

namespace daedalus {
namespace {

class RefusedCheckpoint : public testing::Test {
 protected:
  const Problem problem_ = exact::pendulum(2);
  Options options_{.rtol = 1e-6};
  std::string bytes_;

  void SetUp() override {
    Integrator run(problem_, options_);
    for (int i = 0; i < 8; ++i) run.step();
    bytes_ = saved(run);
  }
  void expect_refused(const Problem& p, const Options& o, const std::string& bytes,
                      const std::string& why) {
    EXPECT_THROW(static_cast<void>(resumed(p, o, bytes)), InvalidInput) << why;
  }
};

TEST_F(RefusedCheckpoint, TooShort) {
  for (std::size_t size = 0; size < bytes_.size(); size += 1 + size / 16)
    expect_refused(problem_, options_, bytes_.substr(0, size), "cut at " + std::to_string(size));
  expect_refused(problem_, options_, bytes_.substr(0, bytes_.size() - 1), "last byte missing");
}

TEST_F(RefusedCheckpoint, Foreign) {
  expect_refused(problem_, options_, "", "empty");
  expect_refused(problem_, options_, "this is a text file, and a long enough one to be read",
                 "text");
  expect_refused(problem_, options_, std::string(10000, '\0'), "zeros");
  expect_refused(exact::oscillator().problem, options_, bytes_, "another problem");
  expect_refused(exact::pendulum(3), options_, bytes_, "another interval");
}

TEST_F(RefusedCheckpoint, OtherOptions) {
  const auto with = [&](auto change) {
    Options o = options_;
    change(o);
    return o;
  };
  expect_refused(problem_, with([](Options& o) { o.rtol = 1e-7; }), bytes_, "rtol");
  expect_refused(problem_, with([](Options& o) { o.atol = {1e-9}; }), bytes_, "atol");
  expect_refused(problem_, with([](Options& o) { o.method = "radau_iia_5"; }), bytes_, "method");
  expect_refused(problem_, with([](Options& o) { o.max_stages = 3; }), bytes_, "max_stages");
  expect_refused(problem_, with([](Options& o) { o.min_stages = 1; }), bytes_, "min_stages");
  expect_refused(problem_, with([](Options& o) { o.formulation = Formulation::direct; }), bytes_,
                 "formulation");
  expect_refused(problem_, with([](Options& o) { o.max_step = 0.01; }), bytes_, "max_step");
  expect_refused(problem_, with([](Options& o) { o.points = 7; }), bytes_, "output times");
  expect_refused(problem_, with([](Options& o) {
                   o.events.push_back({.value = [](double, Input) { return 1.0; }});
                 }),
                 bytes_, "events");
}

TEST_F(RefusedCheckpoint, AnyByteFlipped) {
  for (std::size_t i = 0; i < bytes_.size(); i += i < 40 ? 1 : 89)
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes_;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      expect_refused(problem_, options_, damaged, "byte " + std::to_string(i));
    }
}

TEST_F(RefusedCheckpoint, OrSurvivedWhenTheChecksumWasForged) {
  constexpr std::size_t header = 32;
  for (std::size_t i = header; i + 8 <= bytes_.size(); i += i < 400 ? 8 : 88)
    for (const double forged : {-1.0, 0.5, 1e300, 3.0, std::nan("")}) {
      std::string damaged = bytes_;
      std::memcpy(damaged.data() + i, &forged, sizeof forged);
      std::uint64_t hash = 14695981039346656037ull;
      for (std::size_t k = header; k < damaged.size(); ++k)
        hash = (hash ^ static_cast<unsigned char>(damaged[k])) * 1099511628211ull;
      std::memcpy(damaged.data() + 24, &hash, sizeof hash);
      try {
        static_cast<void>(resumed(problem_, options_, damaged));
      } catch (const InvalidInput&) {
        // Lengths and positions are refused, other numbers cannot be told from right ones.
      }
    }
}

TEST_F(RefusedCheckpoint, WithALengthThatIsAbsurd) {
  std::string damaged = bytes_;
  const std::uint64_t length = ~std::uint64_t{0} / 16;
  std::memcpy(damaged.data() + 16, &length, sizeof length);
  expect_refused(problem_, options_, damaged, "length");
}

}  // namespace
}  // namespace daedalus
