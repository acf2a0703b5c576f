#ifndef TESSERA_DATA_STREAMING_ORDER_SHUFFLE_H_
#define TESSERA_DATA_STREAMING_ORDER_SHUFFLE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

struct ShuffleOptions {
  StreamingConfig::ShuffleAlgo algo = StreamingConfig::PY1E;
  int num_canonical_nodes = 1;
  uint64_t seed = 9176;
  int64_t epoch = 0;
  int64_t block_size = 1 << 18;  // PY1BR and PY1E mix samples that stand about so far apart
};

// The ids 0 to sum - 1 of samples that lie in shards of `shard_samples`, as StreamingDataset's
// algorithm of that name shuffles them. Errors: an algorithm that is not StreamingDataset's; a
// block too small to draw from; fewer samples than canonical nodes with PY1E.
absl::StatusOr<std::vector<int64_t>> Shuffle(absl::Span<const int64_t> shard_samples,
                                             const ShuffleOptions& options);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_SHUFFLE_H_
