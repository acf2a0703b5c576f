#ifndef TESSERA_DATA_STREAMING_STREAMING_SET_H_
#define TESSERA_DATA_STREAMING_STREAMING_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "data/storage/fetcher.h"
#include "data/streaming/cache/shard_cache.h"
#include "data/streaming/stream.h"
#include "data/streaming/stream_place.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// A sample as it is stored.
struct Record {
  Parts parts;  // views that `owner` keeps alive
  std::shared_ptr<const void> owner;
};

// The samples of one split of all streams of a config, one stream after the other, each in the
// order of its shards. May be used from several threads at once.
class StreamingSet {
 public:
  // Reads the indexes; shards come when they are asked for. Errors name the stream.
  static absl::StatusOr<std::shared_ptr<const StreamingSet>> Open(const StreamingConfig& config,
                                                                  const std::string& split);

  int64_t size() const { return starts_.back(); }

  // Shards are numbered through all streams.
  size_t num_shards() const { return starts_.size() - 1; }
  size_t ShardOf(int64_t index) const;
  // Samples of each shard, a list a stream.
  const std::vector<std::vector<int64_t>>& shard_samples() const { return shard_samples_; }

  // Sets `record` to the sample at `index`, 0 to size() - 1. Errors name shard and sample. `stop`
  // ends its waits, see ShardCache::Acquire.
  absl::Status Get(int64_t index, Record* record, const absl::Notification* stop = nullptr) const;

  // Whether any stream comes from a store.
  bool fetches() const;

  // Fetches a shard that is not there.
  absl::Status Prefetch(size_t shard, const absl::Notification* stop = nullptr) const {
    return cache_->Prefetch(shard, stop);
  }

  // See Stream.
  absl::Status RequireParts(absl::Span<const absl::string_view> names) const;

  // Reads a whole shard and compares it with its index: size, structure and every sample.
  absl::Status Verify(size_t shard) const;

  // The address or path of a shard's file, and its sizes.
  std::string ShardName(size_t shard) const;
  const ShardFile& file(size_t shard) const;

  // What this process has moved and found.
  const FetchCounters& fetch_counters() const { return *fetch_counters_; }
  CacheStats CacheUse() const { return cache_->Stats(); }

 private:
  struct Place {  // of a shard
    const Stream& stream;
    size_t shard;  // in the stream
    const StreamPlace& files;
  };

  StreamingSet() = default;
  Place At(size_t shard) const;

  std::unique_ptr<FetchCounters> fetch_counters_;
  std::vector<StreamPlace> places_;  // one a stream
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<size_t> first_shards_;  // of each stream, and the number of shards
  std::vector<int64_t> starts_;  // index of each shard's first sample, and the number of samples
  std::vector<std::vector<int64_t>> shard_samples_;
  std::unique_ptr<ShardCache> cache_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_STREAMING_SET_H_
