#ifndef TESSERA_DATA_STREAMING_ORDER_WEIGHTS_H_
#define TESSERA_DATA_STREAMING_ORDER_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// How much of each stream an epoch takes.
struct StreamWeights {
  std::vector<double> proportions;  // sum to 1
  std::vector<int64_t> choose;      // samples
};

// What the streams' weights come to; streams without any take each sample once.
// `samples`: of each stream. `epoch_size`: 0: as many as the streams hold.
// Errors: proportions mixed with counts; an epoch size beside counts; a negative weight.
absl::StatusOr<StreamWeights> ApplyWeights(absl::Span<const int64_t> samples,
                                           absl::Span<const StreamConfig> streams,
                                           int64_t epoch_size, uint64_t seed);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_WEIGHTS_H_
