#include "data/formats/mds/mds_shard.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

// The 32-bit word of that number.
uint64_t Word(absl::string_view contents, uint64_t number) {
  uint32_t value;
  std::memcpy(&value, contents.data() + sizeof(value) * number, sizeof(value));
  return value;
}

// Of offset `index`, which is `offset` and should be from `least` to `most`.
absl::Status Misplaced(uint64_t index, uint64_t offset, uint64_t least, uint64_t most) {
  return absl::DataLossError(absl::StrCat("is damaged: offset ", index, " is ", offset,
                                          ", expected ", least, " to ", most));
}

}  // namespace

absl::Status MdsShard::CheckHeader() const {
  const uint64_t words = contents_.size() / sizeof(uint32_t);
  if (words < 2 || words - 2 < samples_) {  // the header has samples + 2 words
    return absl::DataLossError(absl::StrCat("has ", contents_.size(), " bytes, too few for the ",
                                            samples_, " samples that its index says"));
  }
  if (const uint64_t count = Word(contents_, 0); count != samples_) {
    return absl::DataLossError(
        absl::StrCat("holds ", count, " samples, its index says ", samples_));
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> MdsShard::Get(uint64_t index) const {
  TESSERA_RETURN_IF_ERROR(CheckHeader());
  if (index >= samples_) {
    return absl::OutOfRangeError(absl::StrCat("has no sample ", index, " of ", samples_));
  }
  const uint64_t begin = Word(contents_, 1 + index), end = Word(contents_, 2 + index);
  const uint64_t least = sizeof(uint32_t) * (samples_ + 2);
  if (begin < least || begin > contents_.size()) {
    return Misplaced(index, begin, least, contents_.size());
  }
  if (end < begin || end > contents_.size()) {
    return Misplaced(index + 1, end, begin, contents_.size());
  }
  return contents_.substr(begin, end - begin);
}

absl::Status MdsShard::Check() const {
  TESSERA_RETURN_IF_ERROR(CheckHeader());
  uint64_t end = sizeof(uint32_t) * (samples_ + 2);
  for (uint64_t i = 0; i <= samples_; ++i) {
    const uint64_t offset = Word(contents_, 1 + i);
    if (offset < end || offset > contents_.size()) {
      return Misplaced(i, offset, end, contents_.size());
    }
    end = offset;
  }
  if (end == contents_.size()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("is damaged: its samples end at byte ", end, " of ", contents_.size()));
}

}  // namespace tessera
