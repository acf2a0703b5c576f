#ifndef TESSERA_TOOLS_DOWNLOAD_EXTRACT_ZIP_H_
#define TESSERA_TOOLS_DOWNLOAD_EXTRACT_ZIP_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera {

struct ZipExtraction {
  std::string zip;     // a file
  std::string top;     // the one folder in it, whose contents are taken
  std::string folder;  // gets them; it exists and is empty
  // The path of an entry below `folder`, of its path below `top`.
  std::function<std::string(absl::string_view)> path_of;
};

// Writes the folders and regular files of a zip. Any other entry, one outside of `top` (also by
// ".." or an absolute path) and one that comes twice are InvalidArgument, damage is DataLoss; both
// name the entry. What was written before stays. `done` gets the number of files so far.
absl::Status ExtractZip(const ZipExtraction& what, absl::FunctionRef<void(int64_t done)> done);

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_EXTRACT_ZIP_H_
