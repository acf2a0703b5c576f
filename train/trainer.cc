#include "train/trainer.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "train/evaluate.h"
#include "train/interval.h"
#include "train/optimizers/optimizer.h"
#include "train/schedules/schedule.h"
#include "train/torch_status.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Counts `batch` into `timestamp`; `last` ends the epoch.
void Advance(int64_t samples, bool last, Timestamp* timestamp) {
  ++timestamp->batch;
  ++timestamp->batch_in_epoch;
  timestamp->sample += samples;
  timestamp->sample_in_epoch += samples;
  if (!last) return;
  ++timestamp->epoch;
  timestamp->batch_in_epoch = 0;
  timestamp->sample_in_epoch = 0;
}

absl::Status NotFinite(const State& state) {
  return absl::OutOfRangeError(absl::StrCat(
      "the loss of batch ", state.timestamp.batch, " (epoch ", state.timestamp.epoch,
      ", both from 0) is ", state.step.loss, "; learning rate ", state.step.learning_rate,
      "; sample ids ", absl::StrJoin(state.batch.sample_ids, " "),
      "; the last checkpoint is from before it"));
}

}  // namespace

Trainer::Trainer(State state, TrainerOptions options)
    : state_(std::move(state)), options_(std::move(options)) {}

void Trainer::Add(std::unique_ptr<Algorithm> algorithm) {
  algorithms_.push_back(std::move(algorithm));
}

void Trainer::Add(std::unique_ptr<Callback> callback) { callbacks_.push_back(std::move(callback)); }

absl::Status Trainer::Fire(Event event) {
  for (const auto& algorithm : algorithms_) {
    TESSERA_RETURN_IF_ERROR(algorithm->Apply(event, state_));
  }
  for (const auto& callback : callbacks_) {
    TESSERA_RETURN_IF_ERROR(callback->Run(event, state_));
  }
  return absl::OkStatus();
}

absl::Status Trainer::Fit() {
  TESSERA_RETURN_IF_ERROR(Fire(Event::kFitStart));
  if (options_.eval_first && state_.timestamp.batch == 0) {
    TESSERA_RETURN_IF_ERROR(RunEvaluation());
  }
  while (state_.timestamp.batch < state_.length.max_batches) {
    TESSERA_RETURN_IF_ERROR(TrainEpoch());
  }
  return Fire(Event::kFitEnd);
}

absl::Status Trainer::TrainEpoch() {
  const Timestamp& now = state_.timestamp;
  const int64_t epoch = now.epoch;
  TESSERA_RETURN_IF_ERROR(state_.train_loader->StartEpoch(epoch, now.sample_in_epoch));
  if (now.batch_in_epoch == 0) TESSERA_RETURN_IF_ERROR(Fire(Event::kEpochStart));
  while (now.epoch == epoch && now.batch < state_.length.max_batches) {
    TESSERA_RETURN_IF_ERROR(TrainBatch());
    if (now.epoch != epoch) TESSERA_RETURN_IF_ERROR(Fire(Event::kEpochEnd));
    TESSERA_RETURN_IF_ERROR(FinishBatch());
  }
  return absl::OkStatus();
}

absl::Status Trainer::TrainBatch() {
  const Clock::time_point start = Clock::now();
  double wait_seconds = 0;
  TESSERA_RETURN_IF_ERROR(LoadBatch(&wait_seconds));
  TESSERA_RETURN_IF_ERROR(Fire(Event::kBatchStart));
  TESSERA_RETURN_IF_ERROR(Step());

  const bool last = state_.timestamp.batch_in_epoch + 1 == state_.length.batches_per_epoch;
  Advance(state_.batch.size, last, &state_.timestamp);
  speed_.Add(state_.batch.size, SecondsSince(start), wait_seconds);
  state_.samples_per_second = speed_.samples_per_second();
  state_.data_wait = speed_.wait_share();
  return Fire(Event::kBatchEnd);
}

absl::Status Trainer::LoadBatch(double* wait_seconds) {
  const Clock::time_point start = Clock::now();
  TESSERA_ASSIGN_OR_RETURN(std::optional<Batch> batch, state_.train_loader->Next());
  *wait_seconds = SecondsSince(start);
  if (!batch.has_value()) {
    return absl::InternalError(absl::StrCat(
        "epoch ", state_.timestamp.epoch, " ended after ", state_.timestamp.batch_in_epoch, " of ",
        state_.length.batches_per_epoch, " batches: too few samples could be read"));
  }
  state_.batch = *std::move(batch);
  return absl::OkStatus();
}

absl::Status Trainer::Step() {
  const double factor = state_.schedule->Factor(state_.timestamp.batch);
  state_.step = {.learning_rate = state_.optimizer->base_lr() * factor,
                 .valid_pixels = CountValidPixels(state_.batch, options_.compute.ignore_index)};
  if (state_.step.valid_pixels == 0) {
    ++state_.empty_batches;
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(
      state_.step.loss,
      ForwardBackward(*state_.model, state_.batch, state_.step.valid_pixels, options_.compute));
  if (!std::isfinite(state_.step.loss)) return NotFinite(state_);
  TESSERA_RETURN_IF_ERROR(Fire(Event::kAfterBackward));
  try {
    state_.optimizer->Step(factor);
    state_.optimizer->ZeroGrad();
  } catch (const std::exception& error) {
    return TorchError("the optimizer step failed", error);
  }
  return absl::OkStatus();
}

absl::Status Trainer::FinishBatch() {
  const int64_t batch = state_.timestamp.batch;
  const int64_t max_batches = state_.length.max_batches;
  if (IsDue(options_.eval_interval, batch, max_batches)) {
    TESSERA_RETURN_IF_ERROR(RunEvaluation());
  }
  const int signal = batch < max_batches ? options_.stop_signal() : 0;
  if (options_.save && (signal != 0 || IsDue(options_.save_interval, batch, max_batches))) {
    TESSERA_RETURN_IF_ERROR(options_.save(state_));
  }
  if (signal == 0) return absl::OkStatus();
  return absl::CancelledError(absl::StrCat("stopped by ", strsignal(signal), " after batch ", batch,
                                           " of ", max_batches,
                                           "; a checkpoint is written, and the same command with "
                                           "train.autoresume=true goes on from it"));
}

absl::Status Trainer::RunEvaluation() {
  state_.evaluation.emplace(options_.compute.num_classes, options_.compute.ignore_index);
  TESSERA_RETURN_IF_ERROR(Fire(Event::kEvalStart));
  TESSERA_RETURN_IF_ERROR(Evaluate(
      *state_.model, *state_.eval_loader, options_.compute,
      [this] { return Fire(Event::kEvalBatchEnd); }, &*state_.evaluation));
  return Fire(Event::kEvalEnd);
}

}  // namespace tessera
