#ifndef TESSERA_DATA_DATASETS_MNIST_DATASET_H_
#define TESSERA_DATA_DATASETS_MNIST_DATASET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/datasets/dataset.h"
#include "data/datasets/datasets.pb.h"

namespace tessera {

// The contents of two idx files, gray images [n, height, width] and labels [n], as a set whose
// samples are called `name`_00000 and so on. Errors name the file that is wrong.
struct MnistFiles {
  absl::string_view images;
  absl::string_view labels;
  std::string images_path;  // for messages
  std::string labels_path;
};
absl::StatusOr<std::shared_ptr<const Dataset>> MakeMnistDataset(
    const MnistFiles& files, const std::string& name, std::vector<std::string> class_names = {});

// A split of MNIST or another set of its form. Names of the files: train-images-idx3-ubyte or
// train-images.idx3-ubyte, with .gz or without.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenMnistDataset(const MnistConfig& config,
                                                                bool train);

// A split of the digits that are part of the program.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenDigitsDataset(bool train);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_MNIST_DATASET_H_
