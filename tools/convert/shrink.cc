#include "tools/convert/shrink.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/transforms/geometry.h"
#include "data/transforms/resample.h"

namespace tessera {
namespace {

bool IsLonger(const Image& image, int short_side) {
  return std::min(image.height, image.width) > short_side;
}

}  // namespace

bool ShrinkImage(int short_side, Image* image) {
  if (!IsLonger(*image, short_side)) return false;
  const ImageSize size = ScaleShortSide({image->height, image->width}, short_side);
  AxisPlan rows, columns;
  PlanBilinear(image->height, size.height, 0, size.height, /*antialias=*/true, /*reverse=*/false,
               &rows);
  PlanBilinear(image->width, size.width, 0, size.width, /*antialias=*/true, /*reverse=*/false,
               &columns);
  Image result;
  result.Resize(size.height, size.width, 3);
  std::vector<float> row(3 * static_cast<size_t>(size.width));
  uint8_t* out = result.pixels.data();
  ResampleScratch scratch;
  Resample(*image, rows, columns, &scratch, row.data(), /*out_stride=*/0, [&](float* values) {
    for (size_t i = 0; i < row.size(); ++i) {
      *out++ = static_cast<uint8_t>(std::clamp(std::lround(values[i]), 0L, 255L));
    }
  });
  *image = std::move(result);
  return true;
}

bool ShrinkMask(int short_side, Image* mask) {
  if (!IsLonger(*mask, short_side)) return false;
  const ImageSize size = ScaleShortSide({mask->height, mask->width}, short_side);
  std::vector<int32_t> rows, columns;
  PlanNearest(mask->height, size.height, 0, size.height, /*reverse=*/false, &rows);
  PlanNearest(mask->width, size.width, 0, size.width, /*reverse=*/false, &columns);
  std::array<uint8_t, 256> same{};
  for (int value = 0; value < 256; ++value) same[value] = static_cast<uint8_t>(value);
  Image result;
  result.Resize(size.height, size.width, 1);
  ResampleLabels(*mask, rows, columns, same, result.pixels.data(), size.width);
  *mask = std::move(result);
  return true;
}

}  // namespace tessera
