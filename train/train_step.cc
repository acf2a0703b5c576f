#include "train/train_step.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "models/losses/segmentation_loss.h"
#include "models/segmentation_model.h"
#include "train/batch_tensors.h"
#include "train/precision.h"
#include "train/torch_status.h"

namespace tessera {
namespace {

// Puts batch norm statistics and the random number generator back to what they were at its making.
class RestoreAfterPass {
 public:
  explicit RestoreAfterPass(const SegmentationModel& model) : buffers_(model.buffers()) {
    for (const at::Tensor& buffer : buffers_) saved_.push_back(buffer.clone());
  }
  ~RestoreAfterPass() {
    const at::NoGradGuard no_grad;
    for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(saved_[i]);
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    generator.set_state(generator_state_);
  }
  RestoreAfterPass(const RestoreAfterPass&) = delete;
  RestoreAfterPass& operator=(const RestoreAfterPass&) = delete;

 private:
  std::vector<at::Tensor> buffers_;
  std::vector<at::Tensor> saved_;
  const at::Tensor generator_state_ = at::detail::getDefaultCPUGenerator().get_state();
};

// One batch in parts.
class Parts {
 public:
  Parts(const Batch& batch, int64_t part_size)
      : images_(ImagesTensor(batch)),
        labels_(LabelsTensor(batch)),
        size_(batch.size),
        part_size_(part_size == 0 ? batch.size : std::min(part_size, batch.size)) {}

  int64_t count() const { return (size_ + part_size_ - 1) / part_size_; }
  at::Tensor images(int64_t part) const { return Narrow(images_, part); }
  at::Tensor labels(int64_t part) const { return Narrow(labels_, part); }

 private:
  at::Tensor Narrow(const at::Tensor& tensor, int64_t part) const {
    const int64_t begin = part * part_size_;
    return tensor.narrow(0, begin, std::min(part_size_, size_ - begin));
  }

  const at::Tensor images_;
  const at::Tensor labels_;
  const int64_t size_;
  const int64_t part_size_;
};

at::Tensor Forward(SegmentationModel& model, const at::Tensor& images, bool bf16) {
  const AutocastBf16 autocast(bf16);
  return model.forward(images);
}

// The sums that each part is normalised by.
LossTotals TotalsOfParts(SegmentationModel& model, const Parts& parts, int64_t valid_pixels,
                         const ComputeOptions& options, const SegmentationLossOptions& loss) {
  LossTotals totals;
  if (options.dice_weight == 0) {
    totals.valid_pixels = valid_pixels;
    totals.intersection = at::zeros({options.num_classes}, at::kDouble);
    totals.target = at::zeros({options.num_classes}, at::kDouble);
    totals.prediction = at::zeros({options.num_classes}, at::kDouble);
    return totals;
  }
  const RestoreAfterPass restore(model);
  const at::NoGradGuard no_grad;
  for (int64_t i = 0; i < parts.count(); ++i) {
    const at::Tensor logits = Forward(model, parts.images(i), options.bf16);
    Add(ComputeLossTotals(logits, parts.labels(i), loss), &totals);
  }
  return totals;
}

double Accumulate(SegmentationModel& model, const Batch& batch, int64_t valid_pixels,
                  const ComputeOptions& options) {
  const SegmentationLossOptions loss_options = {
      .cross_entropy_weight = options.cross_entropy_weight,
      .dice_weight = options.dice_weight,
      .ignore_index = options.ignore_index,
      .align_corners = model.align_corners()};
  const Parts parts(batch, options.microbatch_size);
  if (parts.count() == 1) {
    const at::Tensor logits = Forward(model, parts.images(0), options.bf16);
    const at::Tensor loss = SegmentationLoss(logits, parts.labels(0), loss_options);
    loss.backward();
    return loss.item().toDouble();
  }
  const LossTotals totals = TotalsOfParts(model, parts, valid_pixels, options, loss_options);
  double sum = 0;
  for (int64_t i = 0; i < parts.count(); ++i) {
    const at::Tensor logits = Forward(model, parts.images(i), options.bf16);
    const at::Tensor loss = SegmentationLossPart(logits, parts.labels(i), totals, loss_options);
    loss.backward();
    sum += loss.item().toDouble();
  }
  return sum;
}

}  // namespace

int64_t CountValidPixels(const Batch& batch, int ignore_index) {
  const int64_t pixels = batch.size * batch.height * batch.width;
  const uint8_t* const labels = batch.labels.get();
  if (ignore_index < 0 || ignore_index > 255) return pixels;
  return pixels - std::count(labels, labels + pixels, static_cast<uint8_t>(ignore_index));
}

absl::StatusOr<double> ForwardBackward(SegmentationModel& model, const Batch& batch,
                                       int64_t valid_pixels, const ComputeOptions& options) {
  try {
    return Accumulate(model, batch, valid_pixels, options);
  } catch (const std::exception& error) {
    return TorchError("the training step failed", error);
  }
}

}  // namespace tessera
