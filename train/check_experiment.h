#ifndef TESSERA_TRAIN_CHECK_EXPERIMENT_H_
#define TESSERA_TRAIN_CHECK_EXPERIMENT_H_

#include "absl/status/status.h"
#include "configs/experiment.pb.h"

namespace tessera {

// Refuses fields that are each in their range but make no training together: loss weights that
// leave nothing to learn, class names that do not match the classes.
absl::Status CheckExperiment(const Experiment& experiment);

}  // namespace tessera

#endif  // TESSERA_TRAIN_CHECK_EXPERIMENT_H_
