#include "data/build_data.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/datasets/cifar_dataset.h"
#include "data/datasets/class_folder_dataset.h"
#include "data/datasets/coco_dataset.h"
#include "data/datasets/folder_dataset.h"
#include "data/datasets/mnist_dataset.h"
#include "data/datasets/synthetic_dataset.h"
#include "data/loader/sample_pipeline.h"
#include "data/loader/threaded_loader.h"
#include "data/order/permutation_order.h"
#include "data/streaming/streaming_dataset.h"
#include "data/streaming/streaming_order.h"
#include "data/transforms/classification_transform.h"
#include "data/transforms/eval_transform.h"
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

absl::StatusOr<SamplePipeline::Transform> BuildTransform(const DataConfig& config,
                                                         const DataSpec& spec, LabelKind kind) {
  const bool train = spec.split == Split::kTrain;
  if (kind == LabelKind::kClass) {
    return ClassificationTransform::Create(config.classification_transforms(),
                                           config.normalization(), train);
  }
  TESSERA_ASSIGN_OR_RETURN(const LabelMap label_map, MakeLabelMap(config, spec.num_classes));
  if (train) {
    return TrainTransform::Create(config.train_transforms(), config.normalization(), label_map);
  }
  return EvalTransform::Create(config.eval_transforms(), config.normalization(), label_map);
}

// The samples of a split and the order in which an epoch takes them.
struct Samples {
  std::shared_ptr<const Dataset> dataset;
  std::unique_ptr<const SampleOrder> order;
};

Samples Ordered(std::shared_ptr<const Dataset> dataset, const DataSpec& spec, bool shuffle) {
  const int64_t size = dataset->size();
  if (shuffle && spec.split == Split::kTrain) {
    return {std::move(dataset), std::make_unique<PermutationOrder>(size, spec.seed)};
  }
  return {std::move(dataset), std::make_unique<SequentialOrder>(size)};
}

// Evaluation takes each sample once, whatever weights the streams have.
absl::StatusOr<Samples> OpenStreamed(const StreamingConfig& config, const DataSpec& spec,
                                     bool shuffle, std::shared_ptr<const StreamingSet> set) {
  if (set == nullptr) {
    TESSERA_ASSIGN_OR_RETURN(set, StreamingSet::Open(config, SplitName(config, spec.split)));
  }
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const Dataset> dataset,
                           MakeStreamingDataset(config, set));
  if (spec.split == Split::kEval) return Ordered(std::move(dataset), spec, shuffle);
  TESSERA_ASSIGN_OR_RETURN(
      std::unique_ptr<const SampleOrder> order,
      MakeStreamingOrder(config, set->shard_samples(),
                         {.shuffle = shuffle, .seed = spec.seed, .batch_size = spec.batch_size}));
  return Samples{std::move(dataset), std::move(order)};
}

// One switch over the kinds of sets that are read from their own files.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenFiles(const DataConfig& config, Split split) {
  const bool train = split == Split::kTrain;
  switch (config.dataset_case()) {
    case DataConfig::kSynthetic:
      return MakeSyntheticDataset(config.synthetic(), train);
    case DataConfig::kFolder:
      return OpenFolderDataset(config.folder(), SplitName(config.folder(), split));
    case DataConfig::kClassFolders:
      return OpenClassFolderDataset(config.class_folders(), train);
    case DataConfig::kCifar:
      return OpenCifarDataset(config.cifar(), train);
    case DataConfig::kMnist:
      return OpenMnistDataset(config.mnist(), train);
    case DataConfig::kDigits:
      return OpenDigitsDataset(train);
    case DataConfig::kCoco:
      return OpenCocoDataset(config.coco(), train);
    case DataConfig::kStreaming:
    case DataConfig::DATASET_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "data: no set is chosen; expected one of synthetic, folder, streaming, class_folders, cifar, "
      "mnist, digits and coco");
}

absl::StatusOr<Samples> OpenSamples(const DataConfig& config, const DataSpec& spec,
                                    std::shared_ptr<const StreamingSet> set) {
  if (config.has_streaming()) {
    return OpenStreamed(config.streaming(), spec, config.shuffle(), std::move(set));
  }
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const Dataset> dataset, OpenFiles(config, spec.split));
  return Ordered(std::move(dataset), spec, config.shuffle());
}

}  // namespace

absl::StatusOr<LabelMap> MakeLabelMap(const DataConfig& config, int num_classes) {
  return LabelMap::Create({.num_classes = num_classes,
                           .reduce_zero_label = config.reduce_zero_label(),
                           .ignore_index = config.ignore_index(),
                           .subset = {config.label_map().begin(), config.label_map().end()}});
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenDataset(const DataConfig& config, Split split) {
  TESSERA_ASSIGN_OR_RETURN(Samples samples, OpenSamples(config, {.split = split}, nullptr));
  return std::move(samples.dataset);
}

absl::StatusOr<std::unique_ptr<DataLoader>> BuildDataLoader(
    const DataConfig& config, const DataSpec& spec, std::shared_ptr<const StreamingSet> set) {
  TESSERA_ASSIGN_OR_RETURN(Samples samples, OpenSamples(config, spec, std::move(set)));
  TESSERA_ASSIGN_OR_RETURN(SamplePipeline::Transform transform,
                           BuildTransform(config, spec, samples.dataset->label_kind()));
  const bool train = spec.split == Split::kTrain;
  const LoaderOptions options = {.batch_size = spec.batch_size,
                                 .drop_last = train && config.drop_last(),
                                 .num_threads = config.num_threads(),
                                 .prefetch_batches = config.prefetch_batches(),
                                 .bad_samples = PolicyOf(config, spec.split),
                                 .ignore_index = static_cast<uint8_t>(config.ignore_index())};
  return ThreadedLoader::Create(options, std::move(samples.order),
                                SamplePipeline(std::move(samples.dataset), std::move(transform),
                                               spec.seed, spec.num_classes));
}

}  // namespace tessera
