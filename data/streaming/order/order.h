#ifndef TESSERA_DATA_STREAMING_ORDER_ORDER_H_
#define TESSERA_DATA_STREAMING_ORDER_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/streaming/order/epoch_ids.h"
#include "data/streaming/order/state.h"
#include "data/streaming/order/weights.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// The world without replicas: `replication` ranks in a row that get the same samples count as one.
// As in StreamingDataset what remains fills whole nodes, or else is one node. An error where the
// ranks do not come out even.
absl::StatusOr<World> WithoutReplicas(const World& world, int replication);

// The order of MosaicML's StreamingDataset 0.13, id for id: which samples an epoch takes of which
// stream, and which rank gets them when.
class Order {
 public:
  // `shard_samples`: samples of each shard, a list a stream; ids count them from the first stream's
  // first shard on. Of `config` the fields from shuffle_algo to epoch_size count, and the streams'
  // weights. Errors: settings that do not fit each other or the streams.
  static absl::StatusOr<Order> Create(const StreamingConfig& config,
                                      const std::vector<std::vector<int64_t>>& shard_samples,
                                      bool shuffle);

  // Samples of an epoch, before those that are repeated so that ranks get equally many.
  int64_t epoch_size() const { return epoch_size_; }
  const StreamWeights& weights() const { return weights_; }

  // Where a new run on this world starts.
  OrderState Start(const World& world) const;

  // What is left of the epoch at `state`, for a world without replicas, which need not be the one
  // that began it. Holds a few times 8 bytes a sample while it draws.
  absl::StatusOr<EpochIds> Draw(const World& world, const OrderState& state) const;

 private:
  Order() = default;

  absl::StatusOr<EpochIds> DrawStreams(const World& world, const OrderState& state, size_t first,
                                       size_t last, int64_t block_size) const;

  StreamingConfig config_;
  bool shuffle_ = true;
  std::vector<std::vector<int64_t>> shard_samples_;
  std::vector<int64_t> first_ids_;  // of each stream
  StreamWeights weights_;
  int64_t epoch_size_ = 0;
};

// Samples among which an order mixes, as data.streaming.shuffle_block_size says.
int64_t ShuffleBlockSize(const StreamingConfig& config, int num_canonical_nodes);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_ORDER_H_
