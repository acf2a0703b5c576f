#ifndef TESSERA_DATA_DETECT_SET_H_
#define TESSERA_DATA_DETECT_SET_H_

#include <string>

#include "absl/status/statusor.h"
#include "data/data.pb.h"

namespace tessera {

// The config of the set that lies at `place`, a folder or the address of a store, told by its
// files: images and masks in the ADE20K layout, a folder for each class, CIFAR's and MNIST's files,
// COCO's annotations, shards (MDS, WebDataset) with or without folders of splits. Names of splits
// are those that are there; where one is missing its default stays. In a store only shards are
// looked for, by their index. An error says what was looked for.
absl::StatusOr<DataConfig> DetectSet(const std::string& place);

}  // namespace tessera

#endif  // TESSERA_DATA_DETECT_SET_H_
