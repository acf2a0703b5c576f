#include "data/transforms/classification_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/transforms/check_sample.h"
#include "data/transforms/geometry.h"
#include "data/transforms/resample.h"

namespace tessera {
namespace {

constexpr int kMaxCrops = 10;

template <typename... Parts>
absl::Status Error(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("classification_transforms.", parts...));
}

absl::Status CheckRandomResizedCrop(const ClassificationTransforms::RandomResizedCrop& crop) {
  if (!(crop.min_area() > 0 && crop.min_area() <= crop.max_area() && crop.max_area() <= 1)) {
    return Error("random_resized_crop has areas from ", crop.min_area(), " to ", crop.max_area(),
                 ": give a range within 0 to 1");
  }
  if (!(crop.min_aspect() > 0 && crop.min_aspect() <= crop.max_aspect() &&
        std::isfinite(crop.max_aspect()))) {
    return Error("random_resized_crop has aspects from ", crop.min_aspect(), " to ",
                 crop.max_aspect(), ": give a range above 0");
  }
  return absl::OkStatus();
}

absl::Status CheckConfig(const ClassificationTransforms& config) {
  for (const auto& [name, value] : {std::pair("train_height", config.train_height()),
                                    {"train_width", config.train_width()},
                                    {"eval_height", config.eval_height()},
                                    {"eval_width", config.eval_width()}}) {
    if (value < 1) return Error(name, " is ", value, " < 1");
  }
  if (config.eval_resize() < 0) return Error("eval_resize is ", config.eval_resize(), " < 0");
  if (!(config.horizontal_flip() >= 0 && config.horizontal_flip() <= 1)) {
    return Error("horizontal_flip is ", config.horizontal_flip(), ": a probability is 0 to 1");
  }
  if (config.has_padded_crop()) {
    const int padding = config.padded_crop().padding();
    return padding >= 0 ? absl::OkStatus() : Error("padded_crop.padding is ", padding, " < 0");
  }
  return CheckRandomResizedCrop(config.random_resized_crop());
}

// A rectangle of the image is resized, and the result shows a window of that, which may reach
// beyond it.
struct Window {
  ImageSize source;  // of the rectangle
  int source_top = 0;
  int source_left = 0;
  ImageSize resized;
  int top = 0;  // of the window, in the resized rectangle
  int left = 0;
  bool flip = false;
};

// As torchvision's RandomResizedCrop.get_params: ten tries, then the largest centre crop whose
// aspect is allowed.
Window DrawResizedCrop(const ClassificationTransforms::RandomResizedCrop& crop, const Image& image,
                       ImageSize size, Philox& random) {
  const double area = static_cast<double>(image.height) * image.width;
  Window window = {.source = {image.height, image.width}, .resized = size};
  for (int i = 0; i < kMaxCrops; ++i) {
    const double target = area * random.Uniform(crop.min_area(), crop.max_area());
    const double aspect =
        std::exp(random.Uniform(std::log(crop.min_aspect()), std::log(crop.max_aspect())));
    const auto width = static_cast<int64_t>(std::nearbyint(std::sqrt(target * aspect)));
    const auto height = static_cast<int64_t>(std::nearbyint(std::sqrt(target / aspect)));
    if (height < 1 || height > image.height || width < 1 || width > image.width) continue;
    window.source = {static_cast<int>(height), static_cast<int>(width)};
    window.source_top = static_cast<int>(random.Below(image.height - window.source.height + 1));
    window.source_left = static_cast<int>(random.Below(image.width - window.source.width + 1));
    return window;
  }
  const double aspect = static_cast<double>(image.width) / image.height;
  if (aspect < crop.min_aspect()) {
    window.source.height = std::clamp(
        static_cast<int>(std::nearbyint(image.width / crop.min_aspect())), 1, image.height);
  } else if (aspect > crop.max_aspect()) {
    window.source.width = std::clamp(
        static_cast<int>(std::nearbyint(image.height * crop.max_aspect())), 1, image.width);
  }
  window.source_top = (image.height - window.source.height) / 2;
  window.source_left = (image.width - window.source.width) / 2;
  return window;
}

// Where a crop of `size` begins in the image with its padding. Along an axis on which it does not
// fit, it lies around the middle.
absl::StatusOr<Window> DrawPaddedCrop(int padding, const Image& image, ImageSize size,
                                      Philox& random) {
  if (padding > std::numeric_limits<int>::max() / 4) {
    return Error("padded_crop.padding is ", padding, ": too large");
  }
  const ImageSize own = {image.height, image.width};
  const auto draw = [&](int from, int to) {
    const int room = from + 2 * padding - to;
    return room < 0 ? -((to - from) / 2) : static_cast<int>(random.Below(room + 1)) - padding;
  };
  Window window = {.source = own, .resized = own};
  window.top = draw(own.height, size.height);
  window.left = draw(own.width, size.width);
  return window;
}

// torchvision's CenterCrop rounds a half to the even number, as Python does, and puts the odd pixel
// of a padding below and to the right.
int CenterOffset(int from, int to) {
  if (to > from) return -((to - from) / 2);
  return static_cast<int>(std::nearbyint((from - to) / 2.0));
}

Window CenterCrop(int resize, const Image& image, ImageSize size) {
  const ImageSize own = {image.height, image.width};
  Window window = {.source = own, .resized = resize > 0 ? ScaleShortSide(own, resize) : own};
  window.top = CenterOffset(window.resized.height, size.height);
  window.left = CenterOffset(window.resized.width, size.width);
  return window;
}

// The part of an axis of the result on which the resized image lies.
struct Overlap {
  int begin = 0;  // in the result
  int count = 0;
  int first = 0;  // in the resized image
};

Overlap OverlapOf(int offset, int resized, int size) {
  const int begin = std::max(0, -offset);
  const int end = std::min(size, resized - offset);
  return {begin, std::max(0, end - begin), begin + offset};
}

void Plan(const Window& window, const Overlap& rows, const Overlap& columns, bool antialias,
          TransformScratch* scratch) {
  PlanBilinear(window.source.height, window.resized.height, rows.first, rows.count, antialias,
               /*reverse=*/false, &scratch->rows);
  PlanBilinear(window.source.width, window.resized.width, columns.first, columns.count, antialias,
               window.flip, &scratch->columns);
  for (int32_t& first : scratch->rows.first) first += window.source_top;
  for (int32_t& first : scratch->columns.first) first += window.source_left;
}

void FillPixels(const std::array<float, 3>& pixel, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out = std::copy(pixel.begin(), pixel.end(), out);
}

// Fills what lies around the overlap.
void FillAround(ImageSize size, const Overlap& rows, const Overlap& columns,
                const std::array<float, 3>& pixel, float* out) {
  if (rows.count == size.height && columns.count == size.width) return;
  const int64_t stride = 3 * static_cast<int64_t>(size.width);
  for (int y = 0; y < size.height; ++y) {
    float* const row = out + y * stride;
    if (y < rows.begin || y >= rows.begin + rows.count) {
      FillPixels(pixel, size.width, row);
      continue;
    }
    FillPixels(pixel, columns.begin, row);
    const int end = columns.begin + columns.count;
    FillPixels(pixel, size.width - end, row + 3 * end);
  }
}

}  // namespace

absl::StatusOr<ClassificationTransform> ClassificationTransform::Create(
    const ClassificationTransforms& config, const Normalization& normalization, bool train) {
  TESSERA_RETURN_IF_ERROR(CheckConfig(config));
  TESSERA_ASSIGN_OR_RETURN(const Normalizer normalizer, Normalizer::Create(normalization));
  return ClassificationTransform(config, normalizer, train);
}

absl::Status ClassificationTransform::Apply(const Image& image, Philox& random,
                                            TransformScratch* scratch, float* out) const {
  TESSERA_RETURN_IF_ERROR(CheckImage(image));
  const ImageSize size = {height(), width()};
  Window window;
  if (!train_) {
    window = CenterCrop(config_.eval_resize(), image, size);
  } else if (config_.has_padded_crop()) {
    TESSERA_ASSIGN_OR_RETURN(window,
                             DrawPaddedCrop(config_.padded_crop().padding(), image, size, random));
  } else {
    window = DrawResizedCrop(config_.random_resized_crop(), image, size, random);
  }
  Overlap rows = OverlapOf(window.top, window.resized.height, size.height);
  Overlap columns = OverlapOf(window.left, window.resized.width, size.width);
  if (rows.count == 0 || columns.count == 0) rows.count = columns.count = 0;
  window.flip = train_ && random.Uniform() < config_.horizontal_flip();
  if (rows.count > 0) {
    Plan(window, rows, columns, config_.antialias(), scratch);
    // A mirror image has its padding on the other side.
    if (window.flip) columns.begin = size.width - columns.begin - columns.count;
    const int64_t stride = 3 * static_cast<int64_t>(size.width);
    Resample(image, scratch->rows, scratch->columns, &scratch->resample,
             out + rows.begin * stride + 3 * columns.begin, stride,
             [&](float* row) { normalizer_.Apply(row, columns.count); });
  }
  std::array<float, 3> black{};
  normalizer_.Apply(black.data(), 1);
  FillAround(size, rows, columns, black, out);
  return absl::OkStatus();
}

}  // namespace tessera
