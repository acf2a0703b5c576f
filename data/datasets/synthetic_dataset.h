#ifndef TESSERA_DATA_DATASETS_SYNTHETIC_DATASET_H_
#define TESSERA_DATA_DATASETS_SYNTHETIC_DATASET_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/datasets/dataset.h"
#include "data/datasets/datasets.pb.h"

namespace tessera {

// The classes of the synthetic set, in the order of their labels.
inline constexpr absl::string_view kSyntheticClasses[] = {
    "background", "disc", "square", "triangle", "ring", "cross", "bar", "star"};

// A set made in memory: a few shapes on a shaded ground, turned and scaled at random. A class shows
// in its outline and in the direction of its stripes; colour says nothing, and there is noise.
// Masks are in ADE20K's form (data.reduce_zero_label: true): 0 is void, a border around each shape;
// class c is stored as c + 1. With labels: CLASSES an image shows one large shape, which is its
// class; there is no mask. Sample i is a function of (seed, split, i) alone.
absl::StatusOr<std::shared_ptr<const Dataset>> MakeSyntheticDataset(const SyntheticConfig& config,
                                                                    bool train);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_SYNTHETIC_DATASET_H_
