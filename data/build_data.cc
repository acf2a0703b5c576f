#include "data/build_data.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/datasets/folder_dataset.h"
#include "data/datasets/mds_dataset.h"
#include "data/datasets/synthetic_dataset.h"
#include "data/loader/sample_pipeline.h"
#include "data/loader/threaded_loader.h"
#include "data/order/permutation_order.h"
#include "data/transforms/eval_transform.h"
#include "data/transforms/label_map.h"
#include "data/transforms/train_transform.h"

namespace tessera {
namespace {

template <typename Config>
const std::string& SplitName(const Config& config, Split split) {
  return split == Split::kTrain ? config.train_split() : config.eval_split();
}

// Evaluation counts each sample once, so there a bad one has no substitute.
BadSamples PolicyOf(const DataConfig& config, Split split) {
  switch (config.bad_samples()) {
    case DataConfig::STOP:
      return BadSamples::kStop;
    case DataConfig::SKIP:
      return split == Split::kTrain ? BadSamples::kReplace : BadSamples::kIgnore;
  }
  return BadSamples::kStop;
}

absl::StatusOr<SamplePipeline::Transform> BuildTransform(const DataConfig& config, Split split,
                                                         const LabelMap& label_map) {
  if (split == Split::kTrain) {
    return TrainTransform::Create(config.train_transforms(), config.normalization(), label_map);
  }
  return EvalTransform::Create(config.eval_transforms(), config.normalization(), label_map);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenDataset(const DataConfig& config, Split split) {
  switch (config.dataset_case()) {
    case DataConfig::kSynthetic:
      return MakeSyntheticDataset(config.synthetic(), split == Split::kTrain);
    case DataConfig::kFolder:
      return OpenFolderDataset(config.folder(), SplitName(config.folder(), split));
    case DataConfig::kStreaming:
      return OpenMdsDataset(config.streaming(), SplitName(config.streaming(), split));
    case DataConfig::DATASET_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "data: no set is chosen; expected synthetic, folder or streaming");
}

absl::StatusOr<std::unique_ptr<DataLoader>> BuildDataLoader(const DataConfig& config,
                                                            const DataSpec& spec) {
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const Dataset> dataset, OpenDataset(config, spec.split));
  TESSERA_ASSIGN_OR_RETURN(const LabelMap label_map,
                           LabelMap::Create({.num_classes = spec.num_classes,
                                             .reduce_zero_label = config.reduce_zero_label(),
                                             .ignore_index = config.ignore_index(),
                                             .subset = {}}));
  TESSERA_ASSIGN_OR_RETURN(SamplePipeline::Transform transform,
                           BuildTransform(config, spec.split, label_map));
  const bool train = spec.split == Split::kTrain;
  std::unique_ptr<const SampleOrder> order = std::make_unique<SequentialOrder>(dataset->size());
  if (train && config.shuffle()) {
    order = std::make_unique<PermutationOrder>(dataset->size(), spec.seed);
  }
  const LoaderOptions options = {.batch_size = spec.batch_size,
                                 .drop_last = train && config.drop_last(),
                                 .num_threads = config.num_threads(),
                                 .prefetch_batches = config.prefetch_batches(),
                                 .bad_samples = PolicyOf(config, spec.split),
                                 .ignore_index = label_map.ignore_index()};
  return ThreadedLoader::Create(
      options, std::move(order),
      SamplePipeline(std::move(dataset), std::move(transform), spec.seed));
}

}  // namespace tessera
