#include "data/order/permutation_order.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "data/order/listed_order.h"
#include "data/random/philox.h"

namespace tessera {
namespace {

class Strided : public EpochOrder {
 public:
  Strided(int64_t size, int64_t first, int64_t stride)
      : size_(size), first_(first), stride_(stride) {}

  int64_t size() const override { return size_; }
  int64_t At(int64_t position) const override { return first_ + position * stride_; }

 private:
  int64_t size_;
  int64_t first_;
  int64_t stride_;
};

}  // namespace

int64_t SequentialOrder::samples_per_epoch() const {
  return std::max<int64_t>(0, (num_samples_ - rank_ + world_ - 1) / world_);
}

absl::StatusOr<std::unique_ptr<const EpochOrder>> SequentialOrder::Epoch(int64_t) const {
  return std::make_unique<const Strided>(samples_per_epoch(), rank_, world_);
}

absl::StatusOr<std::unique_ptr<const EpochOrder>> PermutationOrder::Epoch(int64_t epoch) const {
  if (num_samples_ > int64_t{UINT32_MAX}) {
    return absl::UnimplementedError(
        absl::StrCat("the set has ", num_samples_, " samples, expected less than 2^32"));
  }
  std::vector<int64_t> ids(num_samples_);
  std::iota(ids.begin(), ids.end(), int64_t{0});
  // No sample has this id, so no sample's own random numbers are these.
  Philox random(seed_, static_cast<uint32_t>(epoch), UINT64_MAX);
  for (int64_t i = num_samples_ - 1; i > 0; --i) {
    std::swap(ids[i], ids[random.Below(static_cast<uint32_t>(i) + 1)]);
  }
  return std::make_unique<const ListedOrder>(std::move(ids));
}

}  // namespace tessera
