#ifndef TESSERA_MODELS_LOSSES_SEGMENTATION_LOSS_H_
#define TESSERA_MODELS_LOSSES_SEGMENTATION_LOSS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "models/losses/losses.pb.h"

namespace tessera {

// Sums over one batch that the loss of each of its parts is normalised by, so that the gradients of
// the parts add up to that of the whole.
struct LossTotals {
  int64_t valid_pixels = 0;  // pixels whose label is not ignored
  double cross_entropy = 0;  // sum of -log p of the label over valid pixels
  at::Tensor intersection;   // [C] float64: sum of p x t, per class
  at::Tensor target;         // [C] float64: sum of t
  at::Tensor prediction;     // [C] float64: sum of p over valid pixels
};

struct SegmentationLossOptions {
  double cross_entropy_weight = 0.375;
  double dice_weight = 1.125;
  // Label that does not count; one outside 0 to 255 ignores nothing.
  int ignore_index = 255;
  bool align_corners = false;
};

// Loss of one batch, a scalar with gradient: weighted sum of the mean cross entropy over the valid
// pixels and of the Dice loss (softmax, over the whole batch, classes without a target left out).
// logits: [N, C, h, w] on any grid; labels: [N, H, W] uint8. The logits are resized to the labels.
// Without a valid pixel the loss and all gradients are 0.
//
// On the CPU the resized logits are never stored. A label that is neither a class nor ignored, or
// shapes that do not fit, throw c10::Error, as torch's own functions do.
at::Tensor SegmentationLoss(const at::Tensor& logits, const at::Tensor& labels,
                            const SegmentationLossOptions& options);

// The sums of one part of a batch; those of several parts are added with Add. No gradient.
LossTotals ComputeLossTotals(const at::Tensor& logits, const at::Tensor& labels,
                             const SegmentationLossOptions& options);
// A total without tensors counts as 0.
void Add(const LossTotals& part, LossTotals* total);

// The share of one part in the loss of a batch with these totals: the values of all parts sum to
// the batch's loss, and their gradients to its gradient.
at::Tensor SegmentationLossPart(const at::Tensor& logits, const at::Tensor& labels,
                                const LossTotals& totals, const SegmentationLossOptions& options);

// The loss of a batch, or of a whole evaluation, with these totals.
double LossValue(const LossTotals& totals, const SegmentationLossOptions& options);

}  // namespace tessera

#endif  // TESSERA_MODELS_LOSSES_SEGMENTATION_LOSS_H_
