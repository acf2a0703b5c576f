#include "data/streaming/order/scatter.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "data/streaming/order/node_positions.h"

namespace tessera {
namespace {

int64_t CeilDivide(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

class ScatterEpoch : public EpochOrder {
 public:
  ScatterEpoch(const ScatterPermutation& permutation, const NodePositions& positions,
               int ranks_per_node, int rank_of_node)
      : permutation_(permutation),
        positions_(positions),
        ranks_per_node_(ranks_per_node),
        rank_of_node_(rank_of_node) {}

  int64_t size() const override { return positions_.size() / ranks_per_node_; }
  int64_t At(int64_t position) const override {
    return permutation_(positions_.At(position * ranks_per_node_ + rank_of_node_));
  }

 private:
  const ScatterPermutation permutation_;
  const NodePositions positions_;
  const int64_t ranks_per_node_;
  const int64_t rank_of_node_;
};

}  // namespace

ScatterPermutation::ScatterPermutation(int64_t size, int64_t block, int64_t window, uint64_t key)
    : size_(size),
      block_(block),
      window_(window),
      last_block_(size - (CeilDivide(size, block) - 1) * block),
      key_(key),
      blocks_(CeilDivide(size, block), MixKey(key, 0)),
      short_slot_(blocks_.Inverse(blocks_.size() - 1)) {}

int64_t ScatterPermutation::operator()(int64_t position) const {
  // Positions behind the shorter block count as if it were whole, to find the window.
  const int64_t gap = block_ - last_block_;
  const int64_t short_window = short_slot_ / window_;
  const int64_t window_size = window_ * block_;
  const bool behind = position >= (short_window + 1) * window_size - gap;
  const int64_t window = (behind ? position + gap : position) / window_size;
  const int64_t first_slot = window * window_;
  const int64_t slots = std::min(window_, blocks_.size() - first_slot);
  const bool holds_short = window == short_window;
  const int64_t start = window * window_size - (behind ? gap : 0);
  const int64_t samples = slots * block_ - (holds_short ? gap : 0);

  int64_t place = KeyedPermutation(samples, MixKey(key_, window + 1))(position - start);
  if (holds_short && place >= (short_slot_ - first_slot) * block_ + last_block_) place += gap;
  const int64_t slot = first_slot + place / block_;
  return blocks_(slot) * block_ + place % block_;
}

absl::StatusOr<std::unique_ptr<const SampleOrder>> ScatterOrder::Create(
    int64_t num_samples, const ScatterOptions& options, const World& world, int rank) {
  TESSERA_ASSIGN_OR_RETURN(
      const NodePositions positions,
      NodePositions::Create(num_samples, options.num_canonical_nodes, 0, world, 0));
  return std::unique_ptr<const SampleOrder>(
      new ScatterOrder(num_samples, options, world, rank, positions.size() / world.ranks_per_node));
}

absl::StatusOr<std::unique_ptr<const EpochOrder>> ScatterOrder::Epoch(int64_t epoch) const {
  TESSERA_ASSIGN_OR_RETURN(const NodePositions positions,
                           NodePositions::Create(num_samples_, options_.num_canonical_nodes, 0,
                                                 world_, rank_ / world_.ranks_per_node));
  const int64_t window = std::max<int64_t>(CeilDivide(options_.window_size, options_.block), 1);
  const ScatterPermutation permutation(num_samples_, options_.block, window,
                                       MixKey(options_.seed, static_cast<uint64_t>(epoch)));
  return std::make_unique<ScatterEpoch>(permutation, positions, world_.ranks_per_node,
                                        rank_ % world_.ranks_per_node);
}

}  // namespace tessera
