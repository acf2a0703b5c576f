#ifndef TESSERA_TRAIN_BUILD_TRAINER_H_
#define TESSERA_TRAIN_BUILD_TRAINER_H_

#include <functional>
#include <iosfwd>
#include <memory>

#include "absl/status/statusor.h"
#include "configs/experiment.pb.h"
#include "train/trainer.h"

namespace tessera {

// Where progress is shown.
struct Display {
  std::ostream* out = nullptr;  // outlives the trainer
  int terminal_columns = 0;     // 0: `out` is no terminal
};

// Builds all pieces of the training that `experiment` describes, checks that they fit together,
// loads the checkpoint to go on from, and prepares the run's folder, which nothing touches before
// all else is well. `stop_signal` as in TrainerOptions.
absl::StatusOr<std::unique_ptr<Trainer>> BuildTrainer(const Experiment& experiment,
                                                      const Display& display,
                                                      std::function<int()> stop_signal);

}  // namespace tessera

#endif  // TESSERA_TRAIN_BUILD_TRAINER_H_
