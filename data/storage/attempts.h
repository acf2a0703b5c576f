#ifndef TESSERA_DATA_STORAGE_ATTEMPTS_H_
#define TESSERA_DATA_STORAGE_ATTEMPTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace tessera {

// Time, as those see it who wait. Tests have their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() = 0;
  virtual void Sleep(absl::Duration wait) = 0;
  // Sleeps no longer than until `stop` is notified. Whether it was not. Of clocks that do not
  // override it, those who sleep see `stop` when they wake.
  virtual bool SleepUnless(const absl::Notification& stop, absl::Duration wait);

  static Clock* System();
};

// How often, and after which pauses, a request is made again. The defaults outlast a store that
// asks to slow down for a minute.
struct AttemptLimits {
  int attempts = 10;                                       // fewer than 1 count as 1
  absl::Duration first_backoff = absl::Milliseconds(500);  // doubled each time, with jitter
  absl::Duration max_backoff = absl::Seconds(30);
};

// The attempts at one request:
//
//   Attempts attempts(limits, uri, clock);
//   while (true) {
//     const absl::Status status = Try();
//     if (status.ok() || !attempts.Again(status)) return attempts.Explain(status);
//   }
//
// The pause before attempt n + 1 is drawn from the upper half of first_backoff * 2^(n-1), at most
// max_backoff: so the shortest sum of pauses is known, yet clients that failed together do not come
// back together. A store that asks to wait longer (Retry-After) is obeyed, up to two minutes.
// Whoever gives a `stop` ends the pause, and the attempts, by notifying it.
class Attempts {
 public:
  // `stop` may be null.
  Attempts(const AttemptLimits& limits, std::string uri, Clock* clock,
           const absl::Notification* stop = nullptr);

  // Whether `error` may pass by another attempt: if so, has slept until its time. Unauthenticated
  // is tried again once, with renewed credentials. None is made after `stop`.
  bool Again(const absl::Status& error);

  // `error` as the last of the attempts: "s3://b/k: 10 attempts in 1m23s, the last: ...". Cancelled
  // where there would have been another one but for `stop`.
  absl::Status Explain(const absl::Status& error) const;

 private:
  const AttemptLimits limits_;
  const std::string uri_;
  Clock* const clock_;
  const absl::Notification* const stop_;
  const absl::Time start_;
  int made_ = 0;
  bool stopped_ = false;
  bool renewed_ = false;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_ATTEMPTS_H_
