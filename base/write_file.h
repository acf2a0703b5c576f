#ifndef TESSERA_BASE_WRITE_FILE_H_
#define TESSERA_BASE_WRITE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera {

// Whether a file is on the disk when its writing returns, or in the system's memory.
enum class Durability { kCached, kSynced };

// Writes `contents` to `path`, whose folder exists. The file appears whole, in one rename, or not
// at all. ResourceExhausted: the disk is full; Unavailable: any other error.
absl::Status WriteFile(const std::string& path, absl::string_view contents,
                       Durability durability = Durability::kCached);

// The same of contents in pieces, which are written one after the other without a copy.
absl::Status WriteFile(const std::string& path, absl::Span<const absl::string_view> pieces,
                       Durability durability);

}  // namespace tessera

#endif  // TESSERA_BASE_WRITE_FILE_H_
