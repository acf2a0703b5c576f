#include "configs/validate.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

absl::Status CheckRequired(const Experiment& experiment) {
  std::vector<std::string> missing;
  if (!experiment.has_max_duration()) missing.push_back("max_duration");
  if (experiment.data().dataset_case() == DataConfig::DATASET_NOT_SET) {
    missing.push_back("data.{synthetic, folder or streaming}");
  }
  if (!experiment.model().has_num_classes()) missing.push_back("model.num_classes");
  if (experiment.model().architecture_case() == ModelConfig::ARCHITECTURE_NOT_SET) {
    missing.push_back("model.{deeplabv3 or deeplabv3_plus}");
  }
  if (experiment.optimizer().optimizer_case() == OptimizerConfig::OPTIMIZER_NOT_SET) {
    missing.push_back("optimizer.{decoupled_sgd or sgd}");
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("required fields are missing: ", absl::StrJoin(missing, ", ")));
}

struct Range {
  const char* field;
  double value;
  double least;
  double most;
};

absl::Status CheckRanges(const std::vector<Range>& ranges) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  for (const Range& range : ranges) {
    if (range.value >= range.least && range.value <= range.most && std::isfinite(range.value)) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(range.field, ": ", range.value, " found, expected ", range.least,
                     range.most == kUnbounded ? " or more" : absl::StrCat(" to ", range.most)));
  }
  return absl::OkStatus();
}

absl::Status CheckData(const DataConfig& data) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const TrainTransforms& train = data.train_transforms();
  const EvalTransforms& eval = data.eval_transforms();
  TESSERA_RETURN_IF_ERROR(CheckRanges({
      {"data.ignore_index", double(data.ignore_index()), 0, 255},
      {"data.num_threads", double(data.num_threads()), 0, 1024},
      {"data.prefetch_batches", double(data.prefetch_batches()), 1, 1024},
      {"data.train_transforms.base_height", double(train.base_height()), 0, 65535},
      {"data.train_transforms.base_width", double(train.base_width()), 0, 65535},
      {"data.train_transforms.crop_height", double(train.crop_height()), 1, 65535},
      {"data.train_transforms.crop_width", double(train.crop_width()), 1, 65535},
      {"data.train_transforms.min_scale", train.min_scale(), 1e-3, kUnbounded},
      {"data.train_transforms.max_scale", train.max_scale(), train.min_scale(), 1e3},
      {"data.train_transforms.class_max_share", train.class_max_share(), 1e-9, 1},
      {"data.train_transforms.horizontal_flip", train.horizontal_flip(), 0, 1},
      {"data.train_transforms.brightness", train.brightness(), 0, 1},
      {"data.train_transforms.contrast", train.contrast(), 0, 1},
      {"data.train_transforms.saturation", train.saturation(), 0, 1},
      {"data.train_transforms.hue", train.hue(), 0, 0.5},
      {"data.eval_transforms.height", double(eval.height()), 0, 65535},
      {"data.eval_transforms.width", double(eval.width()), 0, 65535},
  }));
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateExperiment(const Experiment& experiment) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  TESSERA_RETURN_IF_ERROR(CheckRequired(experiment));
  TESSERA_RETURN_IF_ERROR(CheckData(experiment.data()));
  const TrainConfig& train = experiment.train();
  return CheckRanges({
      {"train_batch_size", double(experiment.train_batch_size()), 1, kUnbounded},
      {"eval_batch_size", double(experiment.eval_batch_size()), 1, kUnbounded},
      {"model.num_classes", double(experiment.model().num_classes()), 2, 255},
      {"loss.cross_entropy_weight", experiment.loss().cross_entropy_weight(), 0, kUnbounded},
      {"loss.dice_weight", experiment.loss().dice_weight(), 0, kUnbounded},
      {"train.microbatch_size", double(train.microbatch_size()), 0, kUnbounded},
      {"train.log_interval", double(train.log_interval()), 1, kUnbounded},
      {"train.image_samples", double(train.image_samples()), 0, kUnbounded},
      {"train.num_threads", double(train.num_threads()), 0, 1024},
      {"train.save_num_checkpoints_to_keep", double(train.save_num_checkpoints_to_keep()), 0,
       kUnbounded},
  });
}

}  // namespace tessera
