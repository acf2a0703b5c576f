#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

absl::Status Unreadable(const std::string& path) {
  const std::string message = absl::StrCat("cannot read ", path, ": ", std::strerror(errno));
  return errno == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
}

// The mapping lives on without the descriptor.
absl::StatusOr<absl::string_view> Map(int file, const std::string& path) {
  struct stat info {};
  if (fstat(file, &info) != 0) return Unreadable(path);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", path, ": it is no file"));
  }
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return absl::string_view();  // mmap refuses nothing
  void* const data = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) return Unreadable(path);
  return absl::string_view(static_cast<const char*>(data), size);
}

}  // namespace

absl::StatusOr<std::unique_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Unreadable(path);
  const absl::StatusOr<absl::string_view> contents = Map(file, path);
  close(file);
  if (!contents.ok()) return contents.status();
  return std::unique_ptr<const MappedFile>(new MappedFile(path, -1, *contents));
}

absl::StatusOr<std::unique_ptr<const MappedFile>> MappedFile::FromDescriptor(
    int file, const std::string& path) {
  const absl::StatusOr<absl::string_view> contents = Map(file, path);
  if (!contents.ok()) {
    close(file);
    return contents.status();
  }
  return std::unique_ptr<const MappedFile>(new MappedFile(path, file, *contents));
}

MappedFile::MappedFile(std::string path, int file, absl::string_view contents)
    : path_(std::move(path)), file_(file), contents_(contents) {}

MappedFile::~MappedFile() {
  if (!contents_.empty()) munmap(const_cast<char*>(contents_.data()), contents_.size());
  if (file_ >= 0) close(file_);
}

}  // namespace tessera
