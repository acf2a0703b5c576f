#include "train/resume.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/all.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "models/segmentation_model.h"
#include "train/checkpoint/checkpoint.h"
#include "train/torch_status.h"

namespace tessera {
namespace {

// Parameters and buffers, sharing the model's memory.
NamedTensors ModelTensors(const SegmentationModel& model) {
  NamedTensors tensors;
  for (const auto& item : model.named_parameters()) {
    tensors.emplace_back(item.key(), item.value().detach());
  }
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

std::string GeneratorState() {
  const at::Tensor state = at::detail::getDefaultCPUGenerator().get_state();
  return std::string(reinterpret_cast<const char*>(state.const_data_ptr<uint8_t>()),
                     static_cast<size_t>(state.numel()));
}

void SetGeneratorState(const std::string& bytes) {
  const at::Tensor state = at::empty({static_cast<int64_t>(bytes.size())}, at::kByte);
  std::memcpy(state.mutable_data_ptr<uint8_t>(), bytes.data(), bytes.size());
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_state(state);
}

// Whether the saved position lies in the same batches as this run's.
absl::Status CheckPosition(const CheckpointState& saved, uint64_t seed,
                           const TrainingLength& length) {
  if (!saved.has_seed() || saved.torch_generator().empty()) {
    return absl::DataLossError(
        "its state.textproto is cut short; take an older checkpoint by train.load_path");
  }
  if (saved.seed() != seed) {
    return absl::FailedPreconditionError(
        absl::StrCat("it was saved with seed ", saved.seed(), ", the config has ", seed,
                     ": the order of samples would change. Set seed to ", saved.seed(),
                     ", or train.load_weights_only=true to start anew from its weights"));
  }
  const int64_t expected =
      std::min(saved.batch_in_epoch() * length.batch_size, length.samples_per_epoch);
  if (saved.sample_in_epoch() != expected ||
      saved.batch() != saved.epoch() * length.batches_per_epoch + saved.batch_in_epoch()) {
    return absl::FailedPreconditionError(
        absl::StrCat("it was saved after ", saved.batch_in_epoch(), " batches and ",
                     saved.sample_in_epoch(), " samples of epoch ", saved.epoch(), " (",
                     saved.batch(), " batches in all), which does not fit ",
                     length.batches_per_epoch, " batches of ", length.batch_size,
                     " an epoch. Set train_batch_size and the data as in that run, or "
                     "train.load_weights_only=true to start anew from its weights"));
  }
  return absl::OkStatus();
}

absl::Status Restore(const Checkpoint& checkpoint, State* state) {
  const CheckpointState& saved = checkpoint.state;
  TESSERA_RETURN_IF_ERROR(CopyTensors(checkpoint.model, ModelTensors(*state->model)));
  TESSERA_RETURN_IF_ERROR(state->optimizer->LoadState(checkpoint.optimizer));
  SetGeneratorState(saved.torch_generator());
  state->timestamp = {.epoch = saved.epoch(),
                      .batch = saved.batch(),
                      .batch_in_epoch = saved.batch_in_epoch(),
                      .sample = saved.sample(),
                      .sample_in_epoch = saved.sample_in_epoch()};
  return absl::OkStatus();
}

// A checkpoint from which nothing can go on must not take the place of one from which it can.
absl::Status CheckFinite(const State& state) {
  try {
    for (const auto& [name, tensor] : ModelTensors(*state.model)) {
      if (!tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>()) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("after batch ", state.timestamp.batch, " ", name,
                       " holds numbers that are not finite, so that no checkpoint is written; try "
                       "a lower learning rate, or a longer warm-up"));
    }
  } catch (const std::exception& error) {
    return TorchError("the weights cannot be looked at", error);
  }
  return absl::OkStatus();
}

absl::Status WithPath(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("checkpoint ", path, ": ", status.message()));
}

}  // namespace

absl::Status SaveState(const State& state, uint64_t seed, const std::string& folder, int keep) {
  const Timestamp& now = state.timestamp;
  TESSERA_RETURN_IF_ERROR(CheckFinite(state));
  CheckpointState saved;
  saved.set_epoch(now.epoch);
  saved.set_batch(now.batch);
  saved.set_batch_in_epoch(now.batch_in_epoch);
  saved.set_sample(now.sample);
  saved.set_sample_in_epoch(now.sample_in_epoch);
  saved.set_seed(seed);
  saved.set_max_batches(state.length.max_batches);
  try {
    saved.set_torch_generator(GeneratorState());
    return SaveCheckpoint(folder, saved, ModelTensors(*state.model), state.optimizer->State(),
                          keep);
  } catch (const std::exception& error) {
    return TorchError("the checkpoint cannot be saved", error);
  }
}

absl::Status RestoreState(const std::string& path, uint64_t seed, State* state,
                          int64_t* previous_max_batches) {
  try {
    TESSERA_ASSIGN_OR_RETURN(const Checkpoint checkpoint, LoadCheckpoint(path));
    TESSERA_RETURN_IF_ERROR(WithPath(path, CheckPosition(checkpoint.state, seed, state->length)));
    *previous_max_batches = checkpoint.state.max_batches();
    return WithPath(path, Restore(checkpoint, state));
  } catch (const std::exception& error) {
    return WithPath(path, TorchError("it cannot be loaded", error));
  }
}

absl::Status RestoreWeights(const std::string& path, State* state) {
  try {
    TESSERA_ASSIGN_OR_RETURN(const auto weights, LoadWeights(path));
    return WithPath(path, CopyTensors(weights, ModelTensors(*state->model)));
  } catch (const std::exception& error) {
    return WithPath(path, TorchError("it cannot be loaded", error));
  }
}

}  // namespace tessera
