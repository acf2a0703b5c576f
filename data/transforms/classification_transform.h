#ifndef TESSERA_DATA_TRANSFORMS_CLASSIFICATION_TRANSFORM_H_
#define TESSERA_DATA_TRANSFORMS_CLASSIFICATION_TRANSFORM_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/image/image.h"
#include "data/random/philox.h"
#include "data/transforms/normalize.h"
#include "data/transforms/scratch.h"
#include "data/transforms/transforms.pb.h"

namespace tessera {

// The transforms of classification, training's and evaluation's: crop, resize, flip and
// normalisation in one pass over the pixels of the result. The numbers are torchvision's
// (RandomResizedCrop, RandomCrop with padding, Resize and CenterCrop on a PIL image).
//
// One object serves any number of threads, each with a scratch of its own. The result depends on
// the image and the numbers of `random` alone.
class ClassificationTransform {
 public:
  // An error names the field that is out of its range.
  static absl::StatusOr<ClassificationTransform> Create(const ClassificationTransforms& config,
                                                        const Normalization& normalization,
                                                        bool train);

  // Size of every result.
  int height() const { return train_ ? config_.train_height() : config_.eval_height(); }
  int width() const { return train_ ? config_.train_width() : config_.eval_width(); }

  // `image` has 3 channels. Writes `out`, normalised [height, width, 3]. Evaluation takes no number
  // of `random`.
  absl::Status Apply(const Image& image, Philox& random, TransformScratch* scratch,
                     float* out) const;

 private:
  ClassificationTransform(const ClassificationTransforms& config, const Normalizer& normalizer,
                          bool train)
      : config_(config), normalizer_(normalizer), train_(train) {}

  ClassificationTransforms config_;
  Normalizer normalizer_;
  bool train_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_CLASSIFICATION_TRANSFORM_H_
