#include "data/streaming/order/partition.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/streaming/order/node_positions.h"

namespace tessera {
namespace {

bool EitherDivides(int64_t a, int64_t b) { return a % b == 0 || b % a == 0; }

absl::StatusOr<EpochIds> PartitionOriginal(int64_t num_samples, int64_t num_canonical_nodes,
                                           int64_t first, const World& world) {
  TESSERA_ASSIGN_OR_RETURN(
      const NodePositions first_node,
      NodePositions::Create(num_samples, num_canonical_nodes, first, world, 0));
  const int64_t round = world.workers_per_rank * world.batch_size;
  const int64_t per_rank = first_node.size() / world.ranks_per_node;
  const int64_t batches = (per_rank + round - 1) / round;
  EpochIds epoch(world, std::vector<int64_t>(world.ranks() * batches * round, EpochIds::kNone));
  int64_t* out = epoch.layout().data();
  for (int node = 0; node < world.nodes; ++node) {
    const NodePositions positions = first_node.OfNode(node);
    for (int rank = 0; rank < world.ranks_per_node; ++rank) {
      for (int64_t worker = 0; worker < world.workers_per_rank; ++worker) {
        for (int64_t batch = 0; batch < batches; ++batch, out += world.batch_size) {
          const int64_t start = (batch * world.workers_per_rank + worker) * world.batch_size;
          const int64_t end = std::min(start + world.batch_size, per_rank);
          for (int64_t i = start; i < end; ++i) {
            out[i - start] = positions.At(i * world.ranks_per_node + rank);
          }
        }
      }
    }
  }
  return epoch;
}

}  // namespace

absl::StatusOr<EpochIds> Partition(int64_t num_samples, const PartitionOptions& options,
                                   const World& world) {
  if (options.first > num_samples + world.ranks() - num_samples % world.ranks()) {
    return absl::OutOfRangeError(absl::StrCat("cannot resume after sample ", options.first,
                                              " of an epoch of ", num_samples));
  }
  const int initial = options.initial_nodes == 0 ? world.nodes : options.initial_nodes;
  if (!options.relaxed || EitherDivides(options.num_canonical_nodes, world.nodes)) {
    return PartitionOriginal(num_samples, options.num_canonical_nodes, options.first, world);
  }
  // As the nodes that began the epoch would go on, and that dealt to the present ones.
  World began = world;
  began.nodes = initial;
  if (world.global_batch_size() % began.ranks() != 0) {
    return absl::InvalidArgumentError(absl::StrCat("a global batch of ", world.global_batch_size(),
                                                   " cannot be dealt to the ", began.ranks(),
                                                   " ranks that began the epoch"));
  }
  began.batch_size = world.global_batch_size() / began.ranks();
  TESSERA_ASSIGN_OR_RETURN(
      const EpochIds epoch,
      PartitionOriginal(num_samples, options.num_canonical_nodes, options.first, began));
  return EpochIds::Deal(world, epoch.InConsumption());
}

}  // namespace tessera
