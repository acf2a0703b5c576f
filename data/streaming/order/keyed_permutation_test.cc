#include "data/streaming/order/keyed_permutation.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tessera {
namespace {

TEST(KeyedPermutation, TakesEveryPlaceOnceAndFindsBack) {
  for (const int64_t size : {1, 2, 3, 4, 5, 15, 16, 17, 100, 1023, 1025, 70000}) {
    for (const uint64_t key : {uint64_t{0}, uint64_t{17}, UINT64_MAX}) {
      const KeyedPermutation permutation(size, key);
      std::vector<bool> seen(size);
      for (int64_t place = 0; place < size; ++place) {
        const int64_t target = permutation(place);
        ASSERT_GE(target, 0);
        ASSERT_LT(target, size);
        ASSERT_FALSE(seen[target]) << size << " " << key;
        seen[target] = true;
        ASSERT_EQ(permutation.Inverse(target), place);
      }
    }
  }
}

TEST(KeyedPermutation, HoldsForSizesThatFillTheNumber) {
  const int64_t size = (int64_t{1} << 62) - 3;
  const KeyedPermutation permutation(size, 5);
  for (int64_t place = size - 1000; place < size; ++place) {
    ASSERT_LT(permutation(place), size);
    ASSERT_EQ(permutation.Inverse(permutation(place)), place);
  }
}

// Over many keys each place goes to each target about equally often: chi-square with 99 degrees of
// freedom is under 150 in all but 7 of 10000 fair draws.
TEST(KeyedPermutation, SendsEachPlaceEverywhere) {
  constexpr int kSize = 100;
  constexpr int kKeys = 20000;
  for (const int64_t place : {0, 1, 50, 99}) {
    std::vector<int> counts(kSize);
    for (uint64_t key = 0; key < kKeys; ++key) ++counts[KeyedPermutation(kSize, key)(place)];
    double chi_square = 0;
    for (const int count : counts) {
      const double difference = count - kKeys / kSize;
      chi_square += difference * difference / (kKeys / kSize);
    }
    EXPECT_LT(chi_square, 150) << place;
  }
}

// Neighbours do not stay neighbours: the difference of two that follow one another takes each value
// about equally often.
TEST(KeyedPermutation, PartsNeighbours) {
  constexpr int kSize = 101;
  constexpr int kKeys = 2000;
  std::vector<int> counts(kSize);
  for (uint64_t key = 0; key < kKeys; ++key) {
    const KeyedPermutation permutation(kSize, key);
    for (int64_t place = 1; place < kSize; ++place) {
      ++counts[(permutation(place) - permutation(place - 1) + kSize) % kSize];
    }
  }
  EXPECT_EQ(counts[0], 0);
  for (int difference = 1; difference < kSize; ++difference) {
    EXPECT_NEAR(counts[difference], kKeys, 200) << difference;
  }
}

}  // namespace
}  // namespace tessera
