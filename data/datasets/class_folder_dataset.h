#ifndef TESSERA_DATA_DATASETS_CLASS_FOLDER_DATASET_H_
#define TESSERA_DATA_DATASETS_CLASS_FOLDER_DATASET_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/datasets/datasets.pb.h"

namespace tessera {

// A split of a set that keeps each class in a folder (see ListClassFolders): its files with the
// endings of JPEG and PNG, in the order of the labels and, within a class, of their names, byte by
// byte, which is that of torchvision's ImageFolder. Samples are called CLASS/FILE without the
// ending; hidden and system files are passed over. A class that the other split lacks, or that has
// no image, is an error. A file is read when its sample is asked for.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenClassFolderDataset(
    const ClassFoldersConfig& config, bool train);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_CLASS_FOLDER_DATASET_H_
