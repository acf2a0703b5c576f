#ifndef TESSERA_TOOLS_DOWNLOAD_WORK_LOCK_H_
#define TESSERA_TOOLS_DOWNLOAD_WORK_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"

namespace tessera {

// Held by one process at a time: a lock of the kernel's on a file that goes with this object. One
// that a killed process left behind is not locked.
class WorkLock {
 public:
  // AlreadyExists where another process holds it.
  static absl::StatusOr<WorkLock> Take(const std::string& path);
  ~WorkLock();
  WorkLock(WorkLock&&) = default;

 private:
  WorkLock(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
};

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_WORK_LOCK_H_
