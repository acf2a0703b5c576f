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
  const uint64_t header = sizeof(uint32_t) * (samples + 2);
  if (bytes < header) {
    close(file);
    return absl::DataLossError(absl::StrCat(path, " has ", bytes, " bytes, too few for the ",
                                            samples, " samples that its index says"));
  }
  void* const data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  const absl::Status unmapped = data == MAP_FAILED ? Unreadable(path) : absl::OkStatus();
  close(file);
  if (!unmapped.ok()) return unmapped;
  const std::shared_ptr<const MdsShard> shard(
      new MdsShard(path, static_cast<const char*>(data), bytes, samples));
  const uint32_t count = ReadUint32(shard->data_);
  if (count != samples) {
    return absl::DataLossError(
        absl::StrCat(path, " holds ", count, " samples, its index says ", samples));
  }
  return shard;
}

MdsShard::~MdsShard() { munmap(const_cast<char*>(data_), bytes_); }

absl::StatusOr<absl::string_view> MdsShard::Get(uint64_t index) const {
  if (index >= size_) {
    return absl::OutOfRangeError(
        absl::StrCat(path_, " holds ", size_, " samples; there is no sample ", index));
  }
  const char* const offsets = data_ + sizeof(uint32_t) * (1 + index);
  const uint64_t begin = ReadUint32(offsets);
  const uint64_t end = ReadUint32(offsets + sizeof(uint32_t));
  if (begin < sizeof(uint32_t) * (size_ + 2) || end < begin || end > bytes_) {
    return absl::DataLossError(absl::StrCat(path_, ": sample ", index, " lies at bytes ", begin,
                                            " to ", end, " of ", bytes_, "; the shard is damaged"));
  }
  return absl::string_view(data_ + begin, end - begin);
}

}  // namespace tessera
