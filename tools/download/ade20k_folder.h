#ifndef TESSERA_TOOLS_DOWNLOAD_ADE20K_FOLDER_H_
#define TESSERA_TOOLS_DOWNLOAD_ADE20K_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/download/check_file.h"

namespace tessera {

// What the folders of the two splits are called.
struct SplitNames {
  std::string train;
  std::string val;
  bool operator==(const SplitNames&) const = default;
};

// The names of the whole of Tessera, or those in the archive.
SplitNames TesseraNames();
SplitNames OriginalNames();

// What stands in the set's folder, in .tessera-download.json, from when it is complete.
struct DownloadNote {
  std::string url;
  FileChecks archive;  // what its archive was checked by
  SplitNames names;
  int64_t train_pairs = 0;
  int64_t val_pairs = 0;
};

absl::Status WriteDownloadNote(const std::string& root, const DownloadNote& note);

// The note of the set in the folder `root`; none where there is nothing at all. A folder that has
// no note, or fewer files than it says, is an error.
absl::StatusOr<std::optional<DownloadNote>> FindDownloaded(const std::string& root);

// Where a file goes, below the set's folder, that the archive has at `path`.
std::string PathInSet(absl::string_view path, const SplitNames& names);

// InvalidArgument unless `split` of the set in the folder `root` has `expected` pairs of an image
// and a mask, and nothing without a partner.
absl::Status CheckPairs(const std::string& root, const std::string& split, int64_t expected);

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_ADE20K_FOLDER_H_
