#include "data/streaming/order/scatter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "data/streaming/order/order.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using Ids = std::vector<int64_t>;

Ids Epoch(const SampleOrder& order, int64_t epoch) {
  const auto ids = order.Epoch(epoch);
  EXPECT_TRUE(ids.ok()) << ids.status();
  Ids list((*ids)->size());
  for (size_t i = 0; i < list.size(); ++i) list[i] = (*ids)->At(static_cast<int64_t>(i));
  return list;
}

std::unique_ptr<const SampleOrder> Make(int64_t samples, const ScatterOptions& options,
                                        const World& world = {}, int rank = 0) {
  auto order = ScatterOrder::Create(samples, options, world, rank);
  EXPECT_TRUE(order.ok()) << order.status();
  return *std::move(order);
}

TEST(ScatterPermutation, TakesEverySampleOnce) {
  for (const int64_t size : {1, 2, 7, 40, 99, 100, 101, 1000}) {
    for (const int64_t block : {1, 3, 7, 40, 2000}) {
      for (const int64_t window : {1, 2, 5, 1000}) {
        for (const uint64_t key : {1, 2, 3}) {
          const ScatterPermutation permutation(size, block, window, key);
          std::vector<bool> seen(size);
          for (int64_t position = 0; position < size; ++position) {
            const int64_t id = permutation(position);
            ASSERT_GE(id, 0);
            ASSERT_LT(id, size);
            ASSERT_FALSE(seen[id]) << size << " " << block << " " << window;
            seen[id] = true;
          }
        }
      }
    }
  }
}

TEST(Scatter, GivesEverySampleAndRepeatsAtMostOneLessThanThereAreRanks) {
  for (int64_t samples = 1; samples <= 40; ++samples) {
    for (int nodes = 1; nodes <= 2; ++nodes) {
      for (int ranks = 1; ranks <= 4; ++ranks) {
        const World world = {.nodes = nodes, .ranks_per_node = ranks};
        const ScatterOptions options = {
            .block = 4, .window_size = 12, .num_canonical_nodes = nodes};
        std::set<int64_t> seen;
        int64_t count = 0;
        for (int rank = 0; rank < world.ranks(); ++rank) {
          const auto order = Make(samples, options, world, rank);
          const Ids ids = Epoch(*order, 0);
          ASSERT_EQ(ids.size(), order->samples_per_epoch());
          seen.insert(ids.begin(), ids.end());
          count += static_cast<int64_t>(ids.size());
        }
        ASSERT_EQ(seen.size(), samples);
        ASSERT_LE(count, samples + world.ranks() - 1);
      }
    }
  }
}

TEST(Scatter, HoldsTheSameSamplesInEachGlobalBatchWhateverTheWorld) {
  const ScatterOptions options = {.block = 50, .window_size = 200, .num_canonical_nodes = 4};
  const Ids expected = Epoch(*Make(960, options), 3);
  for (const World& world : {World{1, 2}, World{2, 2}, World{4, 3}, World{2, 4}}) {
    std::vector<Ids> ranks;
    for (int rank = 0; rank < world.ranks(); ++rank) {
      ranks.push_back(Epoch(*Make(960, options, world, rank), 3));
    }
    const int64_t share = 24 / world.ranks();
    for (int64_t batch = 0; batch < 40; ++batch) {
      std::set<int64_t> ids;
      for (const Ids& rank : ranks) {
        ids.insert(rank.begin() + batch * share, rank.begin() + (batch + 1) * share);
      }
      ASSERT_EQ(ids, std::set<int64_t>(expected.begin() + batch * 24,
                                       expected.begin() + (batch + 1) * 24));
    }
  }
}

TEST(Scatter, DrawsOtherOrdersInOtherEpochsAndForOtherSeeds) {
  const auto order = Make(1000, {.block = 10, .window_size = 100});
  EXPECT_EQ(Epoch(*order, 1), Epoch(*order, 1));
  EXPECT_NE(Epoch(*order, 0), Epoch(*order, 1));
  EXPECT_NE(Epoch(*order, 0), Epoch(*Make(1000, {.block = 10, .window_size = 100, .seed = 1}), 0));
}

TEST(Scatter, NeedsFewShardsAtATimeAndEachOnce) {
  const Ids ids = Epoch(*Make(100'000, {.block = 100, .window_size = 2'000}), 0);
  std::vector<int64_t> first(1000, -1);
  std::vector<int64_t> last(1000, -1);
  for (int64_t i = 0; i < 100'000; ++i) {
    const int64_t shard = ids[i] / 100;
    if (first[shard] < 0) first[shard] = i;
    last[shard] = i;
  }
  for (int shard = 0; shard < 1000; ++shard) EXPECT_LT(last[shard] - first[shard], 2'000);
}

// How evenly batches draw from the set: of samples whose labels are sorted, as shards often hold
// them, the standard deviation of a batch's mean label, over that of a batch drawn at random.
double Unevenness(const Ids& ids, int64_t batch) {
  const auto size = static_cast<double>(ids.size());
  double sum = 0;
  const auto batches = static_cast<int64_t>(ids.size()) / batch;
  for (int64_t b = 0; b < batches; ++b) {
    double mean = 0;
    for (int64_t i = b * batch; i < (b + 1) * batch; ++i) mean += static_cast<double>(ids[i]);
    const double difference = mean / static_cast<double>(batch) / size - 0.5;
    sum += difference * difference;
  }
  const double random = 1.0 / 12 / static_cast<double>(batch);
  return std::sqrt(sum / static_cast<double>(batches) / random);
}

// Distinct shards in a batch, on average.
double ShardsOfBatch(const Ids& ids, int64_t batch, int64_t shard_samples) {
  double shards = 0;
  const auto batches = static_cast<int64_t>(ids.size()) / batch;
  for (int64_t b = 0; b < batches; ++b) {
    absl::flat_hash_set<int64_t> seen;
    for (int64_t i = b * batch; i < (b + 1) * batch; ++i) seen.insert(ids[i] / shard_samples);
    shards += static_cast<double>(seen.size());
  }
  return shards / static_cast<double>(batches);
}

TEST(Scatter, MixesAsWellAsPy1eDoesWithTheSameBlock) {
  constexpr int64_t kSamples = 1'000'000;
  constexpr int64_t kShard = 1000;
  constexpr int64_t kBlock = 50'000;
  const Ids scattered = Epoch(*Make(kSamples, {.block = kShard, .window_size = kBlock}), 0);
  StreamingConfig config;
  config.set_shuffle_block_size(kBlock);
  const auto order = Order::Create(config, {Ids(kSamples / kShard, kShard)}, true);
  ASSERT_TRUE(order.ok()) << order.status();
  const World world = {.batch_size = 256};
  const Ids py1e = order->Draw(world, order->Start(world))->OfRank(0);

  const double shards = ShardsOfBatch(scattered, 256, kShard);
  const double unevenness = Unevenness(scattered, 256);
  RecordProperty("shards_of_batch_scatter", std::to_string(shards));
  RecordProperty("shards_of_batch_py1e", std::to_string(ShardsOfBatch(py1e, 256, kShard)));
  RecordProperty("unevenness_scatter", std::to_string(unevenness));
  RecordProperty("unevenness_py1e", std::to_string(Unevenness(py1e, 256)));
  std::printf("shards of a batch: scatter %.1f, py1e %.1f; unevenness: scatter %.2f, py1e %.2f\n",
              shards, ShardsOfBatch(py1e, 256, kShard), unevenness, Unevenness(py1e, 256));
  EXPECT_GT(shards, ShardsOfBatch(py1e, 256, kShard) * 0.95);
  EXPECT_LT(unevenness, Unevenness(py1e, 256) * 1.05);
}

TEST(Scatter, ReachesAnyPlaceOfATrillionSamplesAtOnce) {
  constexpr int64_t kSamples = 1'000'000'000'000;
  const auto order =
      Make(kSamples, {.block = 100'000, .window_size = 1 << 18, .num_canonical_nodes = 16},
           {.nodes = 16, .ranks_per_node = 8}, 127);
  const auto epoch = order->Epoch(1'000'000);
  ASSERT_TRUE(epoch.ok()) << epoch.status();
  EXPECT_EQ((*epoch)->size(), kSamples / 128);
  std::set<int64_t> ids;
  for (int64_t i = 0; i < 1000; ++i) ids.insert((*epoch)->At((*epoch)->size() - 1 - i));
  EXPECT_EQ(ids.size(), 1000);
  EXPECT_LT(*ids.rbegin(), kSamples);
}

}  // namespace
}  // namespace tessera
