#ifndef TESSERA_DATA_STREAMING_ORDER_NODE_POSITIONS_H_
#define TESSERA_DATA_STREAMING_ORDER_NODE_POSITIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "data/streaming/order/epoch_ids.h"

namespace tessera {

// The positions of an epoch that one node takes, in its order, by arithmetic alone. An epoch is cut
// into a row for each canonical node, and nodes take columns of the rows in turn. So a node takes
// from the same rows whatever the number of ranks, and where it comes out even, of nodes.
class NodePositions {
 public:
  // Of `node`, after the first `first` of the `num_samples` positions. Errors: numbers of nodes of
  // which neither divides the other; too few samples for them.
  static absl::StatusOr<NodePositions> Create(int64_t num_samples, int64_t num_canonical_nodes,
                                              int64_t first, const World& world, int node);

  NodePositions OfNode(int node) const {
    NodePositions other = *this;
    other.node_ = node;
    return other;
  }

  // A multiple of the ranks of a node: some positions are repeated at the end.
  int64_t size() const { return size_ + missing_; }

  int64_t At(int64_t index) const;

 private:
  NodePositions() = default;

  // Positions counted across the rows: each row's first, then each row's second, ...
  int64_t Across(int64_t index) const;

  int64_t num_samples_ = 0;
  int64_t rows_ = 0;
  int64_t width_ = 0;           // of each row
  int64_t filled_ = 0;          // columns that are not padding
  int64_t padding_source_ = 0;  // column that the first column of padding repeats
  bool cycle_ = false;          // fewer samples than rows: positions go round

  int64_t first_ = 0;  // that is not consumed
  int64_t nodes_ = 1;
  int64_t node_ = 0;
  int64_t size_ = 0;
  int64_t missing_ = 0;   // repeats
  int64_t repeated_ = 0;  // where they begin; negative: the whole goes round
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_NODE_POSITIONS_H_
