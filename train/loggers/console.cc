#include "train/loggers/console.h"

#include <cmath>
#include <ostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "train/interval.h"
#include "train/loggers/iou_table.h"

namespace tessera {
namespace {

constexpr char kClearLine[] = "\r\x1b[K";

std::string Bar(double share) {
  constexpr int kWidth = 24;
  const int full = static_cast<int>(share * kWidth);
  return absl::StrCat("[", std::string(full, '='), std::string(kWidth - full, ' '), "]");
}

std::string Progress(const State& state) {
  const Timestamp& now = state.timestamp;
  const TrainingLength& length = state.length;
  const int64_t epochs =
      (length.max_batches + length.batches_per_epoch - 1) / length.batches_per_epoch;
  // The epoch that the batch belonged to, from 1.
  const int64_t epoch = now.batch_in_epoch == 0 ? now.epoch : now.epoch + 1;
  const double left = static_cast<double>((length.max_batches - now.batch) * length.batch_size);
  std::string text =
      absl::StrFormat("epoch %d/%d  batch %d/%d  loss %.4f  lr %.4g  %.1f img/s  data wait %.0f %%",
                      epoch, epochs, now.batch, length.max_batches, state.step.loss,
                      state.step.learning_rate, state.samples_per_second, 100 * state.data_wait);
  if (state.samples_per_second > 0) {
    absl::StrAppend(&text, "  ETA ", FormatDuration(left / state.samples_per_second));
  }
  return text;
}

}  // namespace

std::string FormatDuration(double seconds) {
  const int64_t whole = std::llround(seconds);
  const int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return hours > 0 ? absl::StrFormat("%d:%02d:%02d", hours, minutes, whole % 60)
                   : absl::StrFormat("%d:%02d", minutes, whole % 60);
}

Console::Console(std::ostream* out, Options options) : out_(*out), options_(std::move(options)) {}

absl::Status Console::Run(Event event, const State& state) {
  if (event == Event::kBatchEnd) ShowBatch(state);
  if (event == Event::kEvalEnd) ShowEvaluation(state);
  if (event == Event::kFitEnd) ShowEnd(state);
  return absl::OkStatus();
}

void Console::ShowBatch(const State& state) {
  const int64_t batch = state.timestamp.batch, max_batches = state.length.max_batches;
  if (options_.terminal_columns > 0) {
    const double share = static_cast<double>(batch) / static_cast<double>(max_batches);
    // A line that wraps cannot be drawn over.
    const std::string line = Bar(share) + " " + Progress(state);
    out_ << kClearLine << line.substr(0, options_.terminal_columns - 1) << std::flush;
  } else if (IsDue(options_.log_interval, batch, max_batches)) {
    Print(Progress(state) + "\n");
  }
}

void Console::ShowEvaluation(const State& state) {
  const Evaluation& evaluation = *state.evaluation;
  Print(absl::StrFormat(
      "evaluation after batch %d: mIoU %s  pixel accuracy %s  cross entropy %s  (%d samples)\n",
      state.timestamp.batch, FormatMetric(evaluation.matrix.MeanIoU()),
      FormatMetric(evaluation.matrix.PixelAccuracy()), FormatMetric(evaluation.cross_entropy),
      evaluation.samples));
}

void Console::ShowEnd(const State& state) {
  std::string text;
  if (state.evaluation.has_value()) {
    text = "\n" + IouTable(*state.evaluation, options_.class_names);
  }
  if (state.empty_batches > 0) {
    absl::StrAppend(&text, state.empty_batches,
                    " batches had no pixel that counts; their steps were left out\n");
  }
  const int64_t skipped =
      state.train_loader->skipped_samples() + state.eval_loader->skipped_samples();
  if (skipped > 0) absl::StrAppend(&text, skipped, " samples could not be decoded; left out\n");
  Print(text);
}

void Console::Print(const std::string& lines) {
  if (options_.terminal_columns > 0) out_ << kClearLine;
  out_ << lines << std::flush;
}

}  // namespace tessera
