#include "data/streaming/order/epoch_ids.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera {

EpochIds::EpochIds(const World& world, std::vector<int64_t> layout)
    : world_(world),
      batches_(static_cast<int64_t>(layout.size()) /
               (world.global_batch_size() * world.workers_per_rank)),
      layout_(std::move(layout)) {}

absl::StatusOr<EpochIds> EpochIds::Deal(const World& world, absl::Span<const int64_t> consumption) {
  const int64_t round = world.global_batch_size() * world.workers_per_rank;
  if (consumption.size() % round != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        consumption.size(), " samples cannot be dealt in batches of ", world.batch_size, " to ",
        world.ranks(), " ranks of ", world.workers_per_rank, " workers"));
  }
  EpochIds epoch(world, std::vector<int64_t>(consumption.size()));
  const int64_t* from = consumption.data();
  for (int64_t batch = 0; batch < epoch.batches_; ++batch) {
    for (int worker = 0; worker < world.workers_per_rank; ++worker) {
      for (int rank = 0; rank < world.ranks(); ++rank) {
        std::copy_n(from, world.batch_size,
                    epoch.layout_.begin() + epoch.Start(rank, worker, batch));
        from += world.batch_size;
      }
    }
  }
  return epoch;
}

std::vector<int64_t> EpochIds::InConsumption() const {
  std::vector<int64_t> consumption;
  consumption.reserve(layout_.size());
  for (int64_t batch = 0; batch < batches_; ++batch) {
    for (int worker = 0; worker < world_.workers_per_rank; ++worker) {
      for (int rank = 0; rank < world_.ranks(); ++rank) {
        const auto from = layout_.begin() + Start(rank, worker, batch);
        consumption.insert(consumption.end(), from, from + world_.batch_size);
      }
    }
  }
  return consumption;
}

std::vector<int64_t> EpochIds::OfRank(int rank) const {
  std::vector<int64_t> ids;
  ids.reserve(batches_ * world_.workers_per_rank * world_.batch_size);
  for (int64_t batch = 0; batch < batches_; ++batch) {
    for (int worker = 0; worker < world_.workers_per_rank; ++worker) {
      const auto from = layout_.begin() + Start(rank, worker, batch);
      std::copy_if(from, from + world_.batch_size, std::back_inserter(ids),
                   [](int64_t id) { return id != kNone; });
    }
  }
  return ids;
}

}  // namespace tessera
