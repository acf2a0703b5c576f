#ifndef TESSERA_DATA_STREAMING_CACHE_FAKE_SOURCE_H_
#define TESSERA_DATA_STREAMING_CACHE_FAKE_SOURCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "data/streaming/cache/shard_cache.h"
#include "data/streaming/cache/shard_file.h"
#include "data/streaming/cache/shard_source.h"

namespace tessera {

// A set whose shards hold known bytes, for tests.
struct FakeSet {
  std::vector<ShardFile> shards;
  std::vector<std::string> contents;         // of the raw files
  std::map<std::string, std::string> store;  // the files that are sent, by their names

  // In one folder.
  std::vector<CacheShard> CacheShards() const;
  uint64_t LargestBytes() const;  // of a shard with its compressed file
};

// Shards of `bytes` and a few bytes, all different. `compression` may be empty.
FakeSet MakeFakeSet(int shards, uint64_t bytes, const std::string& compression = "");

// A store in memory. It writes in small pieces and lets others run in between, as a slow store
// would.
class FakeSource : public ShardSource {
 public:
  explicit FakeSource(std::map<std::string, std::string> store) : store_(std::move(store)) {}

  // Called first in each fetch, with the number of fetches before; it may change the file or
  // refuse.
  std::function<absl::Status(absl::string_view name, int before, std::string& contents)> on_fetch;
  std::string local_folder;  // not empty: claims to be this folder

  int fetches() const { return fetches_; }

  std::string Uri(absl::string_view name) const override;
  std::optional<std::string> LocalPath(absl::string_view name) const override;
  absl::Status Fetch(absl::string_view name, uint64_t bytes, int file,
                     const absl::Notification* stop) const override;

 private:
  std::map<std::string, std::string> store_;
  mutable std::atomic<int> fetches_ = 0;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_FAKE_SOURCE_H_
