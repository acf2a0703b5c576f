#ifndef TESSERA_DATA_STREAMING_CACHE_FILE_LOCK_H_
#define TESSERA_DATA_STREAMING_CACHE_FILE_LOCK_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"

namespace tessera {

// A lock on one byte of a file, which shuts out other threads of the process as well as other
// processes (an open-file-description lock). The file is made, and its folder too; it is opened
// anew for each lock, so that none is held open. The kernel frees the locks of a process that dies:
// nothing is left to clean up.
class FileLock {
 public:
  // Waits until nobody else holds it.
  static absl::StatusOr<FileLock> Wait(const std::string& path, uint64_t byte);

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
