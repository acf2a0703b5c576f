#ifndef TESSERA_TOOLS_DOWNLOAD_PART_FILE_H_
#define TESSERA_TOOLS_DOWNLOAD_PART_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"

namespace tessera {

// The first bytes of a file that is being fetched, which outlive the process that fetched them: a
// file at `path`, with a note at `path`.json of where they are from. The note is written before the
// first byte is, so bytes without a fitting note are none of ours, and are dropped.
class PartFile {
 public:
  struct Origin {
    std::string url;
    std::optional<uint64_t> size = {};  // of the whole file
    std::string version = {};           // ETag, else Last-Modified; may be empty
  };

  // The part at `path` if it is one of `url`, else an empty one.
  static absl::StatusOr<PartFile> Open(const std::string& path, absl::string_view url);

  // Removes the file at `path` and its note, where they are.
  static absl::Status Remove(const std::string& path);

  const std::string& path() const { return path_; }
  const Origin& origin() const { return origin_; }
  uint64_t size() const { return size_; }
  bool whole() const { return origin_.size == size_; }

  // Drops all bytes; those that follow are of a file of this size and version.
  absl::Status Restart(std::optional<uint64_t> size, absl::string_view version);
  absl::Status Append(absl::string_view bytes);
  // Notes that this is all, where the size was not known.
  absl::Status Finish();

 private:
  PartFile(std::string path, FileDescriptor file, absl::string_view url);

  absl::Status Truncate();
  absl::Status WriteNote() const;
  absl::Status CannotWrite() const;

  std::string path_;
  FileDescriptor file_;
  Origin origin_;
  uint64_t size_ = 0;
};

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_PART_FILE_H_
