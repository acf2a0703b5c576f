#ifndef TESSERA_DATA_STREAMING_READ_SAMPLES_H_
#define TESSERA_DATA_STREAMING_READ_SAMPLES_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "data/order/sample_order.h"
#include "data/streaming/reading_report.h"
#include "data/streaming/streaming_set.h"

namespace tessera {

struct ReadOptions {
  int64_t batch_size = 64;
  int num_threads = 2;
  // Called now and then with the number of samples read so far, by one thread at a time.
  std::function<void(int64_t)> progress = {};
};

// Reads the samples of an epoch without decoding: every byte of every part is copied once, as into
// a decoder. `config` is that of the set. Stops at the first error.
absl::StatusOr<ReadingReport> ReadSamples(const StreamingConfig& config, const StreamingSet& set,
                                          const EpochOrder& order, const ReadOptions& options);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_READ_SAMPLES_H_
