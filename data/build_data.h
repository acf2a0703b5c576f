#ifndef TESSERA_DATA_BUILD_DATA_H_
#define TESSERA_DATA_BUILD_DATA_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "data/data.pb.h"
#include "data/datasets/dataset.h"
#include "data/loader/data_loader.h"
#include "data/streaming/streaming_set.h"
#include "data/transforms/label_map.h"

namespace tessera {

enum class Split { kTrain, kEval };

// Opens the samples of one split, whichever kind the config names.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenDataset(const DataConfig& config, Split split);

// The labels of masks that the config describes, for a model of `num_classes`.
absl::StatusOr<LabelMap> MakeLabelMap(const DataConfig& config, int num_classes);

// What a run says of its data beside DataConfig.
struct DataSpec {
  Split split = Split::kTrain;
  int64_t batch_size = 16;
  int num_classes = 0;  // labels outside 0..num_classes-1 (and not ignored) are errors
  uint64_t seed = 17;
};

// The batches of one split. The trainer sees no difference between local and streamed sets.
// Training batches are shuffled, cropped and augmented as the config says, by train_transforms or
// classification_transforms as the set's labels are; evaluation batches come in the order of the
// set, each sample once.
// `set`: the split's shards where the caller has opened them, to see what they count.
absl::StatusOr<std::unique_ptr<DataLoader>> BuildDataLoader(
    const DataConfig& config, const DataSpec& spec,
    std::shared_ptr<const StreamingSet> set = nullptr);

}  // namespace tessera

#endif  // TESSERA_DATA_BUILD_DATA_H_
