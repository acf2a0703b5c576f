#ifndef TESSERA_MODELS_LOSSES_REFERENCE_LOSS_H_
#define TESSERA_MODELS_LOSSES_REFERENCE_LOSS_H_

#include <ATen/core/Tensor.h>

#include "models/losses/segmentation_loss.h"

namespace tessera {

// The loss spelled out in torch's functions, for any device and float type. It stores the resized
// logits and their softmax; the fused loss is tested against it.
LossTotals ReferenceLossTotals(const at::Tensor& logits, const at::Tensor& labels,
                               const SegmentationLossOptions& options);
at::Tensor ReferenceLossPart(const at::Tensor& logits, const at::Tensor& labels,
                             const LossTotals& totals, const SegmentationLossOptions& options);

}  // namespace tessera

#endif  // TESSERA_MODELS_LOSSES_REFERENCE_LOSS_H_
