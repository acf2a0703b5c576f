#ifndef TESSERA_MODELS_LOSSES_FUSED_LOSS_H_
#define TESSERA_MODELS_LOSSES_FUSED_LOSS_H_

#include <ATen/core/Tensor.h>

#include "models/losses/loss_share.h"
#include "models/losses/segmentation_loss.h"

// Resize, softmax, cross entropy and Dice in one walk over the pixels, on the CPU. Each pixel's
// logits are interpolated from the coarse grid when they are needed, once for the sums and once for
// the gradient; the [N, C, H, W] logits, 300 MB for two ADE20K crops, never exist.
//
// The results do not depend on the number of threads.
namespace tessera {

// logits: [N, C, h, w] of any float type, computed in float32. labels: [N, H, W] uint8.
LossTotals FusedLossTotals(const at::Tensor& logits, const at::Tensor& labels,
                           const SegmentationLossOptions& options);

struct FusedGradient {
  at::Tensor gradient;  // [N, C, h, w] float32: of the share, with respect to the logits
  LossTotals part;      // this part's sums, without `prediction`, which the value does not need
};
FusedGradient FusedLossGradient(const at::Tensor& logits, const at::Tensor& labels,
                                const LossShare& share, const SegmentationLossOptions& options);

}  // namespace tessera

#endif  // TESSERA_MODELS_LOSSES_FUSED_LOSS_H_
