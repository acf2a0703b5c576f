#ifndef TESSERA_TRAIN_EVALUATE_H_
#define TESSERA_TRAIN_EVALUATE_H_

#include <functional>

#include "absl/status/status.h"
#include "data/loader/data_loader.h"
#include "train/state.h"
#include "train/train_step.h"

namespace tessera {

// Runs `model` over all of `loader`, each sample once, in evaluation mode, and fills `evaluation`;
// the model is in the mode it was in afterwards. `on_batch` is called with each batch and its
// predictions in place. Neither weights nor statistics nor random numbers change.
absl::Status Evaluate(SegmentationModel& model, DataLoader& loader, const ComputeOptions& options,
                      const std::function<absl::Status()>& on_batch, Evaluation* evaluation);

}  // namespace tessera

#endif  // TESSERA_TRAIN_EVALUATE_H_
