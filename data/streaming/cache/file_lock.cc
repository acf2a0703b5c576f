#include "data/streaming/cache/file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace tessera {
namespace {

constexpr absl::Duration kLongestPause = absl::Milliseconds(10);

FileDescriptor OpenOrMake(const std::string& path) {
  const auto open_it = [&] {
    return FileDescriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  };
  FileDescriptor file = open_it();
  if (file.open() || errno != ENOENT) return file;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  errno = error.value();
  return error ? FileDescriptor() : open_it();
}

bool SetLock(int file, int command, int type, uint64_t byte) {
  struct flock lock {};
  lock.l_type = static_cast<short>(type);
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(byte);
  lock.l_len = 1;
  while (fcntl(file, command, &lock) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

// The kernel's wait could only be ended by a signal.
absl::Status LockUnless(const absl::Notification& stop, int file, uint64_t byte) {
  for (absl::Duration pause = absl::Microseconds(200);;
       pause = std::min(2 * pause, kLongestPause)) {
    if (SetLock(file, F_OFD_SETLK, F_WRLCK, byte)) return absl::OkStatus();
    if (errno != EAGAIN && errno != EACCES) return absl::ErrnoToStatus(errno, "cannot lock");
    if (stop.WaitForNotificationWithTimeout(pause)) {
      return absl::CancelledError("stopped while another held the lock");
    }
  }
}

absl::Status Lock(int file, uint64_t byte, const absl::Notification* stop) {
  if (stop != nullptr) return LockUnless(*stop, file, byte);
  if (SetLock(file, F_OFD_SETLKW, F_WRLCK, byte)) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "cannot lock");
}

}  // namespace

absl::StatusOr<FileLock> FileLock::Wait(const std::string& path, uint64_t byte,
                                        const absl::Notification* stop) {
  while (true) {
    FileDescriptor file = OpenOrMake(path);
    if (!file.open()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot lock ", path));
    if (const absl::Status locked = Lock(file.get(), byte, stop); !locked.ok()) {
      return absl::Status(locked.code(), absl::StrCat(path, ": ", locked.message()));
    }
    // A lock on a file that was removed meanwhile shuts out nobody.
    struct stat info {};
    if (fstat(file.get(), &info) == 0 && info.st_nlink > 0) {
      return FileLock(std::move(file), byte);
    }
  }
}

FileLock::~FileLock() {
  // Closing alone would leave it to a child that was forked meanwhile.
  if (file_.open()) SetLock(file_.get(), F_OFD_SETLK, F_UNLCK, byte_);
}

}  // namespace tessera
