#ifndef TESSERA_DATA_TRANSFORMS_RESAMPLE_H_
#define TESSERA_DATA_TRANSFORMS_RESAMPLE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "data/image/image.h"

namespace tessera {

// Bilinear resampling of a window of a resized image, without making the rest of that image. Pixel
// centres lie at half integers (align_corners=False). A plan holds the weights of one axis, so that
// resize, crop and flip are one pass over the pixels of the result.

// Output i of an axis is the sum of weights[i * taps + k] * source[first[i] + k], k < taps.
struct AxisPlan {
  int taps = 0;
  std::vector<int32_t> first;
  std::vector<float> weights;

  int size() const { return static_cast<int>(first.size()); }
};

// Outputs `begin` to `begin + count` - 1 of an axis resized from `source` to `target` pixels, in
// reverse order if `reverse`. `antialias` widens the triangle by the factor of the reduction, with
// the weights of Pillow and torchvision; without it two pixels count whatever the reduction.
void PlanBilinear(int source, int target, int begin, int count, bool antialias, bool reverse,
                  AxisPlan* plan);

// Buffers of Resample, kept from call to call.
struct ResampleScratch {
  std::vector<float> source_row;
  std::vector<float> rows;  // the last `taps` rows, resampled along x
};

// Resamples an image of 3 channels, values 0 to 255, to `rows.size()` rows of `columns.size()`
// pixels: [.., 3] interleaved floats. Row y goes to `out + y * out_stride`; `finish` is called with
// each row while it is in the nearest cache. Each source row is resampled along x once.
void Resample(const Image& image, const AxisPlan& rows, const AxisPlan& columns,
              ResampleScratch* scratch, float* out, int64_t out_stride,
              absl::FunctionRef<void(float* row)> finish);

// The source pixel of outputs `begin` to `begin + count` - 1 of an axis resized from `source` to
// `target` pixels, in reverse order if `reverse`: floor((i + 1/2) * source / target), in integers.
// Unlike floor(i * source / target) it keeps a mask on the pixels of its bilinear image.
void PlanNearest(int source, int target, int begin, int count, bool reverse,
                 std::vector<int32_t>* plan);

// Takes the pixels that the two plans name from `mask`, of 1 channel, and writes what `table` makes
// of them to `out`, rows of `out_stride`.
void ResampleLabels(const Image& mask, const std::vector<int32_t>& rows,
                    const std::vector<int32_t>& columns, const std::array<uint8_t, 256>& table,
                    uint8_t* out, int64_t out_stride);

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_RESAMPLE_H_
