#ifndef TESSERA_DATA_FORMATS_MDS_MDS_WRITER_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/formats/mds/mds_index.h"
#include "data/formats/mds/mds_schema.h"

namespace tessera {

// Writes MDS shards, byte for byte as the Python package's MDSWriter does for the same samples. A
// shard appears in one rename; index.json comes last, from Finish(): a folder without it is no data
// set, so one that was interrupted is never taken for whole.
class MdsWriter {
 public:
  // `folder` exists and holds no index.json. Columns come in any order. `size_limit`: most bytes of
  // a shard file, unless one sample alone is larger; 0: no limit but that of the format, 4 GiB.
  static absl::StatusOr<MdsWriter> Create(const std::string& folder, MdsSchema columns,
                                          uint64_t size_limit = uint64_t{1} << 26);

  // The columns in the order in which Write takes their payloads: sorted by name.
  const MdsSchema& schema() const { return schema_; }

  // Shards written so far.
  const std::vector<MdsShardInfo>& shards() const { return shards_; }

  absl::Status Write(absl::Span<const absl::string_view> payloads);

  // Writes the last shard and the index.
  absl::Status Finish();

 private:
  MdsWriter(std::string folder, MdsSchema schema, uint64_t size_limit);
  absl::Status Flush();
  uint64_t shard_size() const;

  std::string folder_;
  MdsSchema schema_;
  uint64_t size_limit_;
  std::string config_;
  std::vector<MdsShardInfo> shards_;
  std::string samples_;         // of the shard under way
  std::vector<uint32_t> ends_;  // of its samples, within samples_
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_WRITER_H_
