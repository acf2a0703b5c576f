#include "data/formats/coco/coco_labels.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "data/formats/coco/coco_mask.h"

namespace tessera {
namespace {

// Pixels that get one value.
struct Layer {
  CocoMask pixels;
  int64_t area;
  uint8_t value;
};

// In the order in which they are painted.
absl::StatusOr<std::vector<Layer>> MakeLayers(const CocoAnnotations& annotations, size_t image,
                                              CocoSize size) {
  std::vector<Layer> layers;
  for (const CocoAnnotation& annotation : annotations.annotations(image)) {
    const CocoSegmentation segmentation = annotations.Segmentation(annotation);
    if (segmentation.empty()) continue;
    absl::StatusOr<CocoMask> pixels = segmentation.Mask(size.height, size.width);
    if (!pixels.ok()) {
      return absl::Status(pixels.status().code(), absl::StrCat("annotation ", annotation.id, ": ",
                                                               pixels.status().message()));
    }
    const int64_t area = pixels->area();
    const int value = annotation.is_crowd ? kCocoIgnore : annotation.category + 1;
    layers.push_back({*std::move(pixels), area, static_cast<uint8_t>(value)});
  }
  std::stable_sort(layers.begin(), layers.end(), [](const Layer& a, const Layer& b) {
    const bool a_ignored = a.value == kCocoIgnore, b_ignored = b.value == kCocoIgnore;
    return a_ignored != b_ignored ? b_ignored : a.area > b.area;
  });
  return layers;
}

}  // namespace

absl::StatusOr<CocoSize> FindCocoSize(const CocoImage& image, CocoSize picture) {
  const bool in_file = image.height > 0 && image.width > 0;
  const bool in_picture = picture.height > 0 && picture.width > 0;
  if (!in_file && !in_picture) {
    return absl::InvalidArgumentError(absl::StrCat("the size of image ", image.id,
                                                   " is not known: it is neither in the ",
                                                   "annotations nor was its picture read"));
  }
  if (!in_file) return picture;
  if (in_picture && (picture.height != image.height || picture.width != image.width)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "image ", image.id, " is ", image.width, "x", image.height,
        " pixels in the annotations, its picture is ", picture.width, "x", picture.height));
  }
  return CocoSize{image.height, image.width};
}

absl::Status MakeCocoMask(const CocoAnnotations& annotations, size_t image, CocoSize picture,
                          Image* mask) {
  const size_t categories = annotations.categories().size();
  if (categories >= kCocoIgnore) {
    return absl::InvalidArgumentError(
        absl::StrCat(categories, " categories; a mask of 8 bits holds at most ", kCocoIgnore - 1));
  }
  TESSERA_ASSIGN_OR_RETURN(const CocoSize size, FindCocoSize(annotations.images()[image], picture));
  TESSERA_ASSIGN_OR_RETURN(const std::vector<Layer> layers, MakeLayers(annotations, image, size));
  mask->Resize(size.height, size.width, 1);
  std::fill(mask->pixels.begin(), mask->pixels.end(), kCocoBackground);
  for (const Layer& layer : layers) {
    TESSERA_RETURN_IF_ERROR(layer.pixels.Paint(layer.value, absl::MakeSpan(mask->pixels)));
  }
  return absl::OkStatus();
}

absl::StatusOr<CocoBoxes> MakeCocoBoxes(const CocoAnnotations& annotations, size_t image,
                                        CocoSize picture) {
  TESSERA_ASSIGN_OR_RETURN(const CocoSize size, FindCocoSize(annotations.images()[image], picture));
  CocoBoxes boxes;
  for (const CocoAnnotation& annotation : annotations.annotations(image)) {
    if (!annotation.has_box) continue;
    const auto [left, top, width, height] = annotation.box;
    for (const double part : {left / size.width, top / size.height, (left + width) / size.width,
                              (top + height) / size.height}) {
      boxes.sizes.push_back(static_cast<float>(part));
    }
    boxes.labels.push_back(annotation.category + 1);
  }
  return boxes;
}

}  // namespace tessera
