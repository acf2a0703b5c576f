#ifndef TESSERA_DATA_STREAMING_ORDER_EPOCH_IDS_H_
#define TESSERA_DATA_STREAMING_ORDER_EPOCH_IDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera {

// The processes that an epoch is dealt to.
struct World {
  int nodes = 1;
  int ranks_per_node = 1;
  int workers_per_rank = 1;
  int64_t batch_size = 1;  // of one rank

  int ranks() const { return nodes * ranks_per_node; }
  int64_t global_batch_size() const { return batch_size * ranks(); }
};

// The sample ids of an epoch as they are dealt to a world.
class EpochIds {
 public:
  static constexpr int64_t kNone = -1;  // pads a batch that is not full

  // `layout`: [node][rank of the node][worker of the rank][batch][sample of the batch], row-major.
  EpochIds(const World& world, std::vector<int64_t> layout);

  // Deals ids that stand in the order of consumption: batch by batch of every worker, and in these
  // node by node, rank by rank. An error where they do not fill one batch of all workers, or
  // several.
  static absl::StatusOr<EpochIds> Deal(const World& world, absl::Span<const int64_t> consumption);

  const World& world() const { return world_; }
  const std::vector<int64_t>& layout() const { return layout_; }
  std::vector<int64_t>& layout() { return layout_; }

  int64_t batches_per_worker() const { return batches_; }

  // All ids in the order of consumption, kNone among them.
  std::vector<int64_t> InConsumption() const;

  // What one rank takes, in its order: a batch of each of its workers in turn. Without kNone.
  std::vector<int64_t> OfRank(int rank) const;

 private:
  // Where a batch begins in the layout.
  int64_t Start(int rank, int worker, int64_t batch) const {
    return ((int64_t{rank} * world_.workers_per_rank + worker) * batches_ + batch) *
           world_.batch_size;
  }

  World world_;
  int64_t batches_ = 0;
  std::vector<int64_t> layout_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_EPOCH_IDS_H_
