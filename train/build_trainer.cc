#include "train/build_trainer.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "configs/load_experiment.h"
#include "data/build_data.h"
#include "data/transforms/label_map.h"
#include "data/transforms/normalize.h"
#include "models/build_model.h"
#include "models/segmentation_model.h"
#include "train/callbacks/overlay.h"
#include "train/callbacks/save_predictions.h"
#include "train/check_batches.h"
#include "train/check_experiment.h"
#include "train/checkpoint/checkpoint.h"
#include "train/loggers/console.h"
#include "train/loggers/iou_table.h"
#include "train/loggers/metrics_file.h"
#include "train/optimizers/optimizer.h"
#include "train/precision.h"
#include "train/resume.h"
#include "train/run_folder.h"
#include "train/schedules/schedule.h"
#include "train/time.h"

namespace tessera {
namespace {

absl::Status BuildLoaders(const Experiment& experiment, State* state) {
  DataSpec spec = {.split = Split::kTrain,
                   .batch_size = experiment.train_batch_size(),
                   .num_classes = experiment.model().num_classes(),
                   .seed = experiment.seed()};
  TESSERA_ASSIGN_OR_RETURN(state->train_loader, BuildDataLoader(experiment.data(), spec));
  spec.split = Split::kEval;
  spec.batch_size = experiment.eval_batch_size();
  TESSERA_ASSIGN_OR_RETURN(state->eval_loader, BuildDataLoader(experiment.data(), spec));
  return absl::OkStatus();
}

// Channels last: the layout in which the batches come.
absl::Status BuildNetwork(const Experiment& experiment, State* state) {
  TESSERA_ASSIGN_OR_RETURN(state->model,
                           BuildSegmentationModel(experiment.model(), experiment.seed()));
  for (at::Tensor& parameter : state->model->parameters()) {
    if (parameter.dim() != 4) continue;
    parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
  }
  state->model->train();
  NamedTensors parameters;
  for (const auto& item : state->model->named_parameters()) {
    if (item.value().requires_grad()) parameters.emplace_back(item.key(), item.value());
  }
  TESSERA_ASSIGN_OR_RETURN(state->optimizer, BuildOptimizer(experiment.optimizer(), parameters));
  return absl::OkStatus();
}

absl::StatusOr<TrainingLength> LengthOf(const Experiment& experiment, const DataLoader& loader) {
  TESSERA_ASSIGN_OR_RETURN(const Time duration,
                           Time::Parse(experiment.max_duration(), "max_duration"));
  return MakeTrainingLength(duration, loader.num_batches(), loader.samples_per_epoch(),
                            loader.batch_size());
}

absl::StatusOr<int64_t> IntervalOf(const std::string& text, const char* field,
                                   const TrainingLength& length) {
  TESSERA_ASSIGN_OR_RETURN(const Time time, Time::Parse(text, field));
  return length.Batches(time);
}

absl::StatusOr<State> BuildState(const Experiment& experiment) {
  State state;
  TESSERA_RETURN_IF_ERROR(BuildLoaders(experiment, &state));
  TESSERA_RETURN_IF_ERROR(BuildNetwork(experiment, &state));
  TESSERA_RETURN_IF_ERROR(CheckBatches({.num_samples = state.train_loader->num_samples(),
                                        .batch_size = experiment.train_batch_size(),
                                        .drop_last = experiment.data().drop_last(),
                                        .microbatch_size = experiment.train().microbatch_size(),
                                        .min_train_batch = state.model->min_train_batch()}));
  if (state.train_loader->label_kind() != LabelKind::kMask) {
    return absl::InvalidArgumentError(
        "the set has a class for each image, and the model labels pixels; expected a set of masks");
  }
  if (state.eval_loader->num_samples() == 0) {
    return absl::InvalidArgumentError("the evaluation split has no samples");
  }
  TESSERA_ASSIGN_OR_RETURN(state.length, LengthOf(experiment, *state.train_loader));
  TESSERA_ASSIGN_OR_RETURN(state.schedule, BuildSchedule(experiment.schedule(), state.length));
  return state;
}

absl::StatusOr<TrainerOptions> BuildOptions(const Experiment& experiment,
                                            const TrainingLength& length) {
  const TrainConfig& train = experiment.train();
  TrainerOptions options;
  options.compute = {.cross_entropy_weight = experiment.loss().cross_entropy_weight(),
                     .dice_weight = experiment.loss().dice_weight(),
                     .num_classes = experiment.model().num_classes(),
                     .ignore_index = experiment.data().ignore_index(),
                     .bf16 = UseBf16(train.precision()),
                     .microbatch_size = train.microbatch_size()};
  TESSERA_ASSIGN_OR_RETURN(options.eval_interval,
                           IntervalOf(train.eval_interval(), "train.eval_interval", length));
  TESSERA_ASSIGN_OR_RETURN(options.save_interval,
                           IntervalOf(train.save_interval(), "train.save_interval", length));
  options.eval_first = train.eval_first();
  return options;
}

absl::Status AddCallbacks(const Experiment& experiment, const RunFolder& folder,
                          const Display& display, Trainer* trainer) {
  const DataConfig& data = experiment.data();
  const TrainConfig& train = experiment.train();
  const int num_classes = experiment.model().num_classes();
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const Dataset> dataset,
                           OpenDataset(data, Split::kEval));
  const std::vector<std::string> class_names =
      ClassNames({data.class_names().begin(), data.class_names().end()}, num_classes);
  trainer->Add(std::make_unique<MetricsFile>(folder.metrics(), train.log_interval(), class_names));

  if (train.image_samples() > 0) {
    TESSERA_ASSIGN_OR_RETURN(const Normalizer normalizer, Normalizer::Create(data.normalization()));
    trainer->Add(std::make_unique<Overlay>(Overlay::Options{.folder = folder.images(),
                                                            .image_samples = train.image_samples(),
                                                            .ignore_index = data.ignore_index()},
                                           dataset, normalizer));
  }
  if (train.save_predictions()) {
    TESSERA_ASSIGN_OR_RETURN(LabelMap label_map, MakeLabelMap(data, num_classes));
    trainer->Add(
        std::make_unique<SavePredictions>(folder.predictions(), dataset, std::move(label_map)));
  }
  // Last, so that what it announces is done.
  trainer->Add(std::make_unique<Console>(
      display.out, Console::Options{.terminal_columns = display.terminal_columns,
                                    .log_interval = train.log_interval(),
                                    .class_names = class_names}));
  return absl::OkStatus();
}

void Announce(const State& state, const ComputeOptions& compute, const RunFolder& folder,
              std::ostream& out) {
  int64_t parameters = 0;
  for (const at::Tensor& parameter : state.model->parameters()) parameters += parameter.numel();
  const TrainingLength& length = state.length;
  out << parameters << " parameters, " << (compute.bf16 ? "bfloat16 (autocast)" : "float32") << ", "
      << at::get_num_threads() << " threads\n"
      << state.train_loader->num_samples() << " training samples in " << length.batches_per_epoch
      << " batches of " << length.batch_size << ", " << state.eval_loader->num_samples()
      << " evaluation samples; " << length.max_batches << " batches in all\n"
      << "saves to " << folder.path << std::endl;
}

// Says where a resumed run stands.
void AnnounceResume(const std::string& path, const State& state, int64_t previous_max_batches,
                    std::ostream& out) {
  const int64_t max_batches = state.length.max_batches;
  out << "goes on from " << path << ", after batch " << state.timestamp.batch << "\n";
  if (previous_max_batches != 0 && previous_max_batches != max_batches) {
    out << "the run was " << previous_max_batches << " batches long and is now " << max_batches
        << ": schedules that count in \"dur\" follow the new length\n";
  }
  if (state.timestamp.batch >= max_batches) out << "nothing is left to train\n";
}

// Loads what the config names as the start of the run, and makes `folder` ready for it: lines of
// metrics past the checkpoint are cut off; a run that is replaced is removed, once the checkpoint,
// which may be its own, is read.
absl::Status PrepareStart(const Experiment& experiment, const RunFolder& folder, std::ostream& out,
                          State* state) {
  const TrainConfig& train = experiment.train();
  std::optional<std::string> own;
  if (train.autoresume()) own = FindLatestCheckpoint(folder.checkpoints());
  const std::string path = own.value_or(train.load_path());
  if (!own.has_value() && train.load_weights_only()) {
    TESSERA_RETURN_IF_ERROR(RestoreWeights(path, state));
    out << "starts from the weights of " << path << "\n";
  } else if (!path.empty()) {
    int64_t previous_max_batches = 0;
    TESSERA_RETURN_IF_ERROR(RestoreState(path, experiment.seed(), state, &previous_max_batches));
    AnnounceResume(path, *state, previous_max_batches, out);
  }
  if (own.has_value()) return TruncateMetricsFile(folder.metrics(), state->timestamp.batch);
  return ClearRunFolder(folder);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Trainer>> BuildTrainer(const Experiment& experiment,
                                                      const Display& display,
                                                      std::function<int()> stop_signal) {
  TESSERA_RETURN_IF_ERROR(CheckExperiment(experiment));
  TESSERA_ASSIGN_OR_RETURN(const RunFolder folder, RunFolderOf(experiment));
  TESSERA_RETURN_IF_ERROR(CheckRunFolder(folder, experiment.train()));
  if (experiment.train().num_threads() > 0) at::set_num_threads(experiment.train().num_threads());
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(experiment.seed());

  TESSERA_ASSIGN_OR_RETURN(State state, BuildState(experiment));
  TESSERA_ASSIGN_OR_RETURN(TrainerOptions options, BuildOptions(experiment, state.length));
  options.stop_signal = std::move(stop_signal);
  // Kept by what saves to the folder, as long as that may happen.
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<FolderLock> lock, LockRunFolder(folder));
  Announce(state, options.compute, folder, *display.out);
  TESSERA_RETURN_IF_ERROR(PrepareStart(experiment, folder, *display.out, &state));
  TESSERA_RETURN_IF_ERROR(
      WriteFile(folder.config(), PrintExperiment(experiment, /*with_defaults=*/true)));
  options.save = [lock = std::move(lock), seed = experiment.seed(), folder = folder.checkpoints(),
                  keep = experiment.train().save_num_checkpoints_to_keep()](const State& state) {
    return SaveState(state, seed, folder, keep);
  };

  auto trainer = std::make_unique<Trainer>(std::move(state), std::move(options));
  TESSERA_RETURN_IF_ERROR(AddCallbacks(experiment, folder, display, trainer.get()));
  return trainer;
}

}  // namespace tessera
