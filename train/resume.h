#ifndef TESSERA_TRAIN_RESUME_H_
#define TESSERA_TRAIN_RESUME_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "train/state.h"

namespace tessera {

// Saves all that a run needs to go on: weights and buffers, the optimizer's state, the timestamp
// and torch's random numbers. `folder` and `keep` as in SaveCheckpoint.
absl::Status SaveState(const State& state, uint64_t seed, const std::string& folder, int keep);

// Puts `state` to where the checkpoint at `path` was saved: what follows is computed as if the run
// had never stopped. `state` is built from the same config; a checkpoint of another seed, batch
// size or model is an error. `previous_max_batches` becomes the length that the saved run had.
absl::Status RestoreState(const std::string& path, uint64_t seed, State* state,
                          int64_t* previous_max_batches);

// Takes only the weights and buffers of a checkpoint or a safetensors file.
absl::Status RestoreWeights(const std::string& path, State* state);

}  // namespace tessera

#endif  // TESSERA_TRAIN_RESUME_H_
