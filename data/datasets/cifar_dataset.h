#ifndef TESSERA_DATA_DATASETS_CIFAR_DATASET_H_
#define TESSERA_DATA_DATASETS_CIFAR_DATASET_H_

#include <memory>

#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/datasets/datasets.pb.h"

namespace tessera {

// A split of CIFAR-10 or CIFAR-100, whichever the folder holds, in memory (184 MB at most). The
// names of the classes come from the text files beside the records, where they are there.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenCifarDataset(const CifarConfig& config,
                                                                bool train);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_CIFAR_DATASET_H_
