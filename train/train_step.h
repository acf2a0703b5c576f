#ifndef TESSERA_TRAIN_TRAIN_STEP_H_
#define TESSERA_TRAIN_TRAIN_STEP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "data/loader/batch.h"

namespace tessera {

class SegmentationModel;

// What both passes over a batch, training's and evaluation's, need to know.
struct ComputeOptions {
  double cross_entropy_weight = 0;
  double dice_weight = 0;
  int num_classes = 0;
  int ignore_index = 255;
  bool bf16 = false;            // autocast
  int64_t microbatch_size = 0;  // of training; 0: the whole batch at once
};

// Pixels of the batch whose label counts.
int64_t CountValidPixels(const Batch& batch, int ignore_index);

// Adds the gradients of the batch's loss to the parameters of `model`, which is in training mode,
// and returns the loss. `valid_pixels` is CountValidPixels, more than 0.
//
// With microbatches the result is the loss of the whole batch all the same: each part is normalised
// by the sums over all parts. Cross entropy needs only the number of valid pixels for it. Dice
// needs a first pass without gradients; it leaves the batch norms' statistics and the random
// numbers as they were, so that the second pass sees the same network. (Batch norms normalise by
// the part.)
absl::StatusOr<double> ForwardBackward(SegmentationModel& model, const Batch& batch,
                                       int64_t valid_pixels, const ComputeOptions& options);

}  // namespace tessera

#endif  // TESSERA_TRAIN_TRAIN_STEP_H_
