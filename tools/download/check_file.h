#ifndef TESSERA_TOOLS_DOWNLOAD_CHECK_FILE_H_
#define TESSERA_TOOLS_DOWNLOAD_CHECK_FILE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace tessera {

// What is known of a file's contents before it is read. What is not known is not checked.
struct FileChecks {
  uint64_t size = 0;        // 0: not known
  std::string md5 = {};     // in hex; empty: not known
  std::string sha256 = {};  // the same

  bool has_hash() const { return !md5.empty() || !sha256.empty(); }
};

// DataLoss, with what was found and what was expected, if the file at `path` is another one.
// `done` gets the number of bytes read so far.
absl::Status CheckFile(const std::string& path, const FileChecks& checks,
                       absl::FunctionRef<void(uint64_t done)> done);

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_CHECK_FILE_H_
