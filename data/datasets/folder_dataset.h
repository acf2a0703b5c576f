#ifndef TESSERA_DATA_DATASETS_FOLDER_DATASET_H_
#define TESSERA_DATA_DATASETS_FOLDER_DATASET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/datasets/datasets.pb.h"

namespace tessera {

// An image and its mask, paired by their file name without the extension.
struct FilePair {
  std::string name;   // the common name
  std::string image;  // paths
  std::string mask;
};

// The pairs of ROOT/images/`split` (jpg, jpeg, png) and ROOT/annotations/`split` (png), or of the
// folders that the config names instead, sorted by name, byte by byte: the same on every machine.
// Hidden and system files (._x, Thumbs.db) are passed over, and masks whose name does not end in
// the config's suffix. Files without a partner are an error that lists them, or with skip_unpaired
// are left out and counted in `*skipped` (may be null).
absl::StatusOr<std::vector<FilePair>> ListPairs(const FolderConfig& config,
                                                const std::string& split, int64_t* skipped);

// The same of a root in the ADE20K layout.
absl::StatusOr<std::vector<FilePair>> ListPairs(const std::string& root, const std::string& split,
                                                bool skip_unpaired, int64_t* skipped);

// The pairs as a data set; a file is read when its sample is asked for.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenFolderDataset(const FolderConfig& config,
                                                                 const std::string& split);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_FOLDER_DATASET_H_
