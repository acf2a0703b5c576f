#ifndef TESSERA_DATA_LOADER_ORDER_H_
#define TESSERA_DATA_LOADER_ORDER_H_

#include <cstdint>
#include <vector>

namespace tessera {

// The sample ids of one epoch, each of 0 to num_samples - 1 once: in order, or a permutation that
// depends on seed and epoch alone (Fisher-Yates with a Philox stream of its own).
std::vector<int64_t> EpochOrder(int64_t num_samples, uint64_t seed, int64_t epoch, bool shuffle);

}  // namespace tessera

#endif  // TESSERA_DATA_LOADER_ORDER_H_
