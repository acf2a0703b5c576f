// Each order of mosaicml-streaming in testdata/, number for number.

#include <cstdint>
#include <string>
#include <vector>

#include "data/streaming/order/golden_json.h"
#include "data/streaming/order/order.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using Json = nlohmann::json;
using Shards = std::vector<std::vector<int64_t>>;

StreamingConfig ConfigOf(const Json& file, const Json& golden) {
  StreamingConfig config;
  config.set_shuffle_seed(file["shuffle_seed"].get<uint64_t>());
  config.set_num_canonical_nodes(golden["num_canonical_nodes"].get<int>());
  const auto upper = [&](const char* name, const char* fallback) {
    std::string value = golden.value(name, fallback);
    for (char& c : value) c = static_cast<char>(std::toupper(c));
    return value;
  };
  StreamingConfig::ShuffleAlgo algo = StreamingConfig::PY1E;
  if (golden.value("shuffle", true)) {
    EXPECT_TRUE(StreamingConfig::ShuffleAlgo_Parse(upper("shuffle_algo", ""), &algo));
  }
  config.set_shuffle_algo(algo);
  config.set_shuffle_block_size(golden.value("shuffle_block_size", int64_t{0}));
  StreamingConfig::PartitionAlgo partition;
  EXPECT_TRUE(StreamingConfig::PartitionAlgo_Parse(upper("partition_algo", "relaxed"), &partition));
  config.set_partition_algo(partition);
  StreamingConfig::BatchingMethod batching;
  EXPECT_TRUE(StreamingConfig::BatchingMethod_Parse(upper("batching_method", "random"), &batching));
  config.set_batching_method(batching);
  StreamingConfig::SamplingMethod sampling;
  EXPECT_TRUE(
      StreamingConfig::SamplingMethod_Parse(upper("sampling_method", "balanced"), &sampling));
  config.set_sampling_method(sampling);
  config.set_sampling_granularity(golden.value("sampling_granularity", int64_t{1}));
  if (golden.contains("epoch_size_arg") && !golden["epoch_size_arg"].is_null()) {
    config.set_epoch_size(golden["epoch_size_arg"].get<int64_t>());
  }
  for (const Json& weight : golden.value("streams", Json::array())) {
    StreamConfig& stream = *config.add_streams();
    if (weight.contains("proportion")) stream.set_proportion(weight["proportion"]);
    if (weight.contains("repeat")) stream.set_repeat(weight["repeat"]);
    if (weight.contains("choose")) stream.set_choose(weight["choose"]);
  }
  return config;
}

Shards ShardsOf(const Json& file, const Json& golden) {
  if (file.contains("streams_shard_samples")) return file["streams_shard_samples"].get<Shards>();
  if (file.contains("shard_samples")) return {file["shard_samples"].get<std::vector<int64_t>>()};
  return {{golden["num_samples"].get<int64_t>()}};
}

absl::StatusOr<EpochIds> DrawGolden(const Json& file, const Json& golden) {
  const auto order =
      Order::Create(ConfigOf(file, golden), ShardsOf(file, golden), golden.value("shuffle", true));
  if (!order.ok()) return order.status();
  if (golden.contains("epoch_size")) EXPECT_EQ(order->epoch_size(), golden["epoch_size"]);
  const World world = {.nodes = golden["nodes"],
                       .ranks_per_node = golden["ranks_per_node"],
                       .workers_per_rank = golden["workers_per_rank"],
                       .batch_size = golden["batch_size"]};
  OrderState state = order->Start(world);
  state.epoch = golden.value("epoch", 0);
  state.sample_in_epoch = golden.value("sample_in_epoch", 0);
  state.initial_physical_nodes = golden.value("initial_physical_nodes", world.nodes);
  return order->Draw(world, state);
}

class OrderGoldenTest : public testing::TestWithParam<const char*> {};

TEST_P(OrderGoldenTest, Matches) {
  const Json file = GoldenJson(GetParam());
  ASSERT_FALSE(file["cases"].empty());
  for (const Json& golden : file["cases"]) {
    Json arguments = golden;
    arguments.erase("ids");
    const auto epoch = DrawGolden(file, golden);
    if (golden.contains("error")) {
      EXPECT_FALSE(epoch.ok()) << arguments;
      continue;
    }
    ASSERT_TRUE(epoch.ok()) << epoch.status() << arguments;
    ASSERT_EQ(epoch->layout(), golden["ids"].get<std::vector<int64_t>>()) << arguments;
    ASSERT_EQ(epoch->batches_per_worker(), golden["shape"][3]) << arguments;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OrderGoldenTest,
                         testing::Values("orders_mixing.json", "orders_naive.json",
                                         "orders_ncn_big.json", "orders_none.json",
                                         "orders_py1br.json", "orders_py1e.json",
                                         "orders_py1s.json", "orders_py2s.json",
                                         "orders_resume.json", "orders_small_datasets.json"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace tessera
