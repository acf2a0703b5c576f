#include "data/datasets/pixel_dataset.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

class PixelDataset : public Dataset {
 public:
  explicit PixelDataset(PixelImages images)
      : images_(std::make_shared<const PixelImages>(std::move(images))) {
    names_.reserve(images_->labels.size());
    for (size_t i = 0; i < images_->labels.size(); ++i) {
      names_.push_back(absl::StrCat(images_->name, "_", absl::Dec(i, absl::kZeroPad5)));
    }
  }

  int64_t size() const override { return static_cast<int64_t>(images_->labels.size()); }
  LabelKind label_kind() const override { return LabelKind::kClass; }
  std::vector<std::string> class_names() const override { return images_->class_names; }

  absl::StatusOr<Sample> Get(int64_t index) const override {
    const size_t bytes = static_cast<size_t>(images_->height) * images_->width * images_->channels;
    Sample sample;
    sample.name = names_[index];
    sample.image = StoredImage::Pixels({images_->pixels.data() + index * bytes, bytes},
                                       images_->height, images_->width, images_->channels);
    sample.owner = images_;
    sample.label = images_->labels[index];
    return sample;
  }

 private:
  const std::shared_ptr<const PixelImages> images_;
  std::vector<std::string> names_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> MakePixelDataset(PixelImages images) {
  const uint64_t bytes = static_cast<uint64_t>(images.height) * images.width * images.channels;
  if (bytes == 0 || images.labels.empty() || images.pixels.size() != bytes * images.labels.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        images.name, ": found ", images.pixels.size(), " bytes of pixels for ",
        images.labels.size(), " labels, expected ", bytes, " for each, and one label or more"));
  }
  return std::make_shared<const PixelDataset>(std::move(images));
}

}  // namespace tessera
