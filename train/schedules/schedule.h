#ifndef TESSERA_TRAIN_SCHEDULES_SCHEDULE_H_
#define TESSERA_TRAIN_SCHEDULES_SCHEDULE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "train/schedules/schedules.pb.h"
#include "train/time.h"

namespace tessera {

// A factor on the learning rate, a pure function of the batch: a resumed run needs no state of it.
class Schedule {
 public:
  virtual ~Schedule() = default;

  // The factor of batch `batch`, counted from 0. Finite and in closed form for every batch, also
  // past the end of the training.
  virtual double Factor(int64_t batch) const = 0;
};

absl::StatusOr<std::unique_ptr<Schedule>> BuildSchedule(const ScheduleConfig& config,
                                                        const TrainingLength& length);

}  // namespace tessera

#endif  // TESSERA_TRAIN_SCHEDULES_SCHEDULE_H_
