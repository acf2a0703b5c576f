#ifndef TESSERA_BASE_MAPPED_FILE_H_
#define TESSERA_BASE_MAPPED_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// The contents of a file, mapped into memory for reading. The file may be unlinked meanwhile, but
// must not shrink.
class MappedFile {
 public:
  // Errors name the file and the cause.
  static absl::StatusOr<std::unique_ptr<const MappedFile>> Open(const std::string& path);

  // Takes over `file`, an open descriptor, and keeps it (and its flock) as long as the mapping.
  static absl::StatusOr<std::unique_ptr<const MappedFile>> FromDescriptor(int file,
                                                                          const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  absl::string_view contents() const { return contents_; }

 private:
  MappedFile(std::string path, int file, absl::string_view contents);

  std::string path_;
  int file_;  // -1: not kept
  absl::string_view contents_;
};

}  // namespace tessera

#endif  // TESSERA_BASE_MAPPED_FILE_H_
