#ifndef TESSERA_DATA_STORAGE_NO_WAIT_CLOCK_H_
#define TESSERA_DATA_STORAGE_NO_WAIT_CLOCK_H_

#include "absl/time/time.h"
#include "data/storage/attempts.h"

namespace tessera {

// Time that stands still, for tests whose pauses don't matter.
class NoWaitClock : public Clock {
 public:
  absl::Time Now() override { return absl::UnixEpoch(); }
  void Sleep(absl::Duration) override {}
};

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_NO_WAIT_CLOCK_H_
