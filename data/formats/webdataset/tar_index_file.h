#ifndef TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_FILE_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "data/formats/webdataset/bad_shard.h"
#include "data/formats/webdataset/tar_index.h"

namespace tessera {

// By what a saved index is known to be of this tar and not of one that was there before.
struct TarStamp {
  uint64_t bytes = 0;
  uint64_t mark = 0;  // its time of modification or a hash of it, as the caller likes

  friend bool operator==(const TarStamp&, const TarStamp&) = default;
};

// The size and time of modification of a file.
absl::StatusOr<TarStamp> StampOf(const std::string& path);

// Writes the index to a file, which appears whole or not at all.
absl::Status SaveTarIndex(const TarIndex& index, const TarStamp& stamp, const std::string& path);

// Reads an index that SaveTarIndex wrote. FailedPrecondition: it is of another tar, or of another
// version of the format; DataLoss: it is damaged.
absl::StatusOr<TarIndex> LoadTarIndex(const std::string& path, const TarStamp& stamp);

// The index of a plain tar: the one at `index_path` if it is of this very tar, else it is built and
// saved there, where that can be done. Errors: those of TarIndex::Build.
absl::StatusOr<TarIndex> LoadOrBuildTarIndex(const MappedFile& tar, const TarStamp& stamp,
                                             const std::string& index_path, BadShard bad_shard);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_FILE_H_
