#ifndef TESSERA_DATA_STREAMING_READING_REPORT_H_
#define TESSERA_DATA_STREAMING_READING_REPORT_H_

#include <cstdint>
#include <string>

#include "data/streaming/streaming_set.h"

namespace tessera {

// What a pass over a set came to.
struct ReadingReport {
  int64_t samples = 0;
  int64_t expected_samples = 0;  // of the pass
  int64_t skipped = 0;           // left out because they could not be decoded
  int64_t bytes = 0;             // of the samples as stored, or of the batches
  double first_batch_seconds = 0;
  double seconds = 0;

  // Of sets that come from shards.
  bool streamed = false;
  int64_t bytes_fetched = 0;
  int64_t requests = 0;
  int64_t retries = 0;
  int64_t cache_hits = 0;  // shards that were there when they were opened
  int64_t cache_misses = 0;
  int64_t evictions = 0;
  int64_t verify_failures = 0;
  uint64_t bytes_cached = 0;

  // Fills the second half.
  void AddCounters(const StreamingSet& set);

  std::string ToText() const;  // a value a line
  std::string ToJson() const;  // one line
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_READING_REPORT_H_
