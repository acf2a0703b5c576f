#include "data/transforms/train_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/transforms/check_sample.h"
#include "data/transforms/geometry.h"
#include "data/transforms/photometric.h"
#include "data/transforms/resample.h"

namespace tessera {
namespace {

constexpr int kMaxCrops = 10;

absl::Status CheckConfig(const TrainTransforms& config) {
  const auto error = [](const auto&... parts) {
    return absl::InvalidArgumentError(absl::StrCat("train_transforms.", parts...));
  };
  if (config.base_height() < 0) return error("base_height is ", config.base_height(), " < 0");
  if (config.base_width() < 0) return error("base_width is ", config.base_width(), " < 0");
  if (config.crop_height() < 1) return error("crop_height is ", config.crop_height(), " < 1");
  if (config.crop_width() < 1) return error("crop_width is ", config.crop_width(), " < 1");
  if (!(config.min_scale() > 0))
    return error("min_scale is ", config.min_scale(), ": not positive");
  if (!(config.max_scale() >= config.min_scale() && std::isfinite(config.max_scale()))) {
    return error("max_scale is ", config.max_scale(), ": not at least min_scale, which is ",
                 config.min_scale());
  }
  if (!(config.class_max_share() > 0 && config.class_max_share() <= 1)) {
    return error("class_max_share is ", config.class_max_share(), ": give more than 0, up to 1");
  }
  if (!(config.horizontal_flip() >= 0 && config.horizontal_flip() <= 1)) {
    return error("horizontal_flip is ", config.horizontal_flip(), ": a probability is 0 to 1");
  }
  for (const auto& [name, value] : {std::pair("brightness", config.brightness()),
                                    {"contrast", config.contrast()},
                                    {"saturation", config.saturation()}}) {
    if (!(value >= 0 && value <= 1)) return error(name, " is ", value, ": give 0 to 1");
  }
  if (!(config.hue() >= 0 && config.hue() <= 0.5)) {
    return error("hue is ", config.hue(), ": give 0 to 0.5, half a turn");
  }
  return absl::OkStatus();
}

// Where the crop lies in the resized image.
struct Crop {
  ImageSize resized;
  ImageSize size;  // without the padding
  int top = 0;
  int left = 0;
};

absl::StatusOr<ImageSize> DrawSize(const TrainTransforms& config, const Image& image,
                                   Philox& random) {
  const double scale = random.Uniform(config.min_scale(), config.max_scale());
  const double height = (config.base_height() > 0 ? config.base_height() : image.height) * scale;
  const double width = (config.base_width() > 0 ? config.base_width() : image.width) * scale;
  if (std::max(height, width) > std::numeric_limits<int>::max() / 2) {
    return absl::InvalidArgumentError(absl::StrCat("an image of ", image.width, "x", image.height,
                                                   " scaled by ", scale, " is too large"));
  }
  return ImageSize{std::max(1, static_cast<int>(std::lround(height))),
                   std::max(1, static_cast<int>(std::lround(width)))};
}

void PlanLabels(const Crop& crop, const Image& mask, bool flip, TransformScratch* scratch) {
  PlanNearest(mask.height, crop.resized.height, crop.top, crop.size.height, /*reverse=*/false,
              &scratch->mask_rows);
  PlanNearest(mask.width, crop.resized.width, crop.left, crop.size.width, flip,
              &scratch->mask_columns);
}

// Whether one class fills `share` of the labelled pixels of the planned crop, or none is labelled.
bool OneClassFills(double share, const Image& mask, const LabelMap& label_map,
                   const TransformScratch& scratch) {
  const std::vector<int32_t>& rows = scratch.mask_rows;
  // Neighbours mostly have one value: four tables, so that an addition need not wait for the last.
  std::array<std::array<uint32_t, 256>, 4> counts{};
  for (size_t y = 0; y < rows.size();) {
    const size_t first = y;
    while (y < rows.size() && rows[y] == rows[first]) ++y;
    const auto copies = static_cast<uint32_t>(y - first);
    const uint8_t* row = mask.row(rows[first]);
    for (size_t x = 0; x < scratch.mask_columns.size(); ++x) {
      counts[x % 4][row[scratch.mask_columns[x]]] += copies;
    }
  }
  std::array<uint64_t, 256> labels{};
  for (int raw = 0; raw < 256; ++raw) {
    for (const auto& count : counts) labels[label_map.table()[raw]] += count[raw];
  }
  labels[label_map.ignore_index()] = 0;
  const uint64_t labelled = std::accumulate(labels.begin(), labels.end(), uint64_t{0});
  const uint64_t largest = *std::max_element(labels.begin(), labels.end());
  return static_cast<double>(largest) >= share * static_cast<double>(labelled);
}

// Fills what the crop leaves of the batch's image and labels, to the right and below.
void Pad(const Crop& crop, ImageSize size, uint8_t ignore_index, float* image, uint8_t* labels) {
  const int right = size.width - crop.size.width;
  if (right > 0) {
    for (int y = 0; y < crop.size.height; ++y) {
      const int64_t first = static_cast<int64_t>(y) * size.width + crop.size.width;
      std::fill_n(image + 3 * first, 3 * right, 0.0f);
      std::fill_n(labels + first, right, ignore_index);
    }
  }
  const int64_t first = static_cast<int64_t>(crop.size.height) * size.width;
  const int64_t below = static_cast<int64_t>(size.height - crop.size.height) * size.width;
  std::fill_n(image + 3 * first, 3 * below, 0.0f);
  std::fill_n(labels + first, below, ignore_index);
}

}  // namespace

absl::StatusOr<TrainTransform> TrainTransform::Create(const TrainTransforms& config,
                                                      const Normalization& normalization,
                                                      const LabelMap& label_map) {
  TESSERA_RETURN_IF_ERROR(CheckConfig(config));
  TESSERA_ASSIGN_OR_RETURN(const Normalizer normalizer, Normalizer::Create(normalization));
  return TrainTransform(config, normalizer, label_map);
}

absl::Status TrainTransform::Apply(const Image& image, const Image& mask, Philox& random,
                                   TransformScratch* scratch, float* out_image,
                                   uint8_t* out_labels) const {
  TESSERA_RETURN_IF_ERROR(CheckSample(image, mask));
  TESSERA_RETURN_IF_ERROR(label_map_.Check(mask.pixels));

  Crop crop;
  TESSERA_ASSIGN_OR_RETURN(crop.resized, DrawSize(config_, image, random));
  crop.size = {std::min(height(), crop.resized.height), std::min(width(), crop.resized.width)};
  for (int i = 0; i < kMaxCrops; ++i) {
    crop.top = static_cast<int>(random.Below(crop.resized.height - crop.size.height + 1));
    crop.left = static_cast<int>(random.Below(crop.resized.width - crop.size.width + 1));
    if (config_.class_max_share() >= 1) break;
    PlanLabels(crop, mask, /*flip=*/false, scratch);
    if (!OneClassFills(config_.class_max_share(), mask, label_map_, *scratch)) {
      break;
    }
  }
  const bool flip = random.Uniform() < config_.horizontal_flip();
  const Photometric photometric = DrawPhotometric(config_, random);

  PlanLabels(crop, mask, flip, scratch);
  ResampleLabels(mask, scratch->mask_rows, scratch->mask_columns, label_map_.table(), out_labels,
                 width());
  PlanBilinear(image.height, crop.resized.height, crop.top, crop.size.height, config_.antialias(),
               /*reverse=*/false, &scratch->rows);
  PlanBilinear(image.width, crop.resized.width, crop.left, crop.size.width, config_.antialias(),
               flip, &scratch->columns);
  Resample(image, scratch->rows, scratch->columns, &scratch->resample, out_image,
           3 * static_cast<int64_t>(width()), [&](float* row) {
             ApplyPhotometric(photometric, row, crop.size.width);
             normalizer_.Apply(row, crop.size.width);
           });
  Pad(crop, {height(), width()}, label_map_.ignore_index(), out_image, out_labels);
  return absl::OkStatus();
}

}  // namespace tessera
