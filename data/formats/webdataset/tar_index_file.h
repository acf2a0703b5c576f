#ifndef TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_FILE_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/formats/webdataset/tar_index.h"

namespace tessera {

// The file that a tar is in, and by what a saved index is known to be of this one and not of one
// that was there before.
struct TarStamp {
  uint64_t bytes = 0;
  uint64_t mark = 0;             // its time of modification, or what the caller likes
  std::string compression = {};  // "gz", ...: the index is of the tar inside; empty: of the file

  friend bool operator==(const TarStamp&, const TarStamp&) = default;
};

// The size and time of modification of a file.
absl::StatusOr<TarStamp> StampOf(const std::string& path);

// Writes the index to a file, which appears whole or not at all, whoever else writes it too.
absl::Status SaveTarIndex(const TarIndex& index, const TarStamp& stamp, const std::string& path);

struct SavedTarIndex {
  TarIndex index;
  TarStamp stamp;
};

// Reads an index that SaveTarIndex wrote. NotFound: there is none; FailedPrecondition: it is of
// another version of the format; DataLoss: it is damaged.
absl::StatusOr<SavedTarIndex> LoadTarIndex(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_FILE_H_
