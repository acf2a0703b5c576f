#ifndef TESSERA_DATA_STREAMING_CACHE_TEMP_FILE_H_
#define TESSERA_DATA_STREAMING_CACHE_TEMP_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"

namespace tessera {

// A file in the making, beside the one that it will be: `.NAME.PID-N.tessera.tmp`. Its maker holds
// it pinned (a shared flock), so that it is pinned when it appears under its final name, and one
// that nobody pins was left by a process that died.
class TempFile {
 public:
  // With its whole size from the start, and room for it on the disk: a full disk is
  // ResourceExhausted, before a byte is written. `path` is the final one; its folder exists.
  static absl::StatusOr<TempFile> Create(const std::string& path, uint64_t bytes);

  TempFile(TempFile&&) = default;
  TempFile& operator=(TempFile&&) = delete;
  // Removes the file unless it was published.
  ~TempFile();

  int descriptor() const { return file_.get(); }

  // Gives it its final name, in place of a file that has it. The descriptor holds the pin.
  absl::StatusOr<FileDescriptor> Publish();

 private:
  TempFile(FileDescriptor file, std::string temp_path, std::string path);

  FileDescriptor file_;
  std::string temp_path_;
  std::string path_;
};

// Whether a file of this name, without its folder, is a TempFile.
bool IsTempName(absl::string_view name);

// Opens a file and pins it (a shared flock): it keeps its name until the descriptor is closed.
// NotFound where there is none.
absl::StatusOr<FileDescriptor> OpenPinned(const std::string& path);

// Removes a file unless somebody pins it; true if it is gone. A TempFile goes if its maker is dead.
// Nobody may give another file this name meanwhile.
bool RemoveIfUnpinned(const std::string& path);

// Gives a file this size, and room for it on the disk.
absl::Status AllocateFile(int file, uint64_t bytes, const std::string& path);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_TEMP_FILE_H_
