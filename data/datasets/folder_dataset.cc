#include "data/datasets/folder_dataset.h"

#include <glog/logging.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/read_file.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

constexpr size_t kMostNamed = 10;

// Files of `folder` with one of the extensions, by their name without it and without `suffix`,
// which it has before that.
absl::StatusOr<std::map<std::string, std::string>> FilesByStem(
    const std::filesystem::path& folder, const std::vector<std::string>& extensions,
    const std::string& suffix = "") {
  std::error_code error;
  std::filesystem::directory_iterator files(folder, error);
  if (error) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder.parent_path(), ignored)) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return absl::NotFoundError(
        absl::StrCat("no folder ", folder.string(),
                     found.empty() ? "" : "; found beside it: ", absl::StrJoin(found, ", "),
                     "; expected images/SPLIT and annotations/SPLIT below the root"));
  }
  std::map<std::string, std::string> by_stem;
  for (; files != std::filesystem::directory_iterator(); files.increment(error)) {
    if (error) break;
    const std::filesystem::directory_entry& entry = *files;
    const std::string name = entry.path().filename().string();
    const std::string extension = absl::AsciiStrToLower(entry.path().extension().string());
    if (name.front() == '.' || !entry.is_regular_file(error)) continue;
    if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) continue;
    const std::string whole_stem = entry.path().stem().string();
    absl::string_view stem = whole_stem;
    if (!absl::ConsumeSuffix(&stem, suffix)) continue;
    const auto [at, added] = by_stem.emplace(stem, entry.path().string());
    if (!added) {
      return absl::InvalidArgumentError(
          absl::StrCat("two files of the same name: ", at->second, " and ", entry.path().string()));
    }
  }
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot list ", folder.string(), ": ", error.message()));
  }
  return by_stem;
}

std::string Listed(const char* what, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const size_t shown = std::min(names.size(), kMostNamed);
  return absl::StrCat(names.size(), " ", what, " (",
                      absl::StrJoin(names.begin(), names.begin() + shown, ", "),
                      names.size() > shown ? ", ..." : "", ")");
}

class FolderDataset : public Dataset {
 public:
  explicit FolderDataset(std::vector<FilePair> pairs) : pairs_(std::move(pairs)) {}

  int64_t size() const override { return static_cast<int64_t>(pairs_.size()); }

  absl::StatusOr<Sample> Get(int64_t index) const override {
    const FilePair& pair = pairs_[index];
    struct Files {
      std::string name, image, mask;
    };
    const auto files = std::make_shared<Files>();
    files->name = pair.name;
    TESSERA_ASSIGN_OR_RETURN(files->image, ReadFile(pair.image));
    TESSERA_ASSIGN_OR_RETURN(files->mask, ReadFile(pair.mask));
    return Sample{files->name, StoredImage(files->image, pair.image),
                  StoredImage(files->mask, pair.mask), files};
  }

 private:
  std::vector<FilePair> pairs_;
};

}  // namespace

absl::StatusOr<std::vector<FilePair>> ListPairs(const FolderConfig& config,
                                                const std::string& split, int64_t* skipped) {
  const std::string& root = config.root();
  const std::filesystem::path base(root);
  TESSERA_ASSIGN_OR_RETURN(const auto images, FilesByStem(base / config.images_folder() / split,
                                                          {".jpg", ".jpeg", ".png"}));
  TESSERA_ASSIGN_OR_RETURN(const auto masks, FilesByStem(base / config.masks_folder() / split,
                                                         {".png"}, config.mask_suffix()));
  std::vector<FilePair> pairs;
  std::vector<std::string> without_mask, without_image;
  for (const auto& [name, image] : images) {
    const auto mask = masks.find(name);
    if (mask == masks.end()) {
      without_mask.push_back(name);
    } else {
      pairs.push_back({name, image, mask->second});
    }
  }
  for (const auto& [name, mask] : masks) {
    if (!images.contains(name)) without_image.push_back(name);
  }
  std::vector<std::string> complaints = {Listed("images without a mask", without_mask),
                                         Listed("masks without an image", without_image)};
  std::erase(complaints, "");
  if (!complaints.empty() && !config.skip_unpaired()) {
    return absl::InvalidArgumentError(
        absl::StrCat(root, ", split ", split, ": ", absl::StrJoin(complaints, ", "),
                     "; add the missing files, or leave these out with "
                     "data.folder.skip_unpaired=true (//tools:convert: --skip_bad)"));
  }
  if (skipped != nullptr) {
    *skipped = static_cast<int64_t>(without_mask.size() + without_image.size());
  }
  if (!complaints.empty()) {
    LOG(WARNING) << root << ", split " << split << ": left out " << absl::StrJoin(complaints, ", ");
  }
  if (pairs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(root, ", split ", split, ": no image has a mask of the same name"));
  }
  return pairs;
}

absl::StatusOr<std::vector<FilePair>> ListPairs(const std::string& root, const std::string& split,
                                                bool skip_unpaired, int64_t* skipped) {
  FolderConfig config;
  config.set_root(root);
  config.set_skip_unpaired(skip_unpaired);
  return ListPairs(config, split, skipped);
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenFolderDataset(const FolderConfig& config,
                                                                 const std::string& split) {
  if (config.root().empty()) {
    return absl::InvalidArgumentError(
        "data.folder.root is not set; expected the folder that holds images and annotations");
  }
  TESSERA_ASSIGN_OR_RETURN(std::vector<FilePair> pairs,
                           ListPairs(config, split, /*skipped=*/nullptr));
  return std::make_shared<const FolderDataset>(std::move(pairs));
}

}  // namespace tessera
