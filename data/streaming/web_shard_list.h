#ifndef TESSERA_DATA_STREAMING_WEB_SHARD_LIST_H_
#define TESSERA_DATA_STREAMING_WEB_SHARD_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "data/streaming/stream_place.h"

namespace tessera {

// What is known of a shard of a WebDataset before it is read.
struct ListedShard {
  std::string name;
  std::optional<uint64_t> bytes;
  std::optional<uint64_t> samples;
};

// The shards that data.streaming.shards stands for: names (see ExpandShardList) or, where it ends
// with ".json", those of an index that the wids tools wrote (widsindex create), a file of that name
// beside the shards. Errors name the field or the index.
absl::StatusOr<std::vector<ListedShard>> ListWebShards(const std::string& shards,
                                                       const StreamPlace& place);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_WEB_SHARD_LIST_H_
