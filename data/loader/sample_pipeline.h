#ifndef TESSERA_DATA_LOADER_SAMPLE_PIPELINE_H_
#define TESSERA_DATA_LOADER_SAMPLE_PIPELINE_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/image/image.h"
#include "data/loader/batch.h"
#include "data/transforms/classification_transform.h"
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
  // The first two for sets of masks, the last for sets of classes.
  using Transform = std::variant<TrainTransform, EvalTransform, ClassificationTransform>;

  // A class of an image that is not below `num_classes` is an error; masks are checked by the
  // transform.
  SamplePipeline(std::shared_ptr<const Dataset> dataset, Transform transform, uint64_t seed,
                 int num_classes)
      : dataset_(std::move(dataset)),
        transform_(std::move(transform)),
        seed_(seed),
        num_classes_(num_classes) {}

  const Dataset& dataset() const { return *dataset_; }

  // Size of the result for sample `id`; reads the image's header where the size depends on it.
  absl::StatusOr<ImageSize> OutputSize(int64_t id) const;

  // Writes sample `id` to place `slot` of `batch`, whose memory is there. The random numbers are
  // those of (seed, epoch, id). Errors name the sample.
  absl::Status Run(int64_t id, int64_t epoch, WorkerScratch* scratch, int64_t slot,
                   Batch* batch) const;

 private:
  absl::Status Decode(const Sample& sample, WorkerScratch* scratch) const;
  absl::Status Transformed(const Sample& sample, int64_t id, int64_t epoch, WorkerScratch* scratch,
                           int64_t slot, Batch* batch) const;

  std::shared_ptr<const Dataset> dataset_;
  Transform transform_;
  uint64_t seed_;
  int num_classes_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_LOADER_SAMPLE_PIPELINE_H_
