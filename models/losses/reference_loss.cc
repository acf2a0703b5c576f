#include "models/losses/reference_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "models/losses/loss_share.h"

namespace tessera {
namespace {

// The sums of LossTotals with their gradients, in the logits' type.
struct Sums {
  at::Tensor valid_pixels, cross_entropy, intersection, target, prediction;
};

Sums ComputeSums(const at::Tensor& logits, const at::Tensor& labels,
                 const SegmentationLossOptions& options) {
  const int64_t classes = logits.size(1);
  const at::Tensor resized =
      at::upsample_bilinear2d(logits, {labels.size(1), labels.size(2)}, options.align_corners);
  const at::Tensor log_p = at::log_softmax(resized, 1);
  const at::Tensor p = log_p.exp();

  const at::Tensor indices = labels.to(at::kLong);
  const at::Tensor valid = indices.ne(options.ignore_index);
  // Ignored labels may lie outside the classes: they select class 0 and are masked.
  const at::Tensor one_hot = at::one_hot(indices * valid, classes).permute({0, 3, 1, 2});
  const at::Tensor mask = valid.unsqueeze(1);
  const at::Tensor target = one_hot.logical_and(mask);

  // Selected, not multiplied: 0 x inf would be nan.
  const at::Tensor zero = at::zeros({}, logits.options());
  return {.valid_pixels = valid.sum(),
          .cross_entropy = -at::where(target, log_p, zero).sum(),
          .intersection = at::where(target, p, zero).sum({0, 2, 3}),
          .target = target.to(logits.scalar_type()).sum({0, 2, 3}),
          .prediction = at::where(mask, p, zero).sum({0, 2, 3})};
}

at::Tensor ToTensor(const std::vector<double>& values, const at::Tensor& like) {
  return at::tensor(values, at::kDouble).to(like.options());
}

}  // namespace

LossTotals ReferenceLossTotals(const at::Tensor& logits, const at::Tensor& labels,
                               const SegmentationLossOptions& options) {
  const Sums sums = ComputeSums(logits.detach(), labels, options);
  return {.valid_pixels = sums.valid_pixels.item<int64_t>(),
          .cross_entropy = sums.cross_entropy.item<double>(),
          .intersection = sums.intersection.to(at::kDouble),
          .target = sums.target.to(at::kDouble),
          .prediction = sums.prediction.to(at::kDouble)};
}

at::Tensor ReferenceLossPart(const at::Tensor& logits, const at::Tensor& labels,
                             const LossTotals& totals, const SegmentationLossOptions& options) {
  const Sums sums = ComputeSums(logits, labels, options);
  const LossShare share = MakeLossShare(totals, options);
  const at::Tensor slope = ToTensor(share.prediction_slope, logits);
  return share.cross_entropy * sums.cross_entropy +
         (ToTensor(share.target, logits) * sums.target).sum() +
         (ToTensor(share.intersection, logits) * sums.intersection).sum() +
         (slope * (sums.prediction - sums.prediction.detach())).sum();
}

}  // namespace tessera
