#ifndef TESSERA_DATA_STREAMING_STREAMING_DATASET_H_
#define TESSERA_DATA_STREAMING_STREAMING_DATASET_H_

#include <memory>

#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/streaming/streaming.pb.h"
#include "data/streaming/streaming_set.h"

namespace tessera {

// The samples of `set` as images with masks: views of the mapped shards. A part that the config
// names and a sample lacks is an error that lists the parts there are; where the set's index tells,
// this call returns it.
//
// When a readahead goes, its fetches end and so do those of the calls to Get that wait: they are
// Cancelled as soon as the requests under way are over. Until the next one starts, Get fetches
// nothing more.
absl::StatusOr<std::shared_ptr<const Dataset>> MakeStreamingDataset(
    const StreamingConfig& config, std::shared_ptr<const StreamingSet> set);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_STREAMING_DATASET_H_
