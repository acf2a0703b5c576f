#ifndef TESSERA_TRAIN_INTERVAL_H_
#define TESSERA_TRAIN_INTERVAL_H_

#include <cstdint>

namespace tessera {

// Whether something is due after batch number `batch` (from 1) of `max_batches`: every `every`
// batches, and after the last one. 0: only after the last one.
inline bool IsDue(int64_t every, int64_t batch, int64_t max_batches) {
  return batch == max_batches || (every > 0 && batch % every == 0);
}

}  // namespace tessera

#endif  // TESSERA_TRAIN_INTERVAL_H_
