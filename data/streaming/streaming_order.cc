#include "data/streaming/streaming_order.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/order/listed_order.h"
#include "data/order/permutation_order.h"
#include "data/streaming/order/node_positions.h"
#include "data/streaming/order/order.h"
#include "data/streaming/order/scatter.h"

namespace tessera {
namespace {

// A rank's part of an Order's epochs.
class RankOrder : public SampleOrder {
 public:
  RankOrder(Order order, const World& world, int rank, const OrderState& start,
            int64_t samples_per_epoch)
      : order_(std::move(order)),
        world_(world),
        rank_(rank),
        start_(start),
        samples_per_epoch_(samples_per_epoch) {}

  int64_t samples_per_epoch() const override { return samples_per_epoch_; }

  absl::StatusOr<std::unique_ptr<const EpochOrder>> Epoch(int64_t epoch) const override {
    OrderState state = start_;
    state.epoch += epoch;
    if (epoch > 0) state.sample_in_epoch = 0;
    TESSERA_ASSIGN_OR_RETURN(const EpochIds ids, order_.Draw(world_, state));
    return std::make_unique<ListedOrder>(ids.OfRank(rank_));
  }

 private:
  const Order order_;
  const World world_;
  const int rank_;
  const OrderState start_;
  const int64_t samples_per_epoch_;
};

absl::StatusOr<int64_t> SamplesPerEpoch(const StreamingConfig& config, const Order& order,
                                        const World& world, int rank) {
  const OrderState start = order.Start(world);
  if (config.batching_method() == StreamingConfig::RANDOM) {
    TESSERA_ASSIGN_OR_RETURN(
        const NodePositions positions,
        NodePositions::Create(order.epoch_size(), start.num_canonical_nodes, 0, world, 0));
    return positions.size() / world.ranks_per_node;
  }
  // How many batches the streams fill is known when they are drawn.
  TESSERA_ASSIGN_OR_RETURN(const EpochIds ids, order.Draw(world, start));
  return static_cast<int64_t>(ids.OfRank(rank).size());
}

int64_t Sum(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

// What takes every sample of the set once has no use for weights.
absl::Status CheckTakesAll(const StreamingConfig& config) {
  const bool weighted =
      std::any_of(config.streams().begin(), config.streams().end(), [](const StreamConfig& stream) {
        return stream.weight_case() != StreamConfig::WEIGHT_NOT_SET;
      });
  if (!weighted && config.epoch_size() == 0 &&
      config.batching_method() == StreamingConfig::RANDOM) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "data.streaming.shuffle_algo: ", StreamingConfig::ShuffleAlgo_Name(config.shuffle_algo()),
      " takes every sample of the set once; it goes with no weights of streams, no "
      "epoch_size and batching_method RANDOM"));
}

absl::StatusOr<World> UniqueWorld(const StreamingConfig& config, const OrderRequest& request) {
  const World world = {.nodes = request.nodes,
                       .ranks_per_node = request.ranks_per_node,
                       .workers_per_rank = request.workers_per_rank,
                       .batch_size = request.batch_size / (request.nodes * request.ranks_per_node)};
  if (request.batch_size < 1 || request.batch_size % world.ranks() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("train_batch_size: ", request.batch_size,
                                                   " cannot be dealt evenly to ", world.ranks(),
                                                   " ranks"));
  }
  return WithoutReplicas(world, config.replication());
}

absl::StatusOr<std::unique_ptr<const SampleOrder>> MakeScatterOrder(
    const StreamingConfig& config, const std::vector<std::vector<int64_t>>& shard_samples,
    const World& world, int rank) {
  TESSERA_RETURN_IF_ERROR(CheckTakesAll(config));
  int64_t samples = 0;
  int64_t shards = 0;
  int64_t largest = 1;
  for (const std::vector<int64_t>& stream : shard_samples) {
    samples += Sum(stream);
    shards += static_cast<int64_t>(stream.size());
    largest = std::max(largest, *std::max_element(stream.begin(), stream.end()));
  }
  // Where shards are alike, as writers make them, blocks are the shards themselves.
  const bool alike = (samples + largest - 1) / largest == shards;
  const int nodes = config.num_canonical_nodes() > 0 ? config.num_canonical_nodes() : world.nodes;
  return ScatterOrder::Create(samples,
                              {.block = alike ? largest : (samples + shards - 1) / shards,
                               .window_size = ShuffleBlockSize(config, nodes),
                               .num_canonical_nodes = nodes,
                               .seed = config.shuffle_seed()},
                              world, rank);
}

}  // namespace

absl::StatusOr<std::unique_ptr<const SampleOrder>> MakeStreamingOrder(
    const StreamingConfig& config, const std::vector<std::vector<int64_t>>& shard_samples,
    const OrderRequest& request) {
  TESSERA_ASSIGN_OR_RETURN(const World world, UniqueWorld(config, request));
  const int rank = request.rank / config.replication();
  if (request.shuffle && config.shuffle_algo() == StreamingConfig::GLOBAL) {
    TESSERA_RETURN_IF_ERROR(CheckTakesAll(config));
    if (world.ranks() > 1) {
      return absl::UnimplementedError(
          "data.streaming.shuffle_algo: GLOBAL is for one rank; use PY1E or SCATTER");
    }
    int64_t samples = 0;
    for (const std::vector<int64_t>& stream : shard_samples) samples += Sum(stream);
    return std::make_unique<PermutationOrder>(samples, request.seed);
  }
  if (request.shuffle && config.shuffle_algo() == StreamingConfig::SCATTER) {
    return MakeScatterOrder(config, shard_samples, world, rank);
  }
  TESSERA_ASSIGN_OR_RETURN(Order order, Order::Create(config, shard_samples, request.shuffle));
  const OrderState start = request.resume.value_or(order.Start(world));
  TESSERA_ASSIGN_OR_RETURN(const int64_t samples, SamplesPerEpoch(config, order, world, rank));
  return std::make_unique<RankOrder>(std::move(order), world, rank, start, samples);
}

}  // namespace tessera
