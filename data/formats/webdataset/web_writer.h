#ifndef TESSERA_DATA_FORMATS_WEBDATASET_WEB_WRITER_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_WEB_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/formats/webdataset/tar_shard.h"
#include "data/storage/store.h"

namespace tessera {

// What a set's writer is asked for.
struct WebSettings {
  std::string pattern = "shard-%06d.tar";   // names of the shards: one %d or %0Nd, their number
  uint64_t size_limit = uint64_t{1} << 28;  // most bytes of a shard; one of them is in memory
  uint64_t sample_limit = 100'000;          // most samples of a shard
};

// A shard that was written.
struct WebShardInfo {
  std::string name;
  uint64_t bytes = 0;
  uint64_t samples = 0;
};

// Writes WebDataset shards: the same samples give the same bytes, those that webdataset's
// TarWriter(mtime=0) writes (see AppendTarHeader). A shard appears whole or not at all.
class WebDatasetWriter {
 public:
  // Shards that are there are replaced. Errors: a pattern without one number. `written`: the shards
  // of a writer of the same settings that was interrupted; this one goes on behind them.
  static absl::StatusOr<WebDatasetWriter> Create(std::shared_ptr<Store> store,
                                                 WebSettings settings = {},
                                                 std::vector<WebShardInfo> written = {});

  // The same in a folder of this machine, which exists; each shard is on the disk (fsync) before
  // the next is begun.
  static absl::StatusOr<WebDatasetWriter> Create(const std::string& folder,
                                                 WebSettings settings = {});

  // Shards written so far.
  const std::vector<WebShardInfo>& shards() const { return shards_; }

  // Adds a sample; its files are written in the order of their extensions. One that is larger than
  // the size limit has a shard of its own. It is not added, and an error, where it has no files,
  // where it could not be read back as it is ("a.b" as a key, "JPG" as an extension, two files of
  // one extension), or where the shard has a sample of that key. After a shard could not be
  // written, this and Finish return that error.
  absl::Status Write(absl::string_view key, absl::Span<const TarField> fields);

  // Writes the last shard. Called once; nothing can be written after it.
  absl::Status Finish();

 private:
  // Writes an object of that name, whole or not at all, as Store::Write does.
  using WriteObject =
      std::function<absl::Status(absl::string_view, absl::Span<const absl::string_view>)>;

  static absl::StatusOr<WebDatasetWriter> Make(WriteObject write, WebSettings settings);
  WebDatasetWriter(WriteObject write, WebSettings settings);
  absl::Status Flush();

  WriteObject write_;
  WebSettings settings_;
  std::vector<WebShardInfo> shards_;
  std::string tar_;                        // the shard under way, without its end
  absl::flat_hash_set<std::string> keys_;  // of its samples
  absl::Status status_;                    // of all that was written
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_WEB_WRITER_H_
