#ifndef TESSERA_DATA_DATASETS_PIXEL_DATASET_H_
#define TESSERA_DATA_DATASETS_PIXEL_DATASET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"

namespace tessera {

// Images of one size, each with a class, as they are in memory.
struct PixelImages {
  std::string name;  // of the samples, before their index: "train"
  int height = 0;
  int width = 0;
  int channels = 0;             // 1 or 3
  std::string pixels;           // [labels.size(), height, width, channels]
  std::vector<int64_t> labels;  // from 0
  std::vector<std::string> class_names;
};

// An error where the pixels are not those of so many images, or there are none.
absl::StatusOr<std::shared_ptr<const Dataset>> MakePixelDataset(PixelImages images);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_PIXEL_DATASET_H_
