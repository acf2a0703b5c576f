#include "tools/download/work_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

// Whether `path` still names the open file: its holder may have removed it before we had the lock.
bool IsAt(int file, const std::string& path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

absl::StatusOr<WorkLock> WorkLock::Take(const std::string& path) {
  while (true) {
    FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!file.open()) {
      return absl::InternalError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
    }
    // Where flock is not to be had, as on some cluster file systems, nobody is kept out.
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return absl::AlreadyExistsError(
          absl::StrCat("another process is at work there (it holds ", path, ")"));
    }
    if (IsAt(file.get(), path)) return WorkLock(path, std::move(file));
  }
}

WorkLock::~WorkLock() {
  if (file_.open()) unlink(path_.c_str());
}

}  // namespace tessera
