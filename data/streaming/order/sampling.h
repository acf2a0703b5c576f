#ifndef TESSERA_DATA_STREAMING_ORDER_SAMPLING_H_
#define TESSERA_DATA_STREAMING_ORDER_SAMPLING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tessera {

// The samples that one epoch takes, before they are shuffled.
struct EpochSamples {
  std::vector<int64_t> unit_sizes;  // of what is shuffled as a shard: a shard, or a part of one
  std::vector<int64_t> ids;         // unit by unit
};

struct SamplingOptions {
  uint64_t seed = 9176;
  int64_t epoch = 0;
  bool fixed = false;       // the same samples in each epoch
  bool shuffle = true;      // other shards in each epoch, where `fixed` is not set
  int64_t granularity = 1;  // samples of a shard that are taken or left together
};

// A stream's shards, and how many of its samples an epoch takes.
struct StreamShare {
  absl::Span<const int64_t> shard_samples;
  int64_t first_id = 0;
  int64_t choose = 0;
};

// Takes `choose` samples of each stream: all of them as often as they go into it, the rest at
// random, as even over the shards as `granularity` allows.
EpochSamples SampleStreams(absl::Span<const StreamShare> streams, const SamplingOptions& options);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_SAMPLING_H_
