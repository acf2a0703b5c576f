#ifndef TESSERA_DATA_FORMATS_MDS_MDS_READER_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/mds/mds_index.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_shard.h"

namespace tessera {

// A folder of MDS shards with its index.json, with random access. May be used from several threads.
class MdsReader {
 public:
  // Reads the index and maps all shards; each is compared with what the index says of it.
  static absl::StatusOr<MdsReader> Open(const std::string& folder);

  int64_t size() const { return starts_.back(); }

  // Where a sample lies.
  struct Row {
    size_t shard_number = 0;  // in shards()
    const MdsSchema* schema = nullptr;
    absl::string_view bytes;                // see SplitMdsSample
    std::shared_ptr<const MdsShard> shard;  // keeps `bytes` alive
  };
  absl::StatusOr<Row> Get(int64_t index) const;

  const std::vector<MdsShardInfo>& shards() const { return infos_; }

 private:
  MdsReader() = default;

  std::vector<MdsShardInfo> infos_;
  std::vector<std::shared_ptr<const MdsShard>> shards_;
  std::vector<int64_t> starts_;  // index of each shard's first sample, and the number of samples
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_READER_H_
