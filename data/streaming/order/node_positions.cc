#include "data/streaming/order/node_positions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

int64_t Missing(int64_t value, int64_t multiple) {
  return (multiple - value % multiple) % multiple;
}

}  // namespace

absl::StatusOr<NodePositions> NodePositions::Create(int64_t num_samples,
                                                    int64_t num_canonical_nodes, int64_t first,
                                                    const World& world, int node) {
  if (num_canonical_nodes % world.nodes != 0 && world.nodes % num_canonical_nodes != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "data.streaming.num_canonical_nodes: ", num_canonical_nodes, " and ", world.nodes,
        " nodes: one must divide the other, else every node would read every shard"));
  }
  NodePositions positions;
  positions.num_samples_ = num_samples;
  positions.rows_ = num_canonical_nodes;
  positions.filled_ = (num_samples + num_canonical_nodes - 1) / num_canonical_nodes;
  // Several nodes may take from one row, equally many columns each: padding repeats what stands
  // before it, so far back that each node repeats a column of its own.
  const int64_t nodes_per_row = std::max<int64_t>(world.nodes / num_canonical_nodes, 1);
  const int64_t padding = Missing(positions.filled_, nodes_per_row);
  positions.width_ = positions.filled_ + padding;
  positions.padding_source_ = positions.filled_ - nodes_per_row + 1 - padding;
  positions.cycle_ = num_samples < num_canonical_nodes ||
                     (num_samples == num_canonical_nodes && nodes_per_row > 1);
  if (!positions.cycle_ && padding > 0 && positions.padding_source_ < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "data.streaming.num_canonical_nodes: ", num_samples, " samples in ", num_canonical_nodes,
        " canonical nodes are too few for ", world.nodes, " nodes; set it to ", world.nodes));
  }
  const int64_t slots = positions.rows_ * positions.width_;
  positions.first_ = std::min(first - first % world.nodes, slots);
  positions.nodes_ = world.nodes;
  positions.node_ = node;
  positions.size_ = (slots - positions.first_) / world.nodes;
  positions.missing_ = Missing(positions.size_, world.ranks_per_node);
  positions.repeated_ = positions.size_ - world.ranks_per_node - positions.missing_ + 1;
  return positions;
}

int64_t NodePositions::Across(int64_t index) const {
  const int64_t row = index % rows_;
  int64_t column = index / rows_;
  if (cycle_) return (row * width_ + column) % num_samples_;
  if (column >= filled_) column += padding_source_ - filled_;
  const int64_t begin = row * num_samples_ / rows_;
  const int64_t end = (row + 1) * num_samples_ / rows_;
  return std::min(begin + column, end - 1);  // a row that comes out short repeats its last
}

int64_t NodePositions::At(int64_t index) const {
  if (index >= size_) {
    index -= size_;
    index = repeated_ >= 0 ? repeated_ + index : index % size_;
  }
  return Across(first_ + node_ + index * nodes_);
}

}  // namespace tessera
