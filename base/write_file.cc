#include "base/write_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

// False with errno set where it fails.
bool WriteAll(int file, absl::string_view contents) {
  while (!contents.empty()) {
    const ssize_t count = write(file, contents.data(), contents.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    contents.remove_prefix(count);
  }
  return true;
}

// So that the file's name survives a power cut too.
bool SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool good = fsync(file) == 0;
  close(file);
  return good;
}

}  // namespace

absl::Status WriteFile(const std::string& path, absl::string_view contents, Durability durability) {
  return WriteFile(path, absl::MakeConstSpan(&contents, 1), durability);
}

absl::Status WriteFile(const std::string& path, absl::Span<const absl::string_view> pieces,
                       Durability durability) {
  const std::string temporary = path + ".tmp";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = file >= 0 &&
              std::all_of(pieces.begin(), pieces.end(),
                          [&](absl::string_view piece) { return WriteAll(file, piece); }) &&
              (durability == Durability::kCached || fsync(file) == 0);
  int error = errno;
  if (file >= 0 && close(file) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good) {
    good = std::rename(temporary.c_str(), path.c_str()) == 0 &&
           (durability == Durability::kCached || SyncFolderOf(path));
    if (good) return absl::OkStatus();
    error = errno;
  }
  if (file >= 0) std::remove(temporary.c_str());
  const std::string message = absl::StrCat("cannot write ", path, ": ", std::strerror(error));
  return error == ENOSPC || error == EDQUOT ? absl::ResourceExhaustedError(message)
                                            : absl::UnavailableError(message);
}

}  // namespace tessera
