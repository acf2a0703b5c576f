#ifndef TESSERA_TRAIN_CHECK_BATCHES_H_
#define TESSERA_TRAIN_CHECK_BATCHES_H_

#include <cstdint>

#include "absl/status/status.h"

namespace tessera {

// How the samples of a training epoch fall into batches, and those into parts.
struct BatchPlan {
  int64_t num_samples = 0;
  int64_t batch_size = 0;
  bool drop_last = false;
  int64_t microbatch_size = 0;  // 0: a batch is one part
  int64_t min_train_batch = 1;  // the fewest samples that the model takes at once
};

// Refuses, with the arithmetic, a plan in which some batch or part is too small for the model's
// batch norms: it would end the run at the end of its first epoch.
absl::Status CheckBatches(const BatchPlan& plan);

}  // namespace tessera

#endif  // TESSERA_TRAIN_CHECK_BATCHES_H_
