#include "base/write_file.h"

#include <fcntl.h>
#include <unistd.h>

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

}  // namespace

absl::Status WriteFile(const std::string& path, absl::string_view contents, Durability durability) {
  const std::string temporary = path + ".tmp";
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = file >= 0 && WriteAll(file, contents) &&
              (durability == Durability::kCached || fsync(file) == 0);
  int error = errno;
  if (file >= 0 && close(file) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  if (good) error = errno;
  if (file >= 0) std::remove(temporary.c_str());
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(error)));
}

}  // namespace tessera
