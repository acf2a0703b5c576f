#include "data/datasets/coco_dataset.h"

#include <glog/logging.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "data/formats/coco/coco_labels.h"
#include "data/image/decode.h"
#include "data/image/image.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class CocoDataset : public Dataset {
 public:
  explicit CocoDataset(CocoFiles files) : files_(std::move(files)) {
    for (const CocoImage& image : files_.annotations.images()) {
      names_.push_back(fs::path(image.file_name).replace_extension().string());
    }
  }

  int64_t size() const override { return static_cast<int64_t>(names_.size()); }
  std::vector<std::string> class_names() const override {
    std::vector<std::string> names;
    for (const CocoCategory& category : files_.annotations.categories()) {
      names.push_back(category.name);
    }
    return names;
  }

  absl::StatusOr<Sample> Get(int64_t index) const override {
    struct Contents {
      std::string path, image;
      Image mask;
    };
    const auto contents = std::make_shared<Contents>();
    contents->path = files_.PathOf(index);
    TESSERA_ASSIGN_OR_RETURN(contents->image, ReadFile(contents->path));
    // What cannot be decoded has no size; whoever decodes it says so.
    const absl::StatusOr<ImageInfo> info = ReadImageInfo(contents->image);
    const CocoSize size = info.ok() ? CocoSize{info->height, info->width} : CocoSize{};
    TESSERA_RETURN_IF_ERROR(MakeCocoMask(files_.annotations, index, size, &contents->mask));
    Sample sample;
    sample.name = names_[index];
    sample.image = StoredImage(contents->image, contents->path);
    sample.mask = StoredImage::Pixels(
        {reinterpret_cast<const char*>(contents->mask.pixels.data()), contents->mask.pixels.size()},
        contents->mask.height, contents->mask.width, 1);
    sample.owner = contents;
    return sample;
  }

 private:
  const CocoFiles files_;
  std::vector<std::string> names_;
};

}  // namespace

std::string CocoFiles::PathOf(size_t image) const {
  return (fs::path(images) / annotations.images()[image].file_name).string();
}

absl::StatusOr<CocoFiles> OpenCocoFiles(const CocoConfig& config, bool train) {
  if (config.root().empty()) {
    return absl::InvalidArgumentError(
        "data.coco.root is not set; expected the folder that holds images and annotations");
  }
  const fs::path root = config.root();
  const fs::path images = root / (train ? config.train_images() : config.eval_images());
  const fs::path file = root / (train ? config.train_annotations() : config.eval_annotations());
  TESSERA_ASSIGN_OR_RETURN(CocoAnnotations annotations, CocoAnnotations::Load(file.string()));
  if (annotations.images().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(file.string(), " has no images"));
  }
  const CocoOmissions& omissions = annotations.omissions();
  if (omissions.no_segmentation > 0 || omissions.no_box > 0) {
    LOG(WARNING) << file.string() << ": " << omissions.no_segmentation
                 << " annotations have no segmentation, " << omissions.no_box
                 << " no box: there they count as nothing";
  }
  return CocoFiles{.images = images.string(), .annotations = std::move(annotations)};
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenCocoDataset(const CocoConfig& config,
                                                               bool train) {
  TESSERA_ASSIGN_OR_RETURN(CocoFiles files, OpenCocoFiles(config, train));
  return std::make_shared<const CocoDataset>(std::move(files));
}

}  // namespace tessera
