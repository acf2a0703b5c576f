#ifndef TESSERA_DATA_STREAMING_SHARD_READAHEAD_H_
#define TESSERA_DATA_STREAMING_SHARD_READAHEAD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "data/datasets/dataset.h"
#include "data/order/sample_order.h"

namespace tessera {

// Walks an order ahead of its reader and fetches the shards that come, several at once, so that
// they are there when they are needed.
class ShardReadahead : public Readahead {
 public:
  struct Options {
    int64_t window = 64;  // positions ahead of the reader's
    int num_threads = 4;  // shards that are fetched at once
    // Notified first when the object goes, so that fetches that wait can end. May be null.
    absl::Notification* stop = nullptr;
  };
  // `shard_of` gives the shard of a sample. `fetch` fetches a shard that is not there; its errors
  // are left to the reader, who will meet them at the sample. `order` outlives the object.
  ShardReadahead(const EpochOrder& order, int64_t first, const Options& options,
                 std::function<size_t(int64_t)> shard_of,
                 std::function<absl::Status(size_t)> fetch);
  ~ShardReadahead() override;

  void Advance(int64_t position) override;

 private:
  void Work();
  bool Ready() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const EpochOrder& order_;
  const Options options_;
  const std::function<size_t(int64_t)> shard_of_;
  const std::function<absl::Status(size_t)> fetch_;

  absl::Mutex mutex_;
  int64_t reader_ ABSL_GUARDED_BY(mutex_);
  int64_t next_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<size_t, int64_t> fetched_ ABSL_GUARDED_BY(mutex_);  // shard: position

  std::vector<std::thread> threads_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_SHARD_READAHEAD_H_
