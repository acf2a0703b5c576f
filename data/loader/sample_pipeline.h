#ifndef TESSERA_DATA_LOADER_SAMPLE_PIPELINE_H_
#define TESSERA_DATA_LOADER_SAMPLE_PIPELINE_H_

#include <cstdint>
#include <memory>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/image/image.h"
#include "data/transforms/eval_transform.h"
#include "data/transforms/geometry.h"
#include "data/transforms/scratch.h"
#include "data/transforms/train_transform.h"

namespace tessera {

// Buffers of one worker thread, kept from sample to sample.
struct WorkerScratch {
  Image image;
  Image mask;
  TransformScratch transform;
};

// From a sample's id to its pixels and labels: read, decode, transform. One object serves any
// number of threads, each with a scratch of its own.
class SamplePipeline {
 public:
  using Transform = std::variant<TrainTransform, EvalTransform>;

  SamplePipeline(std::shared_ptr<const Dataset> dataset, Transform transform, uint64_t seed)
      : dataset_(std::move(dataset)), transform_(std::move(transform)), seed_(seed) {}

  const Dataset& dataset() const { return *dataset_; }

  // Size of the result for sample `id`; reads the image's header where the size depends on it.
  absl::StatusOr<ImageSize> OutputSize(int64_t id) const;

  // Writes sample `id` to `images`, [height, width, 3], and `labels`, [height, width], of the
  // batch's `size`. The random numbers are those of (seed, epoch, id). Errors name the sample.
  absl::Status Run(int64_t id, int64_t epoch, ImageSize size, WorkerScratch* scratch, float* images,
                   uint8_t* labels) const;

 private:
  absl::Status Decode(const Sample& sample, WorkerScratch* scratch) const;

  std::shared_ptr<const Dataset> dataset_;
  Transform transform_;
  uint64_t seed_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_LOADER_SAMPLE_PIPELINE_H_
