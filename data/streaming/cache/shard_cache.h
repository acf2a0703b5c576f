#ifndef TESSERA_DATA_STREAMING_CACHE_SHARD_CACHE_H_
#define TESSERA_DATA_STREAMING_CACHE_SHARD_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/mapped_file.h"
#include "data/streaming/cache/cache_space.h"
#include "data/streaming/cache/mapping_table.h"
#include "data/streaming/cache/shard_file.h"
#include "data/streaming/cache/shard_source.h"

namespace tessera {

struct CacheOptions {
  // The most bytes that the cached files of all folders may have together, files in the making and
  // those of earlier runs included. It holds at every moment. 0: no limit; nothing is evicted then,
  // also where the disk is full: that is an error.
  uint64_t limit = 0;
  uint64_t index_bytes = 0;  // of the sets' index files, which count towards the limit
  int attempts = 3;          // to fetch a file whose contents are not those of the index
  int idle_mappings = 64;    // kept open, but never more than a quarter of the open files allowed
  absl::Duration patience = absl::Minutes(10);  // with which room is waited for
};

struct CacheFolder {
  std::string path;
  std::shared_ptr<const ShardSource> source;  // null: what is in the folder is all there is
  std::string validate_hash = {};             // "sha1", ...: checked; empty: sizes only
  bool keep_zip = false;                      // keeps compressed files that were decompressed
  ShardExpander expander = {};                // null: ShardFile::compression is a Codec's
};

struct CacheShard {
  size_t folder = 0;
  ShardFile file;
};

// What a process has done since it opened the cache, for display.
struct CacheStats {
  int64_t hits = 0;    // shards mapped that were there; not each sample that was read
  int64_t misses = 0;  // shards mapped that had to be fetched or decompressed
  int64_t evictions = 0;
  int64_t verify_failures = 0;  // files that were not what the index says
  uint64_t bytes_on_disk = 0;  // of the cached files in all folders, whoever made them, and indexes
};

// The shards of a data set as files of this machine, shared by all processes that use the same
// folders. A shard that isn't there is fetched, by one thread of one process, while the others that
// want it wait. There is no state but the folders: each file that has its final name is whole, one
// in the making has a name of its own (TempFile), locks are the kernel's (FileLock, flock). A
// process may be killed at any time.
//
// A file is pinned while it is mapped: it is not evicted. A folder that is its own source (the
// same folder under whatever path), or has none, is read in place: of it nothing is fetched,
// counted, evicted or deleted; a shard of which only the compressed file is there is decompressed
// beside it. Folders that hold all shards may be read-only.
//
// A file that is there is compared with the index once a process: its size and, if asked for, its
// hash. One that differs is never used: it is fetched again, or an error where there's no source.
class ShardCache {
 public:
  // Errors: a limit that the largest shard with its compressed file does not fit under, with the
  // least that does; a name that leaves its folder; two shards that would be the same file; no
  // such hash in the index.
  static absl::StatusOr<std::unique_ptr<ShardCache>> Open(const CacheOptions& options,
                                                          std::vector<CacheFolder> folders,
                                                          std::vector<CacheShard> shards);

  // Maps a shard, fetching it first if it isn't there. Under a limit it waits until there's room,
  // which the mappings in use take up: a thread that holds one while it asks for another may wait
  // in vain if the limit is too small for that. Errors name the file, its address and the cause.
  //
  // Whoever gives a `stop` ends the waits of the call by notifying it, those between attempts too:
  // what is not there is Cancelled then, as soon as the requests under way are over.
  absl::StatusOr<std::shared_ptr<const MappedFile>> Acquire(
      size_t shard, const absl::Notification* stop = nullptr);

  // Fetches a shard that will be needed.
  absl::Status Prefetch(size_t shard, const absl::Notification* stop = nullptr) {
    return Acquire(shard, stop).status();
  }

  // To be called before an index file of so many bytes is written: counts it like index_bytes, and
  // evicts for it what is not in use. False: there's no room for it now, or would be none for the
  // largest shard. Other processes count it from their next start on.
  bool Claim(uint64_t bytes);

  // Counts the bytes on disk now.
  CacheStats Stats() const;

 private:
  using Mapping = std::shared_ptr<const MappedFile>;

  // A folder that holds shards: a CacheFolder or one inside.
  struct Place {
    std::string path;
    bool cached;  // not read in place
  };
  struct Shard;  // with its paths

  ShardCache(const CacheOptions& options, std::vector<CacheFolder> folders,
             std::vector<CacheShard> shards);
  void FindPlaces();
  void FindLargest();
  absl::Status CheckLimit() const;
  absl::Status OpenSpace();

  Shard At(size_t number, const absl::Notification* stop) const;
  // Finds the shard or, under its lock, makes it.
  absl::StatusOr<Mapping> Load(const Shard& shard);
  // NotFound, or DataLoss where the file is not the one of the index.
  absl::StatusOr<Mapping> MapFound(const Shard& shard);
  // From the compressed file if it is there, or else from the source.
  absl::StatusOr<Mapping> Make(const Shard& shard);
  absl::StatusOr<Mapping> DecompressFound(const Shard& shard);
  absl::StatusOr<Mapping> Fetch(const Shard& shard);
  // The raw file in the making and, last, if asked for, the compressed one.
  absl::StatusOr<std::vector<TempFile>> Reserve(const Shard& shard, bool with_zip);
  absl::StatusOr<Mapping> Publish(const Shard& shard, TempFile raw);

  const CacheOptions options_;
  const std::vector<CacheFolder> folders_;
  const std::vector<CacheShard> shards_;
  std::vector<Place> places_;
  std::vector<uint32_t> place_of_;  // one a shard
  uint64_t largest_bytes_ = 0;      // that a cached shard takes, with its compressed file
  const FileInfo* largest_ = nullptr;
  std::vector<std::atomic<bool>> verified_;
  std::atomic<int64_t> hits_ = 0;
  std::atomic<int64_t> misses_ = 0;
  std::atomic<int64_t> verify_failures_ = 0;
  MappingTable mappings_;
  std::unique_ptr<CacheSpace> space_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_SHARD_CACHE_H_
