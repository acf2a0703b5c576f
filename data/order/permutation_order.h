#ifndef TESSERA_DATA_ORDER_PERMUTATION_ORDER_H_
#define TESSERA_DATA_ORDER_PERMUTATION_ORDER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "data/order/sample_order.h"

namespace tessera {

// The samples in the order of their ids: of `world` ranks, one takes `rank`, `rank` + `world`, ...,
// so that all together take each sample once, whether or not that comes out even.
class SequentialOrder : public SampleOrder {
 public:
  explicit SequentialOrder(int64_t num_samples, int world = 1, int rank = 0)
      : num_samples_(num_samples), world_(world), rank_(rank) {}

  int64_t samples_per_epoch() const override;
  absl::StatusOr<std::unique_ptr<const EpochOrder>> Epoch(int64_t epoch) const override;

 private:
  int64_t num_samples_;
  int world_;
  int rank_;
};

// Every sample once, in a permutation that depends on seed and epoch alone (Fisher-Yates with a
// Philox stream of its own): what PyTorch's RandomSampler is. It holds 8 bytes a sample.
class PermutationOrder : public SampleOrder {
 public:
  PermutationOrder(int64_t num_samples, uint64_t seed) : num_samples_(num_samples), seed_(seed) {}

  int64_t samples_per_epoch() const override { return num_samples_; }

  // An error for a set of 2^32 samples or more.
  absl::StatusOr<std::unique_ptr<const EpochOrder>> Epoch(int64_t epoch) const override;

 private:
  int64_t num_samples_;
  uint64_t seed_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_ORDER_PERMUTATION_ORDER_H_
