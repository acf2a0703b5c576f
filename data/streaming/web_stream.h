#ifndef TESSERA_DATA_STREAMING_WEB_STREAM_H_
#define TESSERA_DATA_STREAMING_WEB_STREAM_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/streaming/cache/shard_cache.h"
#include "data/streaming/stream.h"
#include "data/streaming/stream_place.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// The WebDataset whose tars `config.shards` names, without those that have no samples. The parts of
// a sample are "__key__" and its files, by their extensions. Unless the list says how many samples
// shards have, all are fetched the first time, into the cache that `cache` and `folder` describe:
// see IndexWebShards. The indexes of all shards that were read are in memory, about 100 bytes a
// sample. `claim` is asked for the bytes of an index that is built when its shard is read; while
// it refuses, the index is not kept beside the shards.
absl::StatusOr<std::unique_ptr<Stream>> OpenWebStream(const StreamingConfig& config,
                                                      const StreamPlace& place,
                                                      const CacheOptions& cache,
                                                      const CacheFolder& folder,
                                                      std::function<bool(uint64_t)> claim);

// The expander of a folder of such shards, see ShardExpander: of gz, bz2, xz and zst, in any number
// of members, by the first bytes.
absl::Status ExpandWebShard(absl::string_view zip,
                            absl::FunctionRef<absl::Status(absl::string_view)> sink);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_WEB_STREAM_H_
