#ifndef TESSERA_DATA_FORMATS_MDS_MDS_WRITER_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/formats/compression/compression.h"
#include "data/formats/mds/mds_index.h"
#include "data/formats/mds/mds_schema.h"
#include "data/storage/store.h"

namespace tessera {

// Writes MDS shards, byte for byte as the Python package's MDSWriter does for the same samples
// (compressed ones as far as Codec says; but for a first sample beyond the size limit, before which
// Python writes a shard with no samples). A shard appears whole or not at all; index.json comes
// last, from Finish(): a set without it is no data set, so one that was interrupted is never taken
// for whole. Of a compressed shard only the compressed file is kept.
class MdsWriter {
 public:
  // `store` holds no index.json. Columns come in any order. A sample larger than the settings' size
  // limit has a shard of its own; the format's own limit is 4 GiB. `written`: the shards of a writer
  // of the same columns and settings that was interrupted; this one goes on behind them.
  static absl::StatusOr<MdsWriter> Create(std::shared_ptr<Store> store, MdsSchema columns,
                                          MdsSettings settings,
                                          std::vector<MdsShardInfo> written = {});

  // The same in a folder of this machine, which exists; each file is on the disk (fsync) before
  // the next is begun.
  static absl::StatusOr<MdsWriter> Create(const std::string& folder, MdsSchema columns,
                                          MdsSettings settings);
  static absl::StatusOr<MdsWriter> Create(const std::string& folder, MdsSchema columns,
                                          uint64_t size_limit = MdsSettings().size_limit);

  // The columns in the order in which Write takes their payloads: sorted by name.
  const MdsSchema& schema() const { return *schema_; }

  // Shards written so far.
  const std::vector<MdsShardInfo>& shards() const { return shards_; }

  // Adds a sample; it is not added where this fails. After a shard could not be written, this and
  // Finish return that error.
  absl::Status Write(absl::Span<const absl::string_view> payloads);

  // Writes the last shard and the index. Called once; nothing can be written after it.
  absl::Status Finish();

 private:
  // Writes an object of that name, whole or not at all, as Store::Write does.
  using WriteObject =
      std::function<absl::Status(absl::string_view, absl::Span<const absl::string_view>)>;

  static absl::StatusOr<MdsWriter> Make(WriteObject write, MdsSchema columns, MdsSettings settings);
  MdsWriter(WriteObject write, MdsSchema schema, MdsSettings settings, std::optional<Codec> codec);
  absl::StatusOr<FileInfo> Describe(std::string name,
                                    absl::Span<const absl::string_view> pieces) const;
  absl::Status Flush();
  absl::Status WriteShard();
  uint64_t shard_size() const;

  WriteObject write_;
  std::shared_ptr<const MdsSchema> schema_;
  MdsSettings settings_;
  std::optional<Codec> codec_;
  std::string config_;
  std::vector<MdsShardInfo> shards_;
  std::string samples_;         // of the shard under way
  std::vector<uint32_t> ends_;  // of its samples, within samples_
  absl::Status status_;         // of all that was written
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_WRITER_H_
