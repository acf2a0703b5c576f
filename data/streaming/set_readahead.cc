#include "data/streaming/set_readahead.h"

namespace tessera {
namespace {

// Batches that are fetched ahead where the config does not say how many samples.
constexpr int64_t kBatchesAhead = 8;

}  // namespace

std::unique_ptr<ShardReadahead> StartSetReadahead(const StreamingConfig& config,
                                                  const StreamingSet& set, const EpochOrder& order,
                                                  int64_t first, int64_t batch_size,
                                                  absl::Notification* stop) {
  if (!set.fetches()) return nullptr;
  const ShardReadahead::Options options = {
      .window = config.predownload() > 0 ? config.predownload() : kBatchesAhead * batch_size,
      .num_threads = config.download_threads(),
      .stop = stop};
  return std::make_unique<ShardReadahead>(
      order, first, options, [&set](int64_t id) { return set.ShardOf(id); },
      [&set, stop](size_t shard) { return set.Prefetch(shard, stop); });
}

}  // namespace tessera
