#include "data/detect_set.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "data/storage/open_store.h"
#include "data/storage/store.h"
#include "data/streaming/stream.h"
#include "data/streaming/streaming_set.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr char kMdsIndex[] = "index.json";
constexpr char kWebIndex[] = "shardindex.json";
constexpr absl::Duration kTimeout = absl::Seconds(60);

const std::vector<std::string>& TrainNames() {
  static const auto* const names = new std::vector<std::string>{"training", "train", "train2017"};
  return *names;
}
const std::vector<std::string>& EvalNames() {
  static const auto* const names =
      new std::vector<std::string>{"validation", "val", "val2017", "test"};
  return *names;
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Whether `folder` holds a folder in which there are files.
bool HoldsClasses(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename().string().front() != '.' && at->is_directory(ignored)) return true;
  }
  return false;
}

// The first of `names` for which `exists`; empty: none.
template <typename Exists>
std::string FirstOf(const std::vector<std::string>& names, const Exists& exists) {
  const auto found = std::find_if(names.begin(), names.end(), exists);
  return found == names.end() ? "" : *found;
}

template <typename Config, typename Exists>
bool SetSplits(const Exists& exists, Config* config) {
  const std::string train = FirstOf(TrainNames(), exists);
  const std::string eval = FirstOf(EvalNames(), exists);
  if (!train.empty()) config->set_train_split(train);
  if (!eval.empty()) config->set_eval_split(eval);
  return !train.empty() || !eval.empty();
}

bool DetectFolder(const fs::path& root, DataConfig* config) {
  FolderConfig& folder = *config->mutable_folder();
  folder.set_root(root.string());
  return SetSplits(
      [&](const std::string& split) {
        return IsFolder(root / "images" / split) && IsFolder(root / "annotations" / split);
      },
      &folder);
}

bool DetectClassFolders(const fs::path& root, DataConfig* config) {
  ClassFoldersConfig& folders = *config->mutable_class_folders();
  folders.set_root(root.string());
  return SetSplits([&](const std::string& split) { return HoldsClasses(root / split); }, &folders);
}

bool DetectCifar(const fs::path& root, DataConfig* config) {
  config->mutable_cifar()->set_root(root.string());
  for (const char* const below : {"", "cifar-10-batches-bin", "cifar-100-binary"}) {
    for (const char* const file : {"data_batch_1.bin", "test_batch.bin", "train.bin", "test.bin"}) {
      if (Exists(root / below / file)) return true;
    }
  }
  return false;
}

bool DetectMnist(const fs::path& root, DataConfig* config) {
  config->mutable_mnist()->set_root(root.string());
  for (const char* const file : {"train-images", "t10k-images"}) {
    for (const char* const ending : {"-idx3-ubyte", ".idx3-ubyte"}) {
      if (Exists(root / absl::StrCat(file, ending)) ||
          Exists(root / absl::StrCat(file, ending, ".gz"))) {
        return true;
      }
    }
  }
  return false;
}

bool DetectCoco(const fs::path& root, DataConfig* config) {
  CocoConfig& coco = *config->mutable_coco();
  coco.set_root(root.string());
  return Exists(root / coco.train_annotations()) || Exists(root / coco.eval_annotations());
}

// The tars of a folder in the form of data.streaming.shards; empty: none.
std::string ListTars(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.front() != '.' && absl::StrContains(name, ".tar")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, "::");
}

// Where there are shards: which of a split's files says so.
struct ShardPlace {
  bool mds = false;
  bool web = false;
  bool any() const { return mds || web; }
};

absl::StatusOr<ShardPlace> FindShards(Store& store, const std::string& split) {
  const std::string prefix = split.empty() ? "" : absl::StrCat(split, "/");
  ShardPlace place;
  for (const auto& [name, found] : {std::pair(kMdsIndex, &place.mds), {kWebIndex, &place.web}}) {
    const absl::Status status = store.Size(absl::StrCat(prefix, name)).status();
    *found = status.ok();
    // Who may not list a bucket is denied what is not there.
    if (!status.ok() && !absl::IsNotFound(status) && !absl::IsPermissionDenied(status)) {
      return status;
    }
  }
  const std::optional<std::string> folder = store.LocalPath(split);
  if (!place.any() && folder.has_value()) place.web = !ListTars(*folder).empty();
  return place;
}

// Which parts are image, mask or label, and name: of the first sample.
absl::Status ChooseColumns(const std::string& split, StreamingConfig* config) {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const StreamingSet> set,
                           StreamingSet::Open(*config, split));
  if (set->size() == 0) return absl::OkStatus();
  Record record;
  TESSERA_RETURN_IF_ERROR(set->Get(0, &record));
  const auto find = [&](std::initializer_list<const char*> names) -> const Part* {
    for (const char* const name : names) {
      for (const Part& part : record.parts) {
        if (part.name == name) return &part;
      }
    }
    return nullptr;
  };
  const Part* const image =
      find({"x", "image.jpg", "image.png", "jpg", "jpeg", "png", "image", "img"});
  const Part* const mask = find({"mask.png", "mask", "seg.png", "y"});
  const Part* const label = find({"cls", "label", "y"});
  const Part* const name = find({"uid", "__key__"});
  if (image != nullptr) config->set_image_column(std::string(image->name));
  if (name != nullptr) config->set_name_column(std::string(name->name));
  const bool is_mask = mask != nullptr && (mask->encoding.empty() || mask->encoding == "png" ||
                                           mask->encoding == "jpeg" || mask->encoding == "pil");
  if (is_mask) {
    config->set_mask_column(std::string(mask->name));
  } else if (label != nullptr) {
    config->set_label_column(std::string(label->name));
  }
  return absl::OkStatus();
}

// False where there are no shards.
absl::StatusOr<bool> DetectShards(const std::string& place, DataConfig* config) {
  StreamingConfig& streaming = *config->mutable_streaming();
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<Store> store, OpenStore(place, kTimeout));
  const bool local = store->LocalPath("").has_value();
  local ? streaming.set_local(place) : streaming.set_remote(place);
  ShardPlace shards;
  std::string split;
  const auto has_shards = [&](const std::string& name) {
    const absl::StatusOr<ShardPlace> found = FindShards(*store, name);
    if (!found.ok() || !found->any()) return false;
    shards = *found;
    split = name;
    return true;
  };
  TESSERA_ASSIGN_OR_RETURN(shards, FindShards(*store, ""));
  if (shards.any()) {  // no splits
    streaming.set_train_split("");
    streaming.set_eval_split("");
  } else if (!SetSplits(has_shards, &streaming)) {
    return false;
  }
  if (!shards.mds) {
    streaming.set_format(StreamingConfig::WEBDATASET);
    const std::string folder = store->LocalPath(split).value_or("");
    const bool listed = !local || Exists(fs::path(folder) / kWebIndex);
    streaming.set_shards(listed ? kWebIndex : ListTars(folder));
  }
  TESSERA_RETURN_IF_ERROR(ChooseColumns(split, &streaming));
  return true;
}

}  // namespace

absl::StatusOr<DataConfig> DetectSet(const std::string& place) {
  DataConfig config;
  if (!absl::StrContains(place, "://")) {
    if (!IsFolder(place)) return absl::NotFoundError(absl::StrCat("no folder ", place));
    const fs::path root = place;
    for (const auto detect : {DetectFolder, DetectCoco, DetectCifar, DetectMnist}) {
      config.Clear();
      if (detect(root, &config)) return config;
    }
  }
  config.Clear();
  TESSERA_ASSIGN_OR_RETURN(const bool shards, DetectShards(place, &config));
  if (shards) return config;
  config.Clear();
  if (!absl::StrContains(place, "://") && DetectClassFolders(place, &config)) return config;
  return absl::NotFoundError(absl::StrCat(
      place,
      " holds no set that is known; looked for images/SPLIT with annotations/SPLIT, annotations/"
      "instances_SPLIT.json (COCO), data_batch_1.bin or train.bin (CIFAR), train-images-idx3-ubyte "
      "(MNIST), index.json (MDS), shardindex.json or tars (WebDataset), and SPLIT/CLASS/*.jpg, "
      "where SPLIT is one of ",
      absl::StrJoin(TrainNames(), ", "), ", ", absl::StrJoin(EvalNames(), ", ")));
}

}  // namespace tessera
