#ifndef TESSERA_TRAIN_TRAINER_H_
#define TESSERA_TRAIN_TRAINER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "train/events.h"
#include "train/speed.h"
#include "train/state.h"
#include "train/train_step.h"

namespace tessera {

struct TrainerOptions {
  ComputeOptions compute;

  // In batches; 0: only after the last one.
  int64_t eval_interval = 0;
  int64_t save_interval = 0;
  bool eval_first = false;

  // Writes a checkpoint of the state; none are written where it is null.
  std::function<absl::Status(const State&)> save = nullptr;
  // The signal that asks to stop, or 0.
  std::function<int()> stop_signal = [] { return 0; };
};

// The training loop:
//
//   FIT_START
//   evaluate                          if eval_first and nothing is trained yet
//   until max_duration:
//     EPOCH_START                     not when resumed inside the epoch
//     for each batch of the epoch:
//       load the batch
//       BATCH_START
//       if a pixel of it counts:
//         forward, loss, backward     for each microbatch
//         AFTER_BACKWARD
//         optimizer step              at the schedule's rate for this batch
//       timestamp + 1 batch
//       BATCH_END
//       EPOCH_END                     after the last batch of an epoch
//       evaluate                      if due
//       save a checkpoint             if due, or to stop
//   FIT_END
//
//   evaluate:
//     EVAL_START
//     for each batch of the evaluation split:
//       forward, predict, count
//       EVAL_BATCH_END
//     EVAL_END
//
// A batch in which every pixel is ignored changes nothing: neither weights, momentum and weight
// decay, nor statistics and random numbers. It counts as a batch of loss 0.
//
// A run that goes on from a checkpoint, which holds the timestamp, the weights, the optimizer's
// state and torch's random numbers, computes the same as one that was never stopped. Evaluation
// comes before the checkpoint of the same batch, so none is done twice or left out.
class Trainer {
 public:
  Trainer(State state, TrainerOptions options);

  void Add(std::unique_ptr<Algorithm> algorithm);
  void Add(std::unique_ptr<Callback> callback);

  // Trains to the end. An error of any piece, a loss that is not finite, or a signal to stop
  // (kCancelled, once the checkpoint is written) ends it.
  absl::Status Fit();

  const State& state() const { return state_; }

 private:
  absl::Status TrainEpoch();
  absl::Status TrainBatch();
  absl::Status LoadBatch(double* wait_seconds);
  absl::Status Step();
  absl::Status FinishBatch();
  absl::Status RunEvaluation();
  absl::Status Fire(Event event);

  State state_;
  TrainerOptions options_;
  std::vector<std::unique_ptr<Algorithm>> algorithms_;
  std::vector<std::unique_ptr<Callback>> callbacks_;
  Speed speed_;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_TRAINER_H_
