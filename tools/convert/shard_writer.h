#ifndef TESSERA_TOOLS_CONVERT_SHARD_WRITER_H_
#define TESSERA_TOOLS_CONVERT_SHARD_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/storage/store.h"
#include "tools/convert/rows.h"

namespace tessera {

struct ShardSettings {
  ShardFormat format = ShardFormat::kMds;
  uint64_t size_limit = uint64_t{1} << 26;  // most bytes of a shard
  std::string compression = {};             // of MDS: "zstd:7", ...
  std::vector<std::string> hashes = {};     // of MDS: "sha1", ..., sorted
};

// Writes rows to shards. The index is written last: without it there is no set.
class ShardWriter {
 public:
  virtual ~ShardWriter() = default;

  // Adds a row, whose payloads are in the order of the columns.
  virtual absl::Status Write(const Row& row) = 0;

  // Writes what is left. Called once; nothing can be written after it.
  virtual absl::Status Finish() = 0;

  // Shards that are written.
  virtual int64_t num_shards() const = 0;

  // Those shards as text, from which another writer goes on.
  virtual std::string Written() const = 0;
};

// MDS with an index.json, or WebDataset with a shardindex.json as widsindex writes it. `written`:
// what a writer of the same settings and columns has written, see Written(); an error where `store`
// has not these shards.
absl::StatusOr<std::unique_ptr<ShardWriter>> MakeShardWriter(const ShardSettings& settings,
                                                             const std::vector<RowColumn>& columns,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& written = "");

// AlreadyExists where `store` has a set of this format.
absl::Status CheckIsFree(ShardFormat format, Store& store);

// Makes the shards no set any more.
absl::Status RemoveIndex(ShardFormat format, Store& store);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_SHARD_WRITER_H_
