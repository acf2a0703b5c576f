#include "data/loader/order.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "gtest/gtest.h"

namespace tessera {
namespace {

TEST(EpochOrderTest, EachEpochIsAnotherPermutation) {
  std::set<std::vector<int64_t>> orders;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int64_t> order = EpochOrder(22, 17, epoch, true);
    orders.insert(order);
    EXPECT_EQ(order, EpochOrder(22, 17, epoch, true));
    std::sort(order.begin(), order.end());
    std::vector<int64_t> all(22);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
  }
  EXPECT_EQ(orders.size(), 3u);
  EXPECT_NE(EpochOrder(22, 17, 0, true), EpochOrder(22, 18, 0, true));
}

TEST(EpochOrderTest, WithoutShufflingIdsAscend) {
  EXPECT_EQ(EpochOrder(4, 17, 5, false), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(EpochOrder(0, 17, 5, true).empty());
}

// Sets sorted by class: 1000 samples of 100 classes in a row, batches of 16. Distinct classes of a
// batch come near those of a uniform draw (15.0).
TEST(EpochOrderTest, BatchesMixClasses) {
  const std::vector<int64_t> order = EpochOrder(1000, 17, 0, true);
  double distinct = 0;
  constexpr int kBatches = 62;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::set<int64_t> classes;
    for (int i = 0; i < 16; ++i) classes.insert(order[batch * 16 + i] / 10);
    distinct += static_cast<double>(classes.size());
  }
  EXPECT_GT(distinct / kBatches, 14);
}

}  // namespace
}  // namespace tessera
