#include "data/formats/webdataset/tar_shard.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera {

TarSample::TarSample(const TarShard* shard, uint64_t sample)
    : shard_(shard),
      sample_(sample),
      begin_(shard->index_.fields_begin(sample)),
      end_(shard->index_.fields_begin(sample + 1)) {}

absl::string_view TarSample::key() const { return shard_->index_.key(sample_); }

TarField TarSample::operator[](uint64_t number) const {
  const uint64_t field = begin_ + number;
  return {shard_->index_.extension(field), shard_->Bytes(field)};
}

std::optional<absl::string_view> TarSample::Find(absl::string_view extension) const {
  for (uint64_t field = begin_; field < end_; ++field) {
    if (shard_->index_.extension(field) == extension) return shard_->Bytes(field);
  }
  return std::nullopt;
}

absl::StatusOr<std::shared_ptr<const TarShard>> TarShard::Create(
    std::shared_ptr<const MappedFile> tar, TarIndex index) {
  const uint64_t found = tar->contents().size();
  if (const uint64_t expected = index.tables().tar_bytes; found != expected) {
    return absl::DataLossError(
        absl::StrCat(tar->path(), " has ", found, " bytes, its index says ", expected));
  }
  return std::shared_ptr<const TarShard>(new TarShard(std::move(tar), std::move(index)));
}

TarShard::TarShard(std::shared_ptr<const MappedFile> tar, TarIndex index)
    : tar_(std::move(tar)), index_(std::move(index)) {}

absl::string_view TarShard::Bytes(uint64_t field) const {
  return index_.Contents(tar_->contents(), field);
}

}  // namespace tessera
