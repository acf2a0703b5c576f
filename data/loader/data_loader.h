#ifndef TESSERA_DATA_LOADER_DATA_LOADER_H_
#define TESSERA_DATA_LOADER_DATA_LOADER_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/datasets/dataset.h"
#include "data/loader/batch.h"

namespace tessera {

// Batches of one split, in order. Used by one thread; decoding happens in the loader's own threads.
class DataLoader {
 public:
  virtual ~DataLoader() = default;

  // What its batches hold of labels.
  virtual LabelKind label_kind() const { return LabelKind::kMask; }

  // Samples of the split, and of one batch (the last one of an epoch may be smaller).
  virtual int64_t num_samples() const = 0;
  virtual int64_t batch_size() const = 0;
  // Batches of one epoch.
  virtual int64_t num_batches() const = 0;
  // Samples that all batches of one epoch hold together (less than num_samples() with drop_last).
  virtual int64_t samples_per_epoch() const = 0;

  // Starts at `first_sample` (a count of samples consumed, a multiple of the batch size or the end)
  // of `epoch`, both from 0. The order and the random numbers depend on the seed and the epoch
  // alone.
  virtual absl::Status StartEpoch(int64_t epoch, int64_t first_sample) = 0;

  // The next batch, or nullopt at the end of the epoch. After an error the loader is at its end.
  virtual absl::StatusOr<std::optional<Batch>> Next() = 0;

  // Samples left out so far because they could not be decoded (bad_samples: SKIP).
  virtual int64_t skipped_samples() const = 0;
};

}  // namespace tessera

#endif  // TESSERA_DATA_LOADER_DATA_LOADER_H_
