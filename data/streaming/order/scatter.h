#ifndef TESSERA_DATA_STREAMING_ORDER_SCATTER_H_
#define TESSERA_DATA_STREAMING_ORDER_SCATTER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "data/order/sample_order.h"
#include "data/streaming/order/epoch_ids.h"
#include "data/streaming/order/keyed_permutation.h"

namespace tessera {

// One epoch's permutation of 0 to size - 1, in constant memory and time at every position. Ids are
// cut into blocks of `block` ids, about a shard; the blocks stand in the order of a keyed
// permutation, and the samples of each `window` of neighbouring blocks in that of another. So a
// reader needs about `window` shards at a time, and each of them once.
class ScatterPermutation {
 public:
  // `block` and `window` are positive.
  ScatterPermutation(int64_t size, int64_t block, int64_t window, uint64_t key);

  int64_t size() const { return size_; }

  int64_t operator()(int64_t position) const;

 private:
  int64_t size_;
  int64_t block_;
  int64_t window_;      // blocks
  int64_t last_block_;  // size of the one block that may be shorter
  uint64_t key_;
  KeyedPermutation blocks_;
  int64_t short_slot_;  // where the shorter block stands
};

struct ScatterOptions {
  int64_t block = 1;        // ids that lie together: samples of a shard, about
  int64_t window_size = 1;  // samples that are mixed, about: shuffle_block_size
  int num_canonical_nodes = 1;
  uint64_t seed = 9176;
};

// What one rank of a world takes of the epochs of a ScatterPermutation. Nodes take neighbouring
// parts of it, so that each reads its own shards; an epoch repeats fewer samples than there are
// canonical nodes and ranks together, so that all ranks get equally many.
class ScatterOrder : public SampleOrder {
 public:
  // Errors: see NodePositions.
  static absl::StatusOr<std::unique_ptr<const SampleOrder>> Create(int64_t num_samples,
                                                                   const ScatterOptions& options,
                                                                   const World& world, int rank);

  int64_t samples_per_epoch() const override { return samples_per_rank_; }
  absl::StatusOr<std::unique_ptr<const EpochOrder>> Epoch(int64_t epoch) const override;

 private:
  ScatterOrder(int64_t num_samples, const ScatterOptions& options, const World& world, int rank,
               int64_t samples_per_rank)
      : num_samples_(num_samples),
        options_(options),
        world_(world),
        rank_(rank),
        samples_per_rank_(samples_per_rank) {}

  int64_t num_samples_;
  ScatterOptions options_;
  World world_;
  int rank_;
  int64_t samples_per_rank_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_SCATTER_H_
