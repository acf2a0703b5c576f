#include "data/random/philox.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "gtest/gtest.h"

namespace tessera {
namespace {

// The known-answer vectors that come with the paper's reference implementation (Random123).
TEST(PhiloxTest, MatchesPublishedVectors) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(Philox::Block({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      Philox::Block({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Philox::Block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, EachSeedEpochAndSampleHasItsOwnStream) {
  std::set<uint64_t> first;
  for (const uint64_t seed : {uint64_t{1}, uint64_t{1} << 32}) {
    for (const uint32_t epoch : {0u, 1u}) {
      for (const uint64_t sample : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32}) {
        Philox random(seed, epoch, sample);
        first.insert(uint64_t{random()} << 32 | random());
      }
    }
  }
  EXPECT_EQ(first.size(), 12u);
}

TEST(PhiloxTest, BelowIsUniformAndInRange) {
  Philox random(17, 0, 0);
  std::array<int, 5> count{};
  for (int i = 0; i < 50000; ++i) ++count.at(random.Below(5));
  const auto [low, high] = std::minmax_element(count.begin(), count.end());
  EXPECT_GT(*low, 9600);
  EXPECT_LT(*high, 10400);
  EXPECT_EQ(random.Below(1), 0u);
}

TEST(PhiloxTest, UniformStaysInItsRange) {
  Philox random(17, 3, 9);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double value = random.Uniform(-1, 3);
    EXPECT_GE(value, -1);
    EXPECT_LT(value, 3);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 1, 0.05);
}

}  // namespace
}  // namespace tessera
