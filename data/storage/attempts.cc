#include "data/storage/attempts.h"

#include <glog/logging.h>

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "data/storage/store_error.h"

namespace tessera {
namespace {

constexpr absl::Duration kLongestRetryAfter = absl::Minutes(2);

class SystemClock : public Clock {
 public:
  absl::Time Now() override { return absl::Now(); }
  void Sleep(absl::Duration wait) override { absl::SleepFor(wait); }
  bool SleepUnless(const absl::Notification& stop, absl::Duration wait) override {
    return !stop.WaitForNotificationWithTimeout(wait);
  }
};

bool MayPass(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return true;
    default:
      return false;
  }
}

absl::Duration Backoff(const AttemptLimits& limits, int made) {
  // Not of the run's seed: two runs of one seed must not come back together either.
  thread_local std::minstd_rand random{std::random_device{}()};
  absl::Duration longest = limits.first_backoff;
  for (int i = 1; i < made && longest < limits.max_backoff; ++i) longest *= 2;
  return std::min(longest, limits.max_backoff) *
         std::uniform_real_distribution<double>(0.5, 1.0)(random);
}

}  // namespace

Clock* Clock::System() {
  static SystemClock clock;
  return &clock;
}

bool Clock::SleepUnless(const absl::Notification& stop, absl::Duration wait) {
  if (stop.HasBeenNotified()) return false;
  Sleep(wait);
  return !stop.HasBeenNotified();
}

Attempts::Attempts(const AttemptLimits& limits, std::string uri, Clock* clock,
                   const absl::Notification* stop)
    : limits_(limits), uri_(std::move(uri)), clock_(clock), stop_(stop), start_(clock->Now()) {}

bool Attempts::Again(const absl::Status& error) {
  ++made_;
  if (made_ >= limits_.attempts) return false;
  if (absl::IsUnauthenticated(error)) return !std::exchange(renewed_, true);
  if (!MayPass(error.code())) return false;
  const absl::Duration wait =
      std::max(Backoff(limits_, made_), std::min(RetryAfter(error), kLongestRetryAfter));
  // Short pauses are nobody's concern.
  if (made_ > 2) {
    LOG_EVERY_T(WARNING, 5) << "attempt " << made_ << " of " << limits_.attempts
                            << " failed, the next in " << absl::Trunc(wait, absl::Milliseconds(100))
                            << ": " << error.message();
  }
  if (stop_ == nullptr) {
    clock_->Sleep(wait);
  } else {
    stopped_ = !clock_->SleepUnless(*stop_, wait);
  }
  return !stopped_;
}

absl::Status Attempts::Explain(const absl::Status& error) const {
  if (error.ok()) return error;
  absl::string_view cause = error.message();
  absl::ConsumePrefix(&cause, absl::StrCat(uri_, ": "));
  if (stopped_) {
    return absl::CancelledError(
        absl::StrCat(uri_, ": stopped before attempt ", made_ + 1, "; the last: ", cause));
  }
  if (made_ < 2) return absl::Status(error.code(), absl::StrCat(uri_, ": ", cause));
  const absl::Duration spent = absl::Trunc(clock_->Now() - start_, absl::Milliseconds(100));
  return absl::Status(error.code(),
                      absl::StrCat(uri_, ": ", made_, " attempts in ", absl::FormatDuration(spent),
                                   ", the last: ", cause));
}

}  // namespace tessera
