#include "data/formats/mds/mds_shard.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

// The 32-bit word of that number.
uint64_t Word(absl::string_view bytes, uint64_t number) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + sizeof(value) * number, sizeof(value));
  return value;
}

absl::Status CheckHeader(absl::string_view bytes, uint64_t samples) {
  const uint64_t words = bytes.size() / sizeof(uint32_t);
  if (words < 2 || words - 2 < samples) {  // the header has samples + 2 words
    return absl::DataLossError(absl::StrCat("has ", bytes.size(), " bytes, too few for the ",
                                            samples, " samples that its index says"));
  }
  if (const uint64_t count = Word(bytes, 0); count != samples) {
    return absl::DataLossError(absl::StrCat("holds ", count, " samples, its index says ", samples));
  }
  uint64_t end = sizeof(uint32_t) * (samples + 2);
  for (uint64_t i = 0; i <= samples; ++i) {
    const uint64_t offset = Word(bytes, 1 + i);
    if (offset < end || offset > bytes.size()) {
      return absl::DataLossError(absl::StrCat("is damaged: offset ", i, " is ", offset,
                                              ", expected ", end, " to ", bytes.size()));
    }
    end = offset;
  }
  if (end == bytes.size()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("is damaged: its samples end at byte ", end, " of ", bytes.size()));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MdsShard>> MdsShard::Create(
    std::shared_ptr<const MappedFile> file, uint64_t samples) {
  if (const absl::Status status = CheckHeader(file->contents(), samples); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(file->path(), " ", status.message()));
  }
  return std::shared_ptr<const MdsShard>(new MdsShard(std::move(file), samples));
}

absl::StatusOr<std::shared_ptr<const MdsShard>> MdsShard::Open(const std::string& path,
                                                               uint64_t bytes, uint64_t samples) {
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  if (const uint64_t found = file->contents().size(); found != bytes) {
    return absl::DataLossError(
        absl::StrCat(path, " has ", found, " bytes, its index says ", bytes));
  }
  return Create(std::move(file), samples);
}

MdsShard::MdsShard(std::shared_ptr<const MappedFile> file, uint64_t size)
    : file_(std::move(file)), bytes_(file_->contents()), size_(size) {}

absl::string_view MdsShard::Get(uint64_t index) const {
  const uint64_t begin = Word(bytes_, 1 + index);
  return bytes_.substr(begin, Word(bytes_, 2 + index) - begin);
}

}  // namespace tessera
