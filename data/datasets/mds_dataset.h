#ifndef TESSERA_DATA_DATASETS_MDS_DATASET_H_
#define TESSERA_DATA_DATASETS_MDS_DATASET_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// The MDS shards in `config.local()`/`split`. Samples are views of the mapped shards. A column that
// the config names and a shard lacks is an error that lists the columns there are.
absl::StatusOr<std::shared_ptr<const Dataset>> OpenMdsDataset(const StreamingConfig& config,
                                                              const std::string& split);

}  // namespace tessera

#endif  // TESSERA_DATA_DATASETS_MDS_DATASET_H_
