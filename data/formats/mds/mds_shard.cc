#include "data/formats/mds/mds_shard.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

uint32_t ReadUint32(const char* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

absl::Status Unreadable(const std::string& path) {
  return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MdsShard>> MdsShard::Open(const std::string& path,
                                                               uint64_t bytes, uint64_t samples) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Unreadable(path);
  struct stat info {};
  if (fstat(file, &info) != 0) {
    const absl::Status status = Unreadable(path);
    close(file);
    return status;
  }
  const auto found = static_cast<uint64_t>(info.st_size);
  if (found != bytes) {
    close(file);
    return absl::DataLossError(
        absl::StrCat(path, " has ", found, " bytes, its index says ", bytes));
  }
  const uint64_t words = bytes / sizeof(uint32_t);
  if (words < 2 || words - 2 < samples) {  // the header has samples + 2 words
    close(file);
    return absl::DataLossError(absl::StrCat(path, " has ", bytes, " bytes, too few for the ",
                                            samples, " samples that its index says"));
  }
  void* const data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  const absl::Status unmapped = data == MAP_FAILED ? Unreadable(path) : absl::OkStatus();
  close(file);
  if (!unmapped.ok()) return unmapped;
  const std::shared_ptr<const MdsShard> shard(
      new MdsShard(static_cast<const char*>(data), bytes, samples));
  if (const absl::Status status = shard->Check(path); !status.ok()) return status;
  return shard;
}

MdsShard::~MdsShard() { munmap(const_cast<char*>(data_), bytes_); }

absl::Status MdsShard::Check(const std::string& path) const {
  const uint32_t count = ReadUint32(data_);
  if (count != size_) {
    return absl::DataLossError(
        absl::StrCat(path, " holds ", count, " samples, its index says ", size_));
  }
  uint64_t end = sizeof(uint32_t) * (size_ + 2);
  for (uint64_t i = 0; i <= size_; ++i) {
    const uint64_t offset = Offset(i);
    if (offset < end || offset > bytes_) {
      return absl::DataLossError(absl::StrCat(path, " is damaged: offset ", i, " is ", offset,
                                              ", expected ", end, " to ", bytes_));
    }
    end = offset;
  }
  if (end != bytes_) {
    return absl::DataLossError(
        absl::StrCat(path, " is damaged: its samples end at byte ", end, " of ", bytes_));
  }
  return absl::OkStatus();
}

uint64_t MdsShard::Offset(uint64_t index) const {
  return ReadUint32(data_ + sizeof(uint32_t) * (1 + index));
}

absl::string_view MdsShard::Get(uint64_t index) const {
  return absl::string_view(data_ + Offset(index), Offset(index + 1) - Offset(index));
}

}  // namespace tessera
