#ifndef TESSERA_DATA_STREAMING_STREAMING_ORDER_H_
#define TESSERA_DATA_STREAMING_STREAMING_ORDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "data/order/sample_order.h"
#include "data/streaming/order/state.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// For whom an order is drawn.
struct OrderRequest {
  bool shuffle = true;
  uint64_t seed = 17;        // of the run: that of the order GLOBAL
  int64_t batch_size = 1;    // of all ranks together
  int nodes = 1;             // machines
  int ranks_per_node = 1;    // processes of each
  int workers_per_rank = 1;  // of a PyTorch DataLoader whose order is wanted
  int rank = 0;
  // Where a run of StreamingDataset, or of ours, stood: epoch 0 is what was left of that one.
  // Orders that are not StreamingDataset's ignore it.
  std::optional<OrderState> resume = {};
};

// The samples that one rank trains on, epoch by epoch, in the order that `config` names.
// `shard_samples`: see StreamingSet. Errors: settings that do not fit each other or the set.
absl::StatusOr<std::unique_ptr<const SampleOrder>> MakeStreamingOrder(
    const StreamingConfig& config, const std::vector<std::vector<int64_t>>& shard_samples,
    const OrderRequest& request);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_STREAMING_ORDER_H_
