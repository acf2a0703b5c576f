#include "data/datasets/mnist_dataset.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "data/datasets/digits_files.h"
#include "data/datasets/pixel_dataset.h"
#include "data/formats/idx/idx.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<IdxArray> ParseFile(const std::string& path, absl::string_view contents,
                                   size_t num_dims) {
  absl::StatusOr<IdxArray> array = ParseIdx(contents);
  if (!array.ok()) {
    return absl::Status(array.status().code(), absl::StrCat(path, " ", array.status().message()));
  }
  if (array->dims.size() == num_dims) return array;
  return absl::InvalidArgumentError(
      absl::StrCat(path, " has ", array->dims.size(), " dimensions, expected ", num_dims));
}

// The file of `folder` that has one of the names under which this part of a set is known.
absl::StatusOr<std::string> FindFile(const fs::path& folder, const std::string& stem,
                                     const std::string& kind) {
  std::vector<std::string> names;
  for (const char* const dash : {"-", "."}) {
    for (const char* const packed : {"", ".gz"}) {
      names.push_back(absl::StrCat(stem, dash, kind, "-ubyte", packed));
      std::error_code error;
      if (fs::is_regular_file(folder / names.back(), error))
        return (folder / names.back()).string();
    }
  }
  return absl::NotFoundError(
      absl::StrCat(folder.string(), " has no file ", absl::StrJoin(names, ", "), "; expected one"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> MakeMnistDataset(
    const MnistFiles& files, const std::string& name, std::vector<std::string> class_names) {
  TESSERA_ASSIGN_OR_RETURN(IdxArray images, ParseFile(files.images_path, files.images, 3));
  TESSERA_ASSIGN_OR_RETURN(const IdxArray labels, ParseFile(files.labels_path, files.labels, 1));
  if (images.dims[0] != labels.dims[0]) {
    return absl::InvalidArgumentError(absl::StrCat(files.images_path, " has ", images.dims[0],
                                                   " images, ", files.labels_path, " has ",
                                                   labels.dims[0], " labels; expected as many"));
  }
  PixelImages set = {.name = name,
                     .height = static_cast<int>(images.dims[1]),
                     .width = static_cast<int>(images.dims[2]),
                     .channels = 1,
                     .pixels = std::move(images.values),
                     .labels = {},
                     .class_names = std::move(class_names)};
  for (const char label : labels.values) set.labels.push_back(static_cast<uint8_t>(label));
  return MakePixelDataset(std::move(set));
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenMnistDataset(const MnistConfig& config,
                                                                bool train) {
  if (config.root().empty()) {
    return absl::InvalidArgumentError(
        "data.mnist.root is not set; expected the folder of the idx files");
  }
  const std::string split = train ? "train" : "t10k";
  MnistFiles files;
  TESSERA_ASSIGN_OR_RETURN(files.images_path,
                           FindFile(config.root(), absl::StrCat(split, "-images"), "idx3"));
  TESSERA_ASSIGN_OR_RETURN(files.labels_path,
                           FindFile(config.root(), absl::StrCat(split, "-labels"), "idx1"));
  TESSERA_ASSIGN_OR_RETURN(const std::string images, ReadFile(files.images_path));
  TESSERA_ASSIGN_OR_RETURN(const std::string labels, ReadFile(files.labels_path));
  files.images = images;
  files.labels = labels;
  return MakeMnistDataset(files, train ? "train" : "test");
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenDigitsDataset(bool train) {
  const MnistFiles files = {.images = train ? DigitsTrainImages() : DigitsTestImages(),
                            .labels = train ? DigitsTrainLabels() : DigitsTestLabels(),
                            .images_path = "digits",
                            .labels_path = "digits"};
  return MakeMnistDataset(files, train ? "train" : "test",
                          {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
}

}  // namespace tessera
