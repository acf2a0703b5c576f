#ifndef TESSERA_DATA_DATASETS_COCO_DATASET_H_
#define TESSERA_DATA_DATASETS_COCO_DATASET_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/datasets/datasets.pb.h"
#include "data/formats/coco/coco_annotations.h"

namespace tessera {

// A split of COCO as it is in its files.
struct CocoFiles {
  std::string images;           // folder
  CocoAnnotations annotations;  // of it

  // The path of an image's file.
  std::string PathOf(size_t image) const;
};
absl::StatusOr<CocoFiles> OpenCocoFiles(const CocoConfig& config, bool train);

// The images of a split, also those without annotations, with masks (see MakeCocoMask) that are
// drawn when a sample is asked for. The names of the classes are those of the categories; the masks
// count them from 1.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenCocoDataset(const CocoConfig& config,
                                                               bool train);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_COCO_DATASET_H_
