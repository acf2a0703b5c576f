#include "train/evaluate.h"

#include <ATen/core/grad_mode.h>

#include <exception>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "models/losses/segmentation_loss.h"
#include "models/predict.h"
#include "models/segmentation_model.h"
#include "train/batch_tensors.h"
#include "train/precision.h"
#include "train/torch_status.h"

namespace tessera {
namespace {

class EvaluationMode {
 public:
  explicit EvaluationMode(SegmentationModel& model)
      : model_(model), was_training_(model.is_training()) {
    model_.eval();
  }
  ~EvaluationMode() { model_.train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  SegmentationModel& model_;
  const bool was_training_;
};

// Predicted classes of a batch [size, height, width]; adds its sums to `totals`.
at::Tensor Predict(SegmentationModel& model, const Batch& batch, bool bf16,
                   const SegmentationLossOptions& loss_options, LossTotals* totals) {
  at::Tensor logits;
  {
    const AutocastBf16 autocast(bf16);
    logits = model.forward(ImagesTensor(batch));
  }
  Add(ComputeLossTotals(logits, LabelsTensor(batch), loss_options), totals);
  return PredictLabels(logits, batch.height, batch.width, model.align_corners()).contiguous();
}

absl::Status AddBatch(SegmentationModel& model, const ComputeOptions& options,
                      const SegmentationLossOptions& loss_options,
                      const std::function<absl::Status()>& on_batch, Evaluation* evaluation,
                      LossTotals* totals) {
  const Batch& batch = evaluation->batch;
  at::Tensor predictions;
  try {
    predictions = Predict(model, batch, options.bf16, loss_options, totals);
  } catch (const std::exception& error) {
    return TorchError("the evaluation step failed", error);
  }
  const size_t pixels = static_cast<size_t>(predictions.numel());
  evaluation->predictions = {predictions.const_data_ptr<uint8_t>(), pixels};
  evaluation->matrix.Add({batch.labels.get(), pixels}, evaluation->predictions);
  evaluation->samples += batch.size;
  TESSERA_RETURN_IF_ERROR(on_batch());
  evaluation->predictions = {};
  return absl::OkStatus();
}

}  // namespace

absl::Status Evaluate(SegmentationModel& model, DataLoader& loader, const ComputeOptions& options,
                      const std::function<absl::Status()>& on_batch, Evaluation* evaluation) {
  const EvaluationMode evaluation_mode(model);
  const at::NoGradGuard no_grad;
  const SegmentationLossOptions loss_options = {
      .cross_entropy_weight = options.cross_entropy_weight,
      .dice_weight = options.dice_weight,
      .ignore_index = options.ignore_index,
      .align_corners = model.align_corners()};
  LossTotals totals;
  TESSERA_RETURN_IF_ERROR(loader.StartEpoch(0, 0));
  while (true) {
    TESSERA_ASSIGN_OR_RETURN(std::optional<Batch> batch, loader.Next());
    if (!batch.has_value()) break;
    evaluation->batch = *std::move(batch);
    TESSERA_RETURN_IF_ERROR(AddBatch(model, options, loss_options, on_batch, evaluation, &totals));
  }
  evaluation->batch = {};
  if (totals.valid_pixels > 0) {
    evaluation->loss = LossValue(totals, loss_options);
    evaluation->cross_entropy = totals.cross_entropy / static_cast<double>(totals.valid_pixels);
  }
  return absl::OkStatus();
}

}  // namespace tessera
