#ifndef TESSERA_DATA_STREAMING_CACHE_FILE_LOCK_H_
#define TESSERA_DATA_STREAMING_CACHE_FILE_LOCK_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "base/file_descriptor.h"

namespace tessera {

// A lock on one byte of a file, which shuts out other threads of the process as well as other
// processes (an open-file-description lock). The file is made, and its folder too; it is opened
// anew for each lock, so that none is held open. The kernel frees the locks of a process that dies:
// nothing is left to clean up.
class FileLock {
 public:
  // Waits until nobody else holds it. Those who wait get it in turn, but for those with a `stop`,
  // who look for it now and then: their wait is Cancelled soon after `stop` is notified.
  static absl::StatusOr<FileLock> Wait(const std::string& path, uint64_t byte,
                                       const absl::Notification* stop = nullptr);

  FileLock(FileLock&&) = default;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock(FileDescriptor file, uint64_t byte) : file_(std::move(file)), byte_(byte) {}

  FileDescriptor file_;
  uint64_t byte_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_FILE_LOCK_H_
