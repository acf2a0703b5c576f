#ifndef TESSERA_TRAIN_STATE_H_
#define TESSERA_TRAIN_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/types/span.h"
#include "data/loader/batch.h"
#include "data/loader/data_loader.h"
#include "models/metrics/confusion_matrix.h"
#include "train/time.h"

namespace tessera {

class Optimizer;
class Schedule;
class SegmentationModel;

// What came of one training batch.
struct StepResult {
  double loss = 0;           // 0 where no pixel counts
  double learning_rate = 0;  // the one that the step used
  int64_t valid_pixels = 0;  // 0: the step was left out, and nothing changed
};

// An evaluation, in progress or finished: each sample once, one table of counts.
struct Evaluation {
  Evaluation(int num_classes, int ignore_index) : matrix(num_classes, ignore_index) {}

  // The batch at hand and its predicted classes [size, height, width].
  Batch batch;
  absl::Span<const uint8_t> predictions;

  ConfusionMatrix matrix;
  int64_t samples = 0;

  // Over all valid pixels of the set, known at EVAL_END. nullopt without a valid pixel.
  std::optional<double> loss;
  std::optional<double> cross_entropy;
};

// All that a training changes as it goes. Random numbers come from the loader, which needs no state
// beside the timestamp, and from torch's default generator (dropout).
struct State {
  State();
  ~State();
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;

  std::shared_ptr<SegmentationModel> model;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<Schedule> schedule;
  std::unique_ptr<DataLoader> train_loader;
  std::unique_ptr<DataLoader> eval_loader;

  TrainingLength length;
  Timestamp timestamp;

  // The training batch at hand, from BATCH_START on. An algorithm may put another in its place.
  Batch batch;
  StepResult step;
  // Batches of this process without a valid pixel.
  int64_t empty_batches = 0;

  // Over the last 50 batches: samples trained on per second, evaluation and checkpoints apart, and
  // the share of that time spent waiting for data.
  double samples_per_second = 0;
  double data_wait = 0;

  // The last evaluation.
  std::optional<Evaluation> evaluation;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_STATE_H_
