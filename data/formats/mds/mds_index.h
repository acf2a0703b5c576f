#ifndef TESSERA_DATA_FORMATS_MDS_MDS_INDEX_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_INDEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/mds/mds_schema.h"

namespace tessera {

// What index.json says of one shard.
struct MdsShardInfo {
  std::string basename;  // relative to the index; may hold folders
  uint64_t bytes = 0;
  uint64_t samples = 0;
  MdsSchema schema;
};

// Reads the text of an index.json. `path` is named in errors, which say what was found and
// expected.
absl::StatusOr<std::vector<MdsShardInfo>> ParseMdsIndex(absl::string_view text,
                                                        const std::string& path);

// The JSON text with which a shard file describes itself; its length is part of the shard's size.
// `size_limit` 0: none. As Python's json.dumps(sort_keys=True) writes it.
std::string MdsShardConfig(const MdsSchema& schema, uint64_t size_limit);

// The index.json of these shards, byte for byte as the Python package writes it.
std::string MdsIndexText(const std::vector<MdsShardInfo>& shards, uint64_t size_limit);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_INDEX_H_
