#include "data/datasets/cifar_dataset.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "data/datasets/pixel_dataset.h"
#include "data/formats/cifar/cifar_records.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

bool Has(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

struct CifarFolder {
  fs::path folder;
  CifarKind kind = CifarKind::kCifar10;
};

absl::StatusOr<CifarFolder> FindFolder(const CifarConfig& config) {
  const fs::path root = config.root();
  for (const char* const below : {"", "cifar-10-batches-bin", "cifar-100-binary"}) {
    const fs::path folder = root / below;
    if (Has(folder / "data_batch_1.bin") || Has(folder / "test_batch.bin")) {
      if (!config.coarse_labels()) return CifarFolder{folder, CifarKind::kCifar10};
      return absl::InvalidArgumentError(absl::StrCat(
          folder.string(), " holds CIFAR-10; data.cifar.coarse_labels is for CIFAR-100"));
    }
    if (Has(folder / "train.bin") || Has(folder / "test.bin")) {
      return CifarFolder{
          folder, config.coarse_labels() ? CifarKind::kCifar100Coarse : CifarKind::kCifar100};
    }
  }
  return absl::NotFoundError(absl::StrCat(
      root.string(),
      " holds no binary version of CIFAR; expected data_batch_1.bin ... or train.bin in it, in "
      "cifar-10-batches-bin or in cifar-100-binary",
      Has(root / "cifar-10-batches-py") || Has(root / "cifar-100-python")
          ? " (the Python version, which is there, is not read)"
          : ""));
}

std::vector<std::string> FileNames(CifarKind kind, bool train) {
  if (kind != CifarKind::kCifar10) return {train ? "train.bin" : "test.bin"};
  if (!train) return {"test_batch.bin"};
  std::vector<std::string> names;
  for (int i = 1; i <= 5; ++i) names.push_back(absl::StrCat("data_batch_", i, ".bin"));
  return names;
}

// Empty where there is no such file.
absl::StatusOr<std::vector<std::string>> ReadClassNames(const CifarFolder& place) {
  const fs::path path =
      place.folder / (place.kind == CifarKind::kCifar10    ? "batches.meta.txt"
                      : place.kind == CifarKind::kCifar100 ? "fine_label_names.txt"
                                                           : "coarse_label_names.txt");
  std::vector<std::string> names;
  if (!Has(path)) return names;
  TESSERA_ASSIGN_OR_RETURN(const std::string text, ReadFile(path.string()));
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    names.emplace_back(absl::StripAsciiWhitespace(line));
  }
  const size_t expected = NumClasses(place.kind);
  if (names.size() == expected) return names;
  return absl::InvalidArgumentError(
      absl::StrCat(path.string(), " has ", names.size(), " names of classes, expected ", expected));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenCifarDataset(const CifarConfig& config,
                                                                bool train) {
  if (config.root().empty()) {
    return absl::InvalidArgumentError(
        "data.cifar.root is not set; expected the folder of the .bin files");
  }
  TESSERA_ASSIGN_OR_RETURN(const CifarFolder place, FindFolder(config));
  PixelImages images = {.name = train ? "train" : "test",
                        .height = kCifarSide,
                        .width = kCifarSide,
                        .channels = 3,
                        .pixels = {},
                        .labels = {},
                        .class_names = {}};
  TESSERA_ASSIGN_OR_RETURN(images.class_names, ReadClassNames(place));
  for (const std::string& name : FileNames(place.kind, train)) {
    const std::string path = (place.folder / name).string();
    TESSERA_ASSIGN_OR_RETURN(const std::string file, ReadFile(path));
    const absl::Status status =
        AppendCifarRecords(place.kind, file, &images.pixels, &images.labels);
    if (!status.ok()) return absl::Status(status.code(), absl::StrCat(path, " ", status.message()));
  }
  return MakePixelDataset(std::move(images));
}

}  // namespace tessera
