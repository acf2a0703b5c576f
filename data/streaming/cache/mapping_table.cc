#include "data/streaming/cache/mapping_table.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace tessera {
namespace {

constexpr absl::Duration kStopPeriod = absl::Milliseconds(20);  // how often a wait looks for it

// Called under the stripe's mutex, without which nobody gets at a mapping that is used by the table
// alone.
bool IsIdle(const MappingTable::Mapping& mapping) { return mapping.use_count() == 1; }

}  // namespace

MappingTable::Mapping MappingTable::Use(Entry& entry) const {
  entry.last_use = made_.load(std::memory_order_relaxed);
  return *entry.mapping;
}

MappingTable::Mapping MappingTable::Find(size_t shard) {
  Stripe& stripe = StripeOf(shard);
  absl::MutexLock lock(&stripe.mutex);
  const auto found = stripe.entries.find(shard);
  return found != stripe.entries.end() && found->second->done ? Use(*found->second) : nullptr;
}

absl::StatusOr<MappingTable::Mapping> MappingTable::FindOrLoad(
    size_t shard, const std::function<absl::StatusOr<Mapping>()>& load,
    const absl::Notification* stop) {
  Stripe& stripe = StripeOf(shard);
  std::shared_ptr<Entry> entry;
  {
    absl::MutexLock lock(&stripe.mutex);
    std::shared_ptr<Entry>& place = stripe.entries[shard];
    if (place != nullptr) {
      entry = place;
      const absl::Duration period = stop == nullptr ? absl::InfiniteDuration() : kStopPeriod;
      while (!stripe.mutex.AwaitWithTimeout(absl::Condition(&entry->done), period)) {
        if (stop->HasBeenNotified()) {
          return absl::CancelledError("stopped while another thread fetched it");
        }
      }
      return entry->mapping;
    }
    entry = place = std::make_shared<Entry>();
  }
  absl::StatusOr<Mapping> mapping = load();
  {
    absl::MutexLock lock(&stripe.mutex);
    entry->mapping = mapping;
    entry->done = true;
    entry->last_use = made_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!mapping.ok()) {
      stripe.entries.erase(shard);
      return mapping;
    }
  }
  if (const size_t size = ++size_; size > capacity_) CloseOldestIdle(size - capacity_);
  return mapping;
}

void MappingTable::CloseIdle() { CloseOldestIdle(std::numeric_limits<size_t>::max()); }

void MappingTable::CloseOldestIdle(size_t count) {
  std::vector<std::pair<uint64_t, size_t>> idle;  // last use, shard
  for (Stripe& stripe : stripes_) {
    absl::MutexLock lock(&stripe.mutex);
    for (const auto& [shard, entry] : stripe.entries) {
      if (entry->done && IsIdle(*entry->mapping)) idle.emplace_back(entry->last_use, shard);
    }
  }
  std::sort(idle.begin(), idle.end());
  idle.resize(std::min(count, idle.size()));
  for (const auto& [last_use, shard] : idle) {
    Stripe& stripe = StripeOf(shard);
    std::shared_ptr<Entry> closed;  // outside of the lock
    absl::MutexLock lock(&stripe.mutex);
    const auto found = stripe.entries.find(shard);
    if (found == stripe.entries.end() || !found->second->done) continue;
    if (!IsIdle(*found->second->mapping)) continue;
    closed = std::move(found->second);
    stripe.entries.erase(found);
    --size_;
  }
}

}  // namespace tessera
