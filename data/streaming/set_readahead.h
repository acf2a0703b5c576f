#ifndef TESSERA_DATA_STREAMING_SET_READAHEAD_H_
#define TESSERA_DATA_STREAMING_SET_READAHEAD_H_

#include <cstdint>
#include <memory>

#include "absl/synchronization/notification.h"
#include "data/order/sample_order.h"
#include "data/streaming/shard_readahead.h"
#include "data/streaming/streaming.pb.h"
#include "data/streaming/streaming_set.h"

namespace tessera {

// Fetches the shards that the samples of `order` from `first` on need, as far ahead and as many at
// once as `config` says; null where `set` fetches nothing. `set`, `order` and `stop`, which is
// notified first when the object goes, outlive it.
std::unique_ptr<ShardReadahead> StartSetReadahead(const StreamingConfig& config,
                                                  const StreamingSet& set, const EpochOrder& order,
                                                  int64_t first, int64_t batch_size,
                                                  absl::Notification* stop);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_SET_READAHEAD_H_
