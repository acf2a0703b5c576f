#include "base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

// Reads all of an open file; false with errno set where that fails.
bool ReadAll(int file, std::string* contents) {
  struct stat info {};
  if (fstat(file, &info) != 0) return false;
  contents->resize(info.st_size);
  size_t done = 0;
  while (done < contents->size()) {
    const ssize_t count = read(file, contents->data() + done, contents->size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;  // it became shorter meanwhile
    done += count;
  }
  contents->resize(done);
  return true;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string contents;
  const bool good = file >= 0 && ReadAll(file, &contents);
  const int error = errno;
  if (file >= 0) close(file);
  if (good) return contents;
  return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(error)));
}

}  // namespace tessera
