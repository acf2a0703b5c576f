#ifndef TESSERA_DATA_ORDER_PERMUTATION_ORDER_H_
#define TESSERA_DATA_ORDER_PERMUTATION_ORDER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "data/order/sample_order.h"

namespace tessera {

// Every sample once, in the order of the ids.
class SequentialOrder : public SampleOrder {
 public:
  explicit SequentialOrder(int64_t num_samples) : num_samples_(num_samples) {}

  int64_t samples_per_epoch() const override { return num_samples_; }
  absl::StatusOr<std::unique_ptr<const EpochOrder>> Epoch(int64_t epoch) const override;

 private:
  int64_t num_samples_;
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
