#include "models/losses/segmentation_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/csrc/autograd/custom_function.h>

#include "models/losses/fused_loss.h"
#include "models/losses/loss_share.h"
#include "models/losses/reference_loss.h"

namespace tessera {
namespace {

// A scalar whose gradient is known already.
class WithGradient : public torch::autograd::Function<WithGradient> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& logits,
                            double value, const at::Tensor& gradient) {
    context->save_for_backward({gradient});
    return at::scalar_tensor(value, logits.options());
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list outer) {
    return {context->get_saved_variables()[0] * outer[0], at::Tensor(), at::Tensor()};
  }
};

void CheckShapes(const at::Tensor& logits, const at::Tensor& labels) {
  TORCH_CHECK(logits.dim() == 4 && labels.dim() == 3 && logits.size(0) == labels.size(0),
              "logits must be [N, C, h, w] and labels [N, H, W], found ", logits.sizes(), " and ",
              labels.sizes());
  TORCH_CHECK(labels.scalar_type() == at::kByte, "labels must be uint8, found ",
              labels.scalar_type());
}

// Double is what gradients are checked in: it keeps its precision in the reference.
bool UseFused(const at::Tensor& logits) {
  return logits.is_cpu() && logits.scalar_type() != at::kDouble;
}

bool NeedsGradient(const at::Tensor& logits) {
  return at::GradMode::is_enabled() && logits.requires_grad();
}

}  // namespace

at::Tensor SegmentationLoss(const at::Tensor& logits, const at::Tensor& labels,
                            const SegmentationLossOptions& options) {
  const LossTotals totals = ComputeLossTotals(logits, labels, options);
  if (NeedsGradient(logits)) return SegmentationLossPart(logits, labels, totals, options);
  return at::scalar_tensor(LossValue(totals, options), logits.options());
}

LossTotals ComputeLossTotals(const at::Tensor& logits, const at::Tensor& labels,
                             const SegmentationLossOptions& options) {
  CheckShapes(logits, labels);
  return UseFused(logits) ? FusedLossTotals(logits, labels, options)
                          : ReferenceLossTotals(logits, labels, options);
}

void Add(const LossTotals& part, LossTotals* total) {
  if (!total->target.defined()) {
    *total = part;
    return;
  }
  total->valid_pixels += part.valid_pixels;
  total->cross_entropy += part.cross_entropy;
  total->intersection = total->intersection + part.intersection;
  total->target = total->target + part.target;
  total->prediction = total->prediction + part.prediction;
}

at::Tensor SegmentationLossPart(const at::Tensor& logits, const at::Tensor& labels,
                                const LossTotals& totals, const SegmentationLossOptions& options) {
  CheckShapes(logits, labels);
  if (!UseFused(logits)) return ReferenceLossPart(logits, labels, totals, options);
  const LossShare share = MakeLossShare(totals, options);
  const at::Tensor input = logits.to(at::kFloat);
  if (!NeedsGradient(input)) {
    const LossTotals part = FusedLossTotals(input, labels, options);
    return at::scalar_tensor(ShareValue(share, part), input.options());
  }
  const FusedGradient result = FusedLossGradient(input, labels, share, options);
  return WithGradient::apply(input, ShareValue(share, result.part), result.gradient);
}

double LossValue(const LossTotals& totals, const SegmentationLossOptions& options) {
  return totals.target.defined() ? ShareValue(MakeLossShare(totals, options), totals) : 0.0;
}

}  // namespace tessera
