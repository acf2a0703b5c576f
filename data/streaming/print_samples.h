#ifndef TESSERA_DATA_STREAMING_PRINT_SAMPLES_H_
#define TESSERA_DATA_STREAMING_PRINT_SAMPLES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "data/streaming/streaming_set.h"

namespace tessera {

// Prints the first `count` samples to stdout: each part with its value or, of long ones, its size
// and first bytes; or as JSON, a line a sample, with the size and sha256 of each part.
absl::Status PrintSamples(const StreamingSet& set, int64_t count, bool json);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_PRINT_SAMPLES_H_
