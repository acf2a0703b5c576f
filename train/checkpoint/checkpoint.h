#ifndef TESSERA_TRAIN_CHECKPOINT_CHECKPOINT_H_
#define TESSERA_TRAIN_CHECKPOINT_CHECKPOINT_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "train/checkpoint/state.pb.h"
#include "train/optimizers/optimizer.h"

namespace tessera {

// A checkpoint is a folder, `ep3-ba120` for 3 finished epochs and 120 finished batches. It holds
//
//   model.safetensors      parameters and buffers by their names in the model, for Python too
//   optimizer.safetensors  Optimizer::State
//   state.textproto        CheckpointState
//
// It is written beside, synced and renamed; `latest`, a link to it, moves last. Whoever is killed
// in between leaves whole checkpoints only.

// Writes a checkpoint to `folder`, which is made where it is missing, and removes older ones until
// `keep` are left (0 keeps all). One of the same name is replaced. An error leaves earlier ones as
// they were, and nothing half-written beside them.
absl::Status SaveCheckpoint(const std::string& folder, const CheckpointState& state,
                            const NamedTensors& model, const NamedTensors& optimizer, int keep);

struct Checkpoint {
  CheckpointState state;
  std::map<std::string, at::Tensor> model;
  std::map<std::string, at::Tensor> optimizer;
};
// Reads the checkpoint at `path` (a folder as above, or a link to one).
absl::StatusOr<Checkpoint> LoadCheckpoint(const std::string& path);

// The weights alone, of a checkpoint folder or of a safetensors file.
absl::StatusOr<std::map<std::string, at::Tensor>> LoadWeights(const std::string& path);

// The newest whole checkpoint in `folder`: what `latest` points to, or where that is missing the
// one with the most batches. nullopt where there is none.
std::optional<std::string> FindLatestCheckpoint(const std::string& folder);

// Copies `source` into `model`, in place. Names that are missing or too many, and shapes that
// differ, are one error that lists them; then nothing is copied.
absl::Status CopyTensors(const std::map<std::string, at::Tensor>& source,
                         const NamedTensors& model);

}  // namespace tessera

#endif  // TESSERA_TRAIN_CHECKPOINT_CHECKPOINT_H_
