#include "data/datasets/class_folder_dataset.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "data/datasets/class_folders.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Images of a folder, sorted by name.
absl::StatusOr<std::vector<std::string>> ListImages(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    const std::string extension = absl::AsciiStrToLower(at->path().extension().string());
    if (name.front() == '.') continue;
    if (extension != ".jpeg" && extension != ".jpg" && extension != ".png") continue;
    std::error_code ignored;
    if (at->is_regular_file(ignored)) names.push_back(std::move(name));
  }
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot list ", folder.string(), ": ", error.message()));
  }
  if (names.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder.string(), " holds no image (.jpeg, .jpg, .png)"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ClassFolderDataset : public Dataset {
 public:
  ClassFolderDataset(fs::path folder, std::vector<std::string> classes)
      : folder_(std::move(folder)), classes_(std::move(classes)) {}

  absl::Status List() {
    for (size_t label = 0; label < classes_.size(); ++label) {
      TESSERA_ASSIGN_OR_RETURN(std::vector<std::string> names,
                               ListImages(folder_ / classes_[label]));
      for (std::string& name : names) files_.push_back({std::move(name), label});
    }
    return absl::OkStatus();
  }

  int64_t size() const override { return static_cast<int64_t>(files_.size()); }
  LabelKind label_kind() const override { return LabelKind::kClass; }
  std::vector<std::string> class_names() const override { return classes_; }

  absl::StatusOr<Sample> Get(int64_t index) const override {
    const File& file = files_[index];
    struct Contents {
      std::string name, path, image;
    };
    const auto contents = std::make_shared<Contents>();
    const fs::path below = fs::path(classes_[file.label]) / file.name;
    contents->name = fs::path(below).replace_extension().string();
    contents->path = (folder_ / below).string();
    TESSERA_ASSIGN_OR_RETURN(contents->image, ReadFile(contents->path));
    Sample sample;
    sample.name = contents->name;
    sample.image = StoredImage(contents->image, contents->path);
    sample.label = static_cast<int64_t>(file.label);
    sample.owner = contents;
    return sample;
  }

 private:
  struct File {
    std::string name;
    size_t label;
  };

  const fs::path folder_;
  const std::vector<std::string> classes_;
  std::vector<File> files_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenClassFolderDataset(
    const ClassFoldersConfig& config, bool train) {
  if (config.root().empty()) {
    return absl::InvalidArgumentError(
        "data.class_folders.root is not set; expected the folder that holds the splits");
  }
  const fs::path root = config.root();
  const fs::path folder = root / (train ? config.train_split() : config.eval_split());
  const fs::path other = root / (train ? config.eval_split() : config.train_split());
  TESSERA_ASSIGN_OR_RETURN(std::vector<std::string> classes,
                           ListClassFolders(folder.string(), config.class_list()));
  std::error_code error;
  if (fs::is_directory(other, error)) {
    TESSERA_ASSIGN_OR_RETURN(const std::vector<std::string> others,
                             ListClassFolders(other.string(), config.class_list()));
    TESSERA_RETURN_IF_ERROR(train ? CheckSameClasses(classes, others)
                                  : CheckSameClasses(others, classes));
  }
  const auto dataset = std::make_shared<ClassFolderDataset>(folder, std::move(classes));
  TESSERA_RETURN_IF_ERROR(dataset->List());
  return dataset;
}

}  // namespace tessera
