#ifndef TESSERA_DATA_STREAMING_CACHE_MAPPING_TABLE_H_
#define TESSERA_DATA_STREAMING_CACHE_MAPPING_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/mapped_file.h"

namespace tessera {

// A process's mappings of shards: those in use and, so that the next sample of a shard costs a
// look-up, a bounded number of idle ones. May be used from several threads.
class MappingTable {
 public:
  using Mapping = std::shared_ptr<const MappedFile>;

  // Idle mappings are closed, the longest unused first, where there would be more than `capacity`
  // mappings.
  explicit MappingTable(size_t capacity) : capacity_(capacity) {}

  // Null: not there.
  Mapping Find(size_t shard);

  // Makes it by `load` where it is not there. Of threads that want the same shard one loads; the
  // others wait for what it gets, an error too. A wait is Cancelled soon after `stop`, which may be
  // null, is notified.
  absl::StatusOr<Mapping> FindOrLoad(size_t shard,
                                     const std::function<absl::StatusOr<Mapping>()>& load,
                                     const absl::Notification* stop = nullptr);

  // Closes all idle mappings.
  void CloseIdle();

 private:
  // Being loaded, or loaded: then it has a mapping. One that failed is no longer in the table.
  struct Entry {
    bool done = false;
    absl::StatusOr<Mapping> mapping;
    uint64_t last_use = 0;  // in mappings made since the start
  };

  // Threads that read different shards seldom meet.
  struct alignas(64) Stripe {
    absl::Mutex mutex;
    absl::flat_hash_map<size_t, std::shared_ptr<Entry>> entries ABSL_GUARDED_BY(mutex);
  };

  Stripe& StripeOf(size_t shard) { return stripes_[shard % stripes_.size()]; }
  Mapping Use(Entry& entry) const;
  void CloseOldestIdle(size_t count);

  const size_t capacity_;
  std::array<Stripe, 64> stripes_;
  std::atomic<size_t> size_ = 0;
  std::atomic<uint64_t> made_ = 0;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_MAPPING_TABLE_H_
