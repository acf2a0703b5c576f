#ifndef TESSERA_DATA_TRANSFORMS_TRAIN_TRANSFORM_H_
#define TESSERA_DATA_TRANSFORMS_TRAIN_TRANSFORM_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/image/image.h"
#include "data/random/philox.h"
#include "data/transforms/label_map.h"
#include "data/transforms/normalize.h"
#include "data/transforms/scratch.h"
#include "data/transforms/transforms.pb.h"

namespace tessera {

// The training transform of segmentation: random scale, random crop, flip, photometric distortion,
// padding and normalisation. The geometry is drawn first, looking at the mask alone; then the
// pixels of the crop, and no others, are resampled straight into the batch.
//
// One object serves any number of threads, each with a scratch of its own. The result depends on
// the sample and the numbers of `random` alone.
class TrainTransform {
 public:
  // An error names the field that is out of its range.
  static absl::StatusOr<TrainTransform> Create(const TrainTransforms& config,
                                               const Normalization& normalization,
                                               const LabelMap& label_map);

  // Size of every result.
  int height() const { return config_.crop_height(); }
  int width() const { return config_.crop_width(); }

  // `image` has 3 channels, `mask` has 1 and the same size. Writes `out_image`, normalised
  // [height, width, 3], and `out_labels`, [height, width]. What lies outside the resized image, to
  // the right and below, is 0 (the channel mean) and the label map's ignore_index. A label that is
  // out of range is an error wherever in the mask it is, inside the crop or not.
  absl::Status Apply(const Image& image, const Image& mask, Philox& random,
                     TransformScratch* scratch, float* out_image, uint8_t* out_labels) const;

 private:
  TrainTransform(const TrainTransforms& config, const Normalizer& normalizer,
                 const LabelMap& label_map)
      : config_(config), normalizer_(normalizer), label_map_(label_map) {}

  TrainTransforms config_;
  Normalizer normalizer_;
  LabelMap label_map_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_TRAIN_TRANSFORM_H_
