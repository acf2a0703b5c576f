#include "data/order/permutation_order.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace tessera {
namespace {

std::vector<int64_t> Ids(const SampleOrder& order, int64_t epoch) {
  const auto drawn = order.Epoch(epoch).value();
  std::vector<int64_t> ids(drawn->size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = drawn->At(static_cast<int64_t>(i));
  return ids;
}

TEST(PermutationOrderTest, EachEpochIsAnotherPermutation) {
  const PermutationOrder order(22, 17);
  std::set<std::vector<int64_t>> orders;
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<int64_t> ids = Ids(order, epoch);
    orders.insert(ids);
    EXPECT_EQ(ids, Ids(order, epoch));
    std::sort(ids.begin(), ids.end());
    std::vector<int64_t> all(22);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(ids, all);
  }
  EXPECT_EQ(orders.size(), 3u);
  EXPECT_NE(Ids(order, 0), Ids(PermutationOrder(22, 18), 0));
}

TEST(PermutationOrderTest, RefusesMoreIdsThanItCanHold) {
  EXPECT_FALSE(PermutationOrder(int64_t{1} << 32, 17).Epoch(0).ok());
}

TEST(SequentialOrderTest, IdsAscend) {
  EXPECT_EQ(Ids(SequentialOrder(4), 5), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(Ids(SequentialOrder(0), 5).empty());
}

TEST(SequentialOrderTest, RanksTakeEachSampleOnce) {
  for (int64_t samples = 0; samples <= 40; ++samples) {
    for (int world = 1; world <= 4; ++world) {
      std::vector<int64_t> seen;
      for (int rank = 0; rank < world; ++rank) {
        const std::vector<int64_t> ids = Ids(SequentialOrder(samples, world, rank), 0);
        EXPECT_EQ(static_cast<int64_t>(ids.size()),
                  SequentialOrder(samples, world, rank).samples_per_epoch());
        seen.insert(seen.end(), ids.begin(), ids.end());
      }
      std::sort(seen.begin(), seen.end());
      std::vector<int64_t> all(samples);
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(seen, all) << samples << " samples, " << world << " ranks";
    }
  }
}

// Sets sorted by class: 1000 samples of 100 classes in a row, batches of 16. Distinct classes of a
// batch come near those of a uniform draw (15.0).
TEST(PermutationOrderTest, BatchesMixClasses) {
  const std::vector<int64_t> ids = Ids(PermutationOrder(1000, 17), 0);
  double distinct = 0;
  constexpr int kBatches = 62;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::set<int64_t> classes;
    for (int i = 0; i < 16; ++i) classes.insert(ids[batch * 16 + i] / 10);
    distinct += static_cast<double>(classes.size());
  }
  EXPECT_GT(distinct / kBatches, 14);
}

}  // namespace
}  // namespace tessera
