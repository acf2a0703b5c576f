#include "data/loader/order.h"

#include <numeric>
#include <utility>

#include "data/random/philox.h"

namespace tessera {

std::vector<int64_t> EpochOrder(int64_t num_samples, uint64_t seed, int64_t epoch, bool shuffle) {
  std::vector<int64_t> order(num_samples);
  std::iota(order.begin(), order.end(), int64_t{0});
  if (!shuffle) return order;
  // No sample has this id, so no sample's own random numbers are these.
  Philox random(seed, static_cast<uint32_t>(epoch), UINT64_MAX);
  for (int64_t i = num_samples - 1; i > 0; --i) {
    std::swap(order[i], order[random.Below(static_cast<uint32_t>(i) + 1)]);
  }
  return order;
}

}  // namespace tessera
