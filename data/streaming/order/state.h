#ifndef TESSERA_DATA_STREAMING_ORDER_STATE_H_
#define TESSERA_DATA_STREAMING_ORDER_STATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// Where a run stands in its order: what StreamingDataset.state_dict() holds.
struct OrderState {
  int64_t epoch = 0;
  int64_t sample_in_epoch = 0;  // consumed by all ranks together, replicas counted once
  int num_canonical_nodes = 1;
  uint64_t shuffle_seed = 9176;
  int initial_physical_nodes = 0;  // that began the epoch; 0: not known

  // The five fields as JSON, in StreamingDataset's names.
  std::string ToJson() const;
};

// Reads what ToJson() or json.dumps(dataset.state_dict(...)) has written. The last field may be
// missing or null, as in checkpoints of older versions.
absl::StatusOr<OrderState> ParseOrderState(absl::string_view json);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_STATE_H_
