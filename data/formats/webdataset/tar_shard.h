#ifndef TESSERA_DATA_FORMATS_WEBDATASET_TAR_SHARD_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_TAR_SHARD_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "data/formats/webdataset/tar_index.h"

namespace tessera {

// A file of a sample: views that live as long as the shard.
struct TarField {
  absl::string_view extension;  // "jpg", "left.png", ...
  absl::string_view bytes;
};

class TarShard;

// A sample of a shard, which outlives it. Costs nothing to make or copy.
class TarSample {
 public:
  absl::string_view key() const;

  // The number of its files, and one of them, in the order of the tar.
  uint64_t size() const { return end_ - begin_; }
  TarField operator[](uint64_t number) const;

  // The contents of the file with that extension; null: it has none.
  std::optional<absl::string_view> Find(absl::string_view extension) const;

 private:
  friend class TarShard;
  TarSample(const TarShard* shard, uint64_t sample);

  const TarShard* shard_;
  uint64_t sample_;
  uint64_t begin_, end_;  // of its fields
};

// One WebDataset shard in mapped memory, with random access and without copies. May be used from
// several threads.
class TarShard {
 public:
  // `index` is that of the plain tar `tar`; one of a tar of another size is DataLoss.
  static absl::StatusOr<std::shared_ptr<const TarShard>> Create(
      std::shared_ptr<const MappedFile> tar, TarIndex index);

  uint64_t size() const { return index_.size(); }
  TarSample Get(uint64_t sample) const { return TarSample(this, sample); }

  const TarIndex& index() const { return index_; }

 private:
  friend class TarSample;
  TarShard(std::shared_ptr<const MappedFile> tar, TarIndex index);
  absl::string_view Bytes(uint64_t field) const;

  std::shared_ptr<const MappedFile> tar_;
  TarIndex index_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_TAR_SHARD_H_
