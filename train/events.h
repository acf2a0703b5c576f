#ifndef TESSERA_TRAIN_EVENTS_H_
#define TESSERA_TRAIN_EVENTS_H_

#include "absl/status/status.h"
#include "train/state.h"

namespace tessera {

// Points of the training loop at which listeners are called; trainer.h shows where they lie. The
// names are Composer's.
enum class Event {
  kFitStart,
  kEpochStart,
  kBatchStart,     // the batch is loaded
  kAfterBackward,  // the gradients are those of the whole batch; the optimizer has not stepped
  kBatchEnd,       // the optimizer has stepped, the timestamp counts the batch
  kEpochEnd,
  kEvalStart,
  kEvalBatchEnd,
  kEvalEnd,
  kFitEnd,
};

// A listener that may change the training: its batch, gradients, weights. Algorithms run in the
// order they were given, before the callbacks. An error ends the run.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual absl::Status Apply(Event event, State& state) = 0;
};

// A listener that only looks: loggers, pictures, monitors. An error ends the run.
class Callback {
 public:
  virtual ~Callback() = default;
  virtual absl::Status Run(Event event, const State& state) = 0;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_EVENTS_H_
