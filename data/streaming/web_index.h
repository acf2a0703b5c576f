#ifndef TESSERA_DATA_STREAMING_WEB_INDEX_H_
#define TESSERA_DATA_STREAMING_WEB_INDEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "data/formats/webdataset/tar_index.h"
#include "data/streaming/cache/shard_cache.h"
#include "data/streaming/cache/shard_file.h"
#include "data/streaming/web_index_files.h"
#include "data/streaming/web_shard_list.h"

namespace tessera {

// A shard of a WebDataset, and where its samples lie in `file.raw`.
struct WebShard {
  std::string name;  // in the store: of file.zip or file.raw
  ShardFile file;
  uint64_t samples = 0;
  std::optional<TarIndex> index;  // null: to be built when the shard is first read
};

struct WebIndexOptions {
  int threads = 4;     // shards that are read at once
  CacheOptions cache;  // into which shards are fetched that must be read
  CacheFolder folder;
};

struct WebIndex {
  std::vector<WebShard> shards = {};
  uint64_t index_bytes = 0;  // of the index files in the cache's folder
};

// Finds out what the shards of a stream hold, in their order. An index that is not among `files`,
// or is of another file, is built: the shard is fetched into the cache, if it isn't there, and its
// headers are read. In a folder of this machine a file is another one by its size and time; in a
// store by its size, which is asked for where the shard is not in the cache. A shard of which the
// list gives the number of samples waits until it is read, unless its name is that of a compressed
// one, or shards may have fewer (kSkipRest).
//
// Errors name the shard; damage is DataLoss and says at which byte, and so is another number of
// samples than the list gives. Under kSkipRest shards may have fewer samples, or none, and a
// compressed one that is damaged has none. The log says what is left out, and how far it is where
// it takes long.
absl::StatusOr<WebIndex> IndexWebShards(const std::vector<ListedShard>& shards,
                                        const WebIndexOptions& options, WebIndexFiles* files);

// OK, or DataLoss where an index does not have the number of samples that is expected. What damage
// left out may be missing.
absl::Status CheckCount(const WebIndexFiles& files, const std::string& name, const TarIndex& index,
                        uint64_t expected);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_WEB_INDEX_H_
