#ifndef TESSERA_DATA_FORMATS_MDS_MDS_INDEX_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_INDEX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/formats/mds/mds_schema.h"
#include "data/streaming/cache/shard_file.h"

namespace tessera {

// What index.json says of one shard.
struct MdsShardInfo {
  ShardFile file;           // names are relative to the index
  uint64_t samples = 0;     // 0: as the Python package writes when the first sample is too large
  uint64_t size_limit = 0;  // that of its writer; 0: none
  std::shared_ptr<const MdsSchema> schema;  // one for all shards of an index that have the same
};

// Reads the text of an index.json; keys that are not known are ignored, and so is a byte order
// mark. Needs memory for the shards alone, not for the text's structure. `path` is named in errors,
// which say what was found and expected. Errors: text that is not an index or was cut short; a
// version other than 2; a shard of another format than MDS, whose columns or compression are not
// known, or whose numbers cannot be; a name that is not a plain path inside the index's folder
// ("a/b"), or that two files have.
absl::StatusOr<std::vector<MdsShardInfo>> ParseMdsIndex(absl::string_view text,
                                                        const std::string& path);

// What a set's writer is asked for.
struct MdsSettings {
  uint64_t size_limit = uint64_t{1} << 26;  // most bytes of a shard's raw file; 0: no limit
  std::string compression = {};             // "zstd:7", ... (see Codec); empty: none
  std::vector<std::string> hashes = {};     // of each file: "sha1", ... (see Hasher); sorted
};

// The JSON text with which a shard file describes itself; its length is part of the shard's size.
// As Python's json.dumps(sort_keys=True) writes it.
std::string MdsShardConfig(const MdsSchema& schema, const MdsSettings& settings);

// The index.json of these shards, byte for byte as the Python package writes it.
std::string MdsIndexText(absl::Span<const MdsShardInfo> shards);

// One of the sets that are merged.
struct MdsPartition {
  std::string folder;  // relative to the merged index: "a", "2024/part-7", ...
  std::vector<MdsShardInfo> shards;
};

// The shards of all partitions as those of the folder that holds them, each under its full path
// from there: partitions in natural order of their folders (part-2 before part-10), shards in their
// own. Errors: a folder that is not a plain path, or that comes twice.
absl::StatusOr<std::vector<MdsShardInfo>> MergeMdsIndex(std::vector<MdsPartition> partitions);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_INDEX_H_
