#include "data/streaming/order/order.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using Ids = std::vector<int64_t>;
using Shards = std::vector<Ids>;

constexpr StreamingConfig::ShuffleAlgo kAlgos[] = {StreamingConfig::PY1E, StreamingConfig::PY1S,
                                                   StreamingConfig::PY1BR, StreamingConfig::PY2S,
                                                   StreamingConfig::NAIVE};

// Shards of seven samples, the last of what is left.
Shards ShardsOf(int64_t samples) {
  Ids shards;
  for (; samples > 7; samples -= 7) shards.push_back(7);
  shards.push_back(samples);
  return {shards};
}

Order MakeOrder(const StreamingConfig& config, const Shards& shards, bool shuffle = true) {
  auto order = Order::Create(config, shards, shuffle);
  EXPECT_TRUE(order.ok()) << order.status();
  return *std::move(order);
}

// The sets of samples that the global batches hold.
std::vector<std::multiset<int64_t>> GlobalBatches(const EpochIds& epoch) {
  const Ids ids = epoch.InConsumption();
  const int64_t size = epoch.world().global_batch_size();
  std::vector<std::multiset<int64_t>> batches;
  for (size_t start = 0; start < ids.size(); start += size) {
    batches.emplace_back(ids.begin() + start, ids.begin() + start + size);
  }
  return batches;
}

TEST(Order, GivesEverySampleAndRepeatsAtMostOneLessThanThereAreRanks) {
  for (const auto algo : kAlgos) {
    StreamingConfig config;
    config.set_shuffle_algo(algo);
    config.set_num_canonical_nodes(1);
    for (int64_t samples = 1; samples <= 40; ++samples) {
      const Order order = MakeOrder(config, ShardsOf(samples));
      for (int ranks = 1; ranks <= 4; ++ranks) {
        for (int workers = 0; workers <= 4; ++workers) {
          const World world = {
              .ranks_per_node = ranks, .workers_per_rank = std::max(workers, 1), .batch_size = 3};
          const auto epoch = order.Draw(world, order.Start(world));
          ASSERT_TRUE(epoch.ok()) << epoch.status();
          std::set<int64_t> seen;
          int64_t count = 0;
          for (int rank = 0; rank < ranks; ++rank) {
            const Ids ids = epoch->OfRank(rank);
            ASSERT_EQ(ids.size(), (samples + ranks - 1) / ranks);  // equally many for each
            seen.insert(ids.begin(), ids.end());
            count += static_cast<int64_t>(ids.size());
          }
          ASSERT_EQ(seen.size(), samples);
          ASSERT_EQ(*seen.rbegin(), samples - 1);
          ASSERT_LE(count, samples + ranks - 1);
        }
      }
    }
  }
}

TEST(Order, HoldsTheSameSamplesInEachGlobalBatchWhateverTheWorld) {
  for (const auto algo : kAlgos) {
    StreamingConfig config;
    config.set_shuffle_algo(algo);
    config.set_num_canonical_nodes(4);
    config.set_shuffle_block_size(64);
    const Order order = MakeOrder(config, {Ids(20, 48)});  // 960: 40 batches of 24
    const World alone = {.batch_size = 24};
    const auto expected = order.Draw(alone, order.Start(alone));
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const int nodes : {1, 2, 4}) {
      for (const int ranks : {1, 2, 3}) {
        for (const int workers : {1, 2, 5}) {
          const World world = {nodes, ranks, workers, 24 / (nodes * ranks)};
          const auto epoch = order.Draw(world, order.Start(world));
          ASSERT_TRUE(epoch.ok()) << epoch.status();
          auto batches = GlobalBatches(*epoch);
          batches.resize(40);
          EXPECT_EQ(batches, GlobalBatches(*expected))
              << nodes << " nodes, " << ranks << " ranks, " << workers << " workers";
        }
      }
    }
  }
}

TEST(Order, ResumesWithTheNextUnseenBatchOnAnyWorld) {
  StreamingConfig config;
  config.set_num_canonical_nodes(4);
  config.set_shuffle_block_size(64);
  const Order order = MakeOrder(config, {Ids(20, 48)});
  const World began = {.nodes = 2, .ranks_per_node = 2, .workers_per_rank = 3, .batch_size = 6};
  OrderState state = order.Start(began);
  state.epoch = 5;
  const auto whole = order.Draw(began, state);
  ASSERT_TRUE(whole.ok()) << whole.status();
  auto expected = GlobalBatches(*whole);
  state.sample_in_epoch = 24 * 13;
  expected.erase(expected.begin(), expected.begin() + 13);
  expected.resize(27);
  // Three nodes do not divide the four canonical ones: the relaxed partition.
  for (const World& world : {World{2, 2, 3, 6}, World{1, 1, 1, 24}, World{4, 1, 0 + 2, 6},
                             World{1, 8, 1, 3}, World{3, 2, 1, 4}}) {
    const auto rest = order.Draw(world, state);
    ASSERT_TRUE(rest.ok()) << rest.status();
    auto batches = GlobalBatches(*rest);
    batches.resize(27);
    EXPECT_EQ(batches, expected) << world.nodes << " nodes";
  }
}

TEST(Order, ResumesAfterTheLastSampleWithAnEmptyEpoch) {
  const Order order = MakeOrder({}, ShardsOf(100));
  const World world = {.ranks_per_node = 4, .batch_size = 5};
  OrderState state = order.Start(world);
  state.sample_in_epoch = 100;
  const auto epoch = order.Draw(world, state);
  ASSERT_TRUE(epoch.ok()) << epoch.status();
  EXPECT_EQ(epoch->batches_per_worker(), 0);
  state.sample_in_epoch = 105;
  EXPECT_THAT(order.Draw(world, state).status().ToString(),
              HasSubstr("cannot resume after sample 105 of an epoch of 100"));
}

TEST(Order, DrawsOtherOrdersInOtherEpochsAndNoneWithoutShuffle) {
  const World world = {.batch_size = 8};
  const auto draw = [&](const Order& order, int64_t epoch) {
    OrderState state = order.Start(world);
    state.epoch = epoch;
    return order.Draw(world, state)->OfRank(0);
  };
  const Order shuffled = MakeOrder({}, ShardsOf(100));
  EXPECT_NE(draw(shuffled, 0), draw(shuffled, 1));
  EXPECT_EQ(draw(shuffled, 1), draw(shuffled, 1));
  const Order plain = MakeOrder({}, ShardsOf(100), /*shuffle=*/false);
  Ids ids(100);
  for (int64_t i = 0; i < 100; ++i) ids[i] = i;
  EXPECT_EQ(draw(plain, 0), ids);
  EXPECT_EQ(draw(plain, 1), ids);
}

TEST(Order, KeepsShardsTogetherSoThatNodesReadTheirOwn) {
  StreamingConfig config;
  config.set_shuffle_algo(StreamingConfig::PY1E);
  config.set_shuffle_block_size(4 * 50);
  const Order order = MakeOrder(config, {Ids(40, 50)});
  const World world = {.nodes = 2, .ranks_per_node = 2, .batch_size = 10};
  const auto epoch = order.Draw(world, order.Start(world));
  ASSERT_TRUE(epoch.ok()) << epoch.status();
  std::map<int64_t, std::set<int>> nodes_of_shard;
  for (int rank = 0; rank < 4; ++rank) {
    for (const int64_t id : epoch->OfRank(rank)) nodes_of_shard[id / 50].insert(rank / 2);
  }
  const auto shared = std::count_if(nodes_of_shard.begin(), nodes_of_shard.end(),
                                    [](const auto& shard) { return shard.second.size() > 1; });
  EXPECT_LE(shared, 1);  // the one that is cut at the border
}

TEST(Order, BatchesPerStreamTakeFromOne) {
  StreamingConfig config;
  config.set_batching_method(StreamingConfig::PER_STREAM);
  config.add_streams();
  config.add_streams();
  const Order order = MakeOrder(config, {{64, 64}, {64}});
  const World world = {.ranks_per_node = 2, .workers_per_rank = 2, .batch_size = 4};
  const auto epoch = order.Draw(world, order.Start(world));
  ASSERT_TRUE(epoch.ok()) << epoch.status();
  for (const auto& batch : GlobalBatches(*epoch)) {
    EXPECT_EQ(*batch.begin() >= 128, *batch.rbegin() >= 128);
  }
}

TEST(Order, SamplingTakesAsManyAsAskedFor) {
  StreamingConfig config;
  config.add_streams()->set_repeat(1.5);
  config.add_streams()->set_choose(3);
  const Order order = MakeOrder(config, {{40, 24}, {10}});
  EXPECT_EQ(order.epoch_size(), 99);
  const World world = {.batch_size = 9};
  const Ids ids = order.Draw(world, order.Start(world))->OfRank(0);
  EXPECT_EQ(ids.size(), 99);
  EXPECT_EQ(std::count_if(ids.begin(), ids.end(), [](int64_t id) { return id >= 64; }), 3);
  for (int64_t id = 0; id < 64; ++id) EXPECT_GE(std::count(ids.begin(), ids.end(), id), 1);
}

TEST(Order, FixedSamplingTakesTheSameSamplesInEachEpoch) {
  for (const bool fixed : {false, true}) {
    StreamingConfig config;
    config.set_sampling_method(fixed ? StreamingConfig::FIXED : StreamingConfig::BALANCED);
    config.add_streams()->set_choose(20);
    const Order order = MakeOrder(config, {{40, 24}});
    const World world = {.batch_size = 20};
    std::set<int64_t> first;
    for (int64_t epoch = 0; epoch < 2; ++epoch) {
      OrderState state = order.Start(world);
      state.epoch = epoch;
      const Ids ids = order.Draw(world, state)->OfRank(0);
      const std::set<int64_t> taken(ids.begin(), ids.end());
      if (epoch == 0) {
        first = taken;
      } else {
        EXPECT_EQ(taken == first, fixed);
      }
    }
  }
}

struct Refused {
  StreamingConfig config;
  Shards shards;
  std::string error;
};

TEST(Order, RefusesWhatDoesNotFit) {
  StreamingConfig mixed;
  mixed.add_streams()->set_proportion(1);
  mixed.add_streams()->set_choose(1);
  StreamingConfig sized;
  sized.set_epoch_size(10);
  sized.add_streams()->set_choose(1);
  StreamingConfig negative;
  negative.add_streams()->set_repeat(-1);
  StreamingConfig granularity;
  granularity.set_sampling_granularity(0);
  StreamingConfig zero;
  zero.add_streams()->set_proportion(0);
  for (const Refused& refused : {Refused{mixed, {{4}, {4}}, "have a proportion; expected all or"},
                                 Refused{sized, {{4}}, "epoch_size: streams with repeat"},
                                 Refused{negative, {{4}}, "expected weights of 0 or more"},
                                 Refused{granularity, {{4}}, "sampling_granularity: expected 1"},
                                 Refused{zero, {{4}}, "every proportion is 0"},
                                 Refused{{}, {{0}}, "stream 0 has no samples"}}) {
    EXPECT_THAT(Order::Create(refused.config, refused.shards, true).status().ToString(),
                HasSubstr(refused.error));
  }
}

TEST(Order, RefusesStreamsThatFillNoBatch) {
  for (const auto method : {StreamingConfig::PER_STREAM, StreamingConfig::DEVICE_PER_STREAM,
                            StreamingConfig::STRATIFIED}) {
    StreamingConfig config;
    config.set_batching_method(method);
    config.add_streams();
    config.add_streams();
    const Order order = MakeOrder(config, {{640}, {3}});
    const World world = {.batch_size = 8};
    EXPECT_THAT(order.Draw(world, order.Start(world)).status().ToString(), HasSubstr("stream 1"));
  }
}

TEST(WithoutReplicas, DividesTheRanks) {
  const auto ranks = [](int nodes, int per_node, int replication) {
    const auto world = WithoutReplicas({.nodes = nodes, .ranks_per_node = per_node}, replication);
    return world.ok() ? absl::StrCat(world->nodes, "x", world->ranks_per_node)
                      : world.status().ToString();
  };
  EXPECT_EQ(ranks(1, 8, 1), "1x8");
  EXPECT_EQ(ranks(1, 8, 2), "1x4");
  EXPECT_EQ(ranks(4, 8, 2), "2x8");
  EXPECT_EQ(ranks(2, 8, 4), "1x4");
  EXPECT_THAT(ranks(1, 8, 3), HasSubstr("a number that divides the 8 ranks; found 3"));
  EXPECT_THAT(ranks(1, 8, 0), HasSubstr("found 0"));
}

}  // namespace
}  // namespace tessera
