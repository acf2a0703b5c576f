#ifndef TESSERA_DATA_STREAMING_WEB_STREAM_H_
#define TESSERA_DATA_STREAMING_WEB_STREAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "data/streaming/cache/shard_cache.h"
#include "data/streaming/stream.h"
#include "data/streaming/stream_place.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// The WebDataset whose tars `config.shards` names, without those that have no samples. The parts of
// a sample are "__key__" and its files, by their extensions. Unless the list says how many samples
// shards have, all are fetched the first time, into the cache that `cache` and `folder` describe:
// see IndexWebShards. The indexes of all shards that were read are in memory, about 100 bytes a
// sample.
absl::StatusOr<std::unique_ptr<Stream>> OpenWebStream(const StreamingConfig& config,
                                                      const StreamPlace& place,
                                                      const CacheOptions& cache,
                                                      const CacheFolder& folder);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_WEB_STREAM_H_
