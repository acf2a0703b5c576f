#ifndef TESSERA_DATA_TRANSFORMS_EVAL_TRANSFORM_H_
#define TESSERA_DATA_TRANSFORMS_EVAL_TRANSFORM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/image/image.h"
#include "data/transforms/geometry.h"
#include "data/transforms/label_map.h"
#include "data/transforms/normalize.h"
#include "data/transforms/scratch.h"
#include "data/transforms/transforms.pb.h"

namespace tessera {

// The evaluation transform of segmentation: one resize and the normalisation, nothing random.
// One object serves any number of threads, each with a scratch of its own.
class EvalTransform {
 public:
  // An error names the field that is out of its range.
  static absl::StatusOr<EvalTransform> Create(const EvalTransforms& config,
                                              const Normalization& normalization,
                                              const LabelMap& label_map);

  // Size of the result for an image of size `size`: the configured one, or `size` itself.
  ImageSize OutputSize(ImageSize size) const;

  // `image` has 3 channels, `mask` has 1 and the same size. Writes `out_image`, normalised
  // [height, width, 3], and `out_labels`, [height, width], of OutputSize.
  absl::Status Apply(const Image& image, const Image& mask, TransformScratch* scratch,
                     float* out_image, uint8_t* out_labels) const;

  // The image alone, for sets without masks.
  absl::Status ApplyImage(const Image& image, TransformScratch* scratch, float* out_image) const;

 private:
  EvalTransform(const EvalTransforms& config, const Normalizer& normalizer,
                const LabelMap& label_map)
      : config_(config), normalizer_(normalizer), label_map_(label_map) {}

  EvalTransforms config_;
  Normalizer normalizer_;
  LabelMap label_map_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_EVAL_TRANSFORM_H_
