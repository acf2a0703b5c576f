#ifndef TESSERA_BASE_WRITE_FILE_H_
#define TESSERA_BASE_WRITE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera {

// Whether a file is on the disk when its writing returns, or in the system's memory.
enum class Durability { kCached, kSynced };

// Writes `contents` to `path`, whose folder exists. The file appears whole, in one rename, or not
// at all.
absl::Status WriteFile(const std::string& path, absl::string_view contents,
                       Durability durability = Durability::kCached);

}  // namespace tessera

#endif  // TESSERA_BASE_WRITE_FILE_H_
