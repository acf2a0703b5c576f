#include "data/streaming/order/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/streaming/order/batching.h"
#include "data/streaming/order/partition.h"
#include "data/streaming/order/sampling.h"
#include "data/streaming/order/shuffle.h"

namespace tessera {
namespace {

// Replaces each id by what stands at it in `replacements`.
void Replace(absl::Span<const int64_t> replacements, std::vector<int64_t>& ids) {
  for (int64_t& id : ids) {
    if (id != EpochIds::kNone) id = replacements[id];
  }
}

absl::Status CheckConfig(const StreamingConfig& config) {
  const auto refuse = [](absl::string_view field, int64_t found, int64_t least) {
    return absl::InvalidArgumentError(
        absl::StrCat("data.streaming.", field, ": expected ", least, " or more; found ", found));
  };
  if (config.sampling_granularity() < 1) {
    return refuse("sampling_granularity", config.sampling_granularity(), 1);
  }
  if (config.epoch_size() < 0) return refuse("epoch_size", config.epoch_size(), 0);
  if (config.num_canonical_nodes() < 0) {
    return refuse("num_canonical_nodes", config.num_canonical_nodes(), 0);
  }
  if (config.shuffle_block_size() < 0) {
    return refuse("shuffle_block_size", config.shuffle_block_size(), 0);
  }
  return absl::OkStatus();
}

}  // namespace

int64_t ShuffleBlockSize(const StreamingConfig& config, int num_canonical_nodes) {
  if (config.shuffle_block_size() > 0) return config.shuffle_block_size();
  return std::max<int64_t>(4'000'000 / num_canonical_nodes, 1 << 18);
}

absl::StatusOr<World> WithoutReplicas(const World& world, int replication) {
  if (replication < 1 || world.ranks() % replication != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("data.streaming.replication: expected a number that divides the ",
                     world.ranks(), " ranks; found ", replication));
  }
  const int ranks = world.ranks() / replication;
  World unique = world;
  unique.nodes = ranks % world.ranks_per_node == 0 ? ranks / world.ranks_per_node : 1;
  unique.ranks_per_node = ranks / unique.nodes;
  return unique;
}

absl::StatusOr<Order> Order::Create(const StreamingConfig& config,
                                    const std::vector<std::vector<int64_t>>& shard_samples,
                                    bool shuffle) {
  TESSERA_RETURN_IF_ERROR(CheckConfig(config));
  Order order;
  order.config_ = config;
  order.shuffle_ = shuffle;
  order.shard_samples_ = shard_samples;
  std::vector<int64_t> samples;
  int64_t first_id = 0;
  for (const std::vector<int64_t>& shards : shard_samples) {
    samples.push_back(std::accumulate(shards.begin(), shards.end(), int64_t{0}));
    order.first_ids_.push_back(first_id);
    first_id += samples.back();
    if (samples.back() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("stream ", samples.size() - 1, " has no samples"));
    }
  }
  std::vector<StreamConfig> streams(config.streams().begin(), config.streams().end());
  streams.resize(samples.size());  // a set without `streams` is one stream without a weight
  TESSERA_ASSIGN_OR_RETURN(
      order.weights_, ApplyWeights(samples, streams, config.epoch_size(), config.shuffle_seed()));
  const std::vector<int64_t>& choose = order.weights_.choose;
  order.epoch_size_ = std::accumulate(choose.begin(), choose.end(), int64_t{0});
  return order;
}

OrderState Order::Start(const World& world) const {
  int nodes = config_.num_canonical_nodes();
  if (nodes == 0) {
    const bool many = config_.shuffle_algo() == StreamingConfig::PY1S ||
                      config_.shuffle_algo() == StreamingConfig::PY2S;
    nodes = many ? 64 * world.nodes : world.nodes;
  }
  return {.num_canonical_nodes = nodes,
          .shuffle_seed = config_.shuffle_seed(),
          .initial_physical_nodes = world.nodes};
}

absl::StatusOr<EpochIds> Order::DrawStreams(const World& world, const OrderState& state,
                                            size_t first, size_t last, int64_t block_size) const {
  std::vector<StreamShare> shares;
  for (size_t stream = first; stream < last; ++stream) {
    shares.push_back({.shard_samples = shard_samples_[stream],
                      .first_id = first_ids_[stream],
                      .choose = weights_.choose[stream]});
  }
  const EpochSamples samples =
      SampleStreams(shares, {.seed = state.shuffle_seed,
                             .epoch = state.epoch,
                             .fixed = config_.sampling_method() == StreamingConfig::FIXED,
                             .shuffle = shuffle_,
                             .granularity = config_.sampling_granularity()});
  TESSERA_ASSIGN_OR_RETURN(
      EpochIds epoch, Partition(static_cast<int64_t>(samples.ids.size()),
                                {.num_canonical_nodes = state.num_canonical_nodes,
                                 .relaxed = config_.partition_algo() == StreamingConfig::RELAXED,
                                 .initial_nodes = state.initial_physical_nodes,
                                 .first = state.sample_in_epoch},
                                world));
  if (shuffle_) {
    TESSERA_ASSIGN_OR_RETURN(
        const std::vector<int64_t> shuffled,
        Shuffle(samples.unit_sizes, {.algo = config_.shuffle_algo(),
                                     .num_canonical_nodes = state.num_canonical_nodes,
                                     .seed = state.shuffle_seed,
                                     .epoch = state.epoch,
                                     .block_size = block_size}));
    Replace(shuffled, epoch.layout());
  }
  Replace(samples.ids, epoch.layout());
  return epoch;
}

absl::StatusOr<EpochIds> Order::Draw(const World& world, const OrderState& state) const {
  const int64_t block_size = ShuffleBlockSize(config_, state.num_canonical_nodes);
  if (config_.batching_method() == StreamingConfig::RANDOM) {
    return DrawStreams(world, state, 0, shard_samples_.size(), block_size);
  }

  OrderState start = state;
  start.sample_in_epoch = 0;
  const bool by_epoch = shuffle_ && config_.sampling_method() == StreamingConfig::BALANCED;
  const StreamsToBatch streams = {
      .proportions = weights_.proportions,
      .seed = state.shuffle_seed + (by_epoch ? state.epoch : 0),
      .first_sample = state.sample_in_epoch,
      .draw = [&](size_t stream, const World& stream_world) {
        const double block = static_cast<double>(block_size) * weights_.proportions[stream];
        return DrawStreams(stream_world, start, stream, stream + 1, static_cast<int64_t>(block));
      }};
  switch (config_.batching_method()) {
    case StreamingConfig::PER_STREAM:
      return BatchPerStream(streams, world);
    case StreamingConfig::STRATIFIED:
      return BatchStratified(streams, world);
    case StreamingConfig::DEVICE_PER_STREAM:
      return BatchDevicePerStream(streams, world, state.num_canonical_nodes);
    case StreamingConfig::RANDOM:
      break;
  }
  return absl::InternalError("a batching method without a builder");
}

}  // namespace tessera
