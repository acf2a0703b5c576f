#ifndef TESSERA_DATA_STREAMING_ORDER_PARTITION_H_
#define TESSERA_DATA_STREAMING_ORDER_PARTITION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "data/streaming/order/epoch_ids.h"

namespace tessera {

struct PartitionOptions {
  int num_canonical_nodes = 1;
  // Allow a number of nodes that neither divides `num_canonical_nodes` nor is divided by it, where
  // an epoch that `initial_nodes` began is resumed: StreamingDataset's `relaxed`, else its `orig`.
  bool relaxed = true;
  int initial_nodes = 0;  // 0: those of the world
  int64_t first = 0;      // samples of the epoch that are already consumed
};

// Deals the positions 0 to num_samples - 1 of an epoch to the world, so that the samples of a
// canonical node go to the same node, and every rank gets equally many: where they do not come out
// even, some are repeated. Positions, not ids: the shuffle says which sample stands at each.
absl::StatusOr<EpochIds> Partition(int64_t num_samples, const PartitionOptions& options,
                                   const World& world);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_PARTITION_H_
