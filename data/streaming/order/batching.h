#ifndef TESSERA_DATA_STREAMING_ORDER_BATCHING_H_
#define TESSERA_DATA_STREAMING_ORDER_BATCHING_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/streaming/order/epoch_ids.h"

namespace tessera {

// Streams of which each is drawn by itself, to be put together to batches. They are drawn from the
// start of the epoch.
struct StreamsToBatch {
  absl::Span<const double> proportions;
  uint64_t seed = 0;         // of the order in which streams take turns
  int64_t first_sample = 0;  // samples of the epoch that are already consumed, in whole batches

  // The ids of one stream for a world.
  std::function<absl::StatusOr<EpochIds>(size_t stream, const World& world)> draw;
};

// StreamingDataset's batching methods of these names. Batches that a stream cannot fill are left
// out. Errors: a stream that fills no batch, or is too small a part for one sample of each.

// Each global batch from one stream.
absl::StatusOr<EpochIds> BatchPerStream(const StreamsToBatch& streams, const World& world);

// The same share of each global batch from each stream.
absl::StatusOr<EpochIds> BatchStratified(const StreamsToBatch& streams, const World& world);

// Each rank's part of a batch from one stream.
absl::StatusOr<EpochIds> BatchDevicePerStream(const StreamsToBatch& streams, const World& world,
                                              int num_canonical_nodes);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_BATCHING_H_
