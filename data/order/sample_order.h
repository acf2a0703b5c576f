#ifndef TESSERA_DATA_ORDER_SAMPLE_ORDER_H_
#define TESSERA_DATA_ORDER_SAMPLE_ORDER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"

namespace tessera {

// The samples of one epoch, by position. May be used from several threads at once.
class EpochOrder {
 public:
  virtual ~EpochOrder() = default;

  // Positions of the epoch.
  virtual int64_t size() const = 0;

  // The id of the sample at `position`, 0 to size() - 1.
  virtual int64_t At(int64_t position) const = 0;
};

// Draws the order of each epoch.
class SampleOrder {
 public:
  virtual ~SampleOrder() = default;

  // Size of every epoch.
  virtual int64_t samples_per_epoch() const = 0;

  // The order of `epoch`, from 0: the same each time it is asked for.
  virtual absl::StatusOr<std::unique_ptr<const EpochOrder>> Epoch(int64_t epoch) const = 0;
};

}  // namespace tessera

#endif  // TESSERA_DATA_ORDER_SAMPLE_ORDER_H_
