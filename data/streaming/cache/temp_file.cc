#include "data/streaming/cache/temp_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

constexpr absl::string_view kSuffix = ".tessera.tmp";

bool Flock(int file, int operation) {
  while (flock(file, operation) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool IsLinked(int file) {
  struct stat info {};
  return fstat(file, &info) == 0 && info.st_nlink > 0;
}

std::string TempPath(const std::string& path) {
  static std::atomic<uint64_t> number = 0;
  const size_t name = path.rfind('/') + 1;
  return absl::StrCat(path.substr(0, name), ".", path.substr(name), ".", getpid(), "-",
                      number.fetch_add(1, std::memory_order_relaxed), kSuffix);
}

}  // namespace

absl::StatusOr<TempFile> TempFile::Create(const std::string& path, uint64_t bytes) {
  while (true) {
    const std::string temp_path = TempPath(path);
    FileDescriptor file(open(temp_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    // A process of another PID namespace may have taken this name.
    if (!file.open() && errno == EEXIST) continue;
    if (!file.open() || !Flock(file.get(), LOCK_SH)) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make ", temp_path));
    }
    // Before the flock it looked abandoned: another process may have removed it.
    if (!IsLinked(file.get())) continue;
    TempFile temp(std::move(file), temp_path, path);
    TESSERA_RETURN_IF_ERROR(AllocateFile(temp.descriptor(), bytes, path));
    return temp;
  }
}

TempFile::TempFile(FileDescriptor file, std::string temp_path, std::string path)
    : file_(std::move(file)), temp_path_(std::move(temp_path)), path_(std::move(path)) {}

TempFile::~TempFile() {
  if (file_.open()) unlink(temp_path_.c_str());
}

absl::StatusOr<FileDescriptor> TempFile::Publish() {
  if (std::rename(temp_path_.c_str(), path_.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot name ", path_));
  }
  return std::move(file_);
}

bool IsTempName(absl::string_view name) {
  return absl::StartsWith(name, ".") && absl::EndsWith(name, kSuffix);
}

absl::StatusOr<FileDescriptor> OpenPinned(const std::string& path) {
  while (true) {
    FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    // Where flock is not to be had, as on some cluster file systems, nobody evicts either.
    if (!file.open() || !(Flock(file.get(), LOCK_SH) || errno == ENOSYS || errno == EOPNOTSUPP)) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
    }
    if (IsLinked(file.get())) return file;  // not evicted between the two
  }
}

bool RemoveIfUnpinned(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return errno == ENOENT;
  if (!Flock(file.get(), LOCK_EX | LOCK_NB)) return false;
  return !IsLinked(file.get()) || unlink(path.c_str()) == 0 || errno == ENOENT;
}

absl::Status AllocateFile(int file, uint64_t bytes, const std::string& path) {
  if (bytes == 0) return absl::OkStatus();
  const auto size = static_cast<off_t>(bytes);
  int result = 0;
  do {
    result = fallocate(file, 0, 0, size);
  } while (result != 0 && errno == EINTR);
  // Not every file system can promise room.
  if (result != 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) result = ftruncate(file, size);
  if (result == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(
      errno, absl::StrCat("no room on the disk for the ", bytes, " bytes of ", path));
}

}  // namespace tessera
