#ifndef TESSERA_DATA_STORAGE_FETCHER_H_
#define TESSERA_DATA_STORAGE_FETCHER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "data/storage/attempts.h"
#include "data/storage/store.h"

namespace tessera {

// How an object is read: how hard it is tried for, and in what pieces.
struct FetchOptions {
  int attempts = AttemptLimits().attempts;     // of each request
  absl::Duration timeout = absl::Seconds(60);  // of one request
  absl::Duration first_backoff = AttemptLimits().first_backoff;
  absl::Duration max_backoff = AttemptLimits().max_backoff;
  uint64_t range_bytes = uint64_t{8} << 20;  // larger objects come in ranges of this size ...
  int parallel_ranges = 4;                   // ... so many at once
};

// What has moved, counted over all attempts: a byte that was fetched twice counts twice.
struct FetchCounters {
  std::atomic<int64_t> bytes = 0;
  std::atomic<int64_t> requests = 0;
  std::atomic<int64_t> retries = 0;
};

// Reads objects of a store, again where an error may pass. A range that fails is read again alone;
// an object that changes between two of its ranges is read again from its start. Errors name the
// object's address, the number of attempts and the last cause. May be used from several threads.
class Fetcher {
 public:
  // `counters` and `clock` outlive the fetcher.
  Fetcher(std::shared_ptr<Store> store, const FetchOptions& options, FetchCounters* counters,
          Clock* clock = Clock::System());

  Store& store() const { return *store_; }

  // Writes the object, which has `size` bytes, over the file `file` (a descriptor, which is left
  // open); at an error the file is empty. When `stop` is notified no request begins any more, and
  // nothing waits for the next attempt: what is missing is Cancelled as soon as the requests under
  // way, each of which has its timeout, are over.
  absl::Status Fetch(absl::string_view key, uint64_t size, int file,
                     const absl::Notification* stop = nullptr) const;

  // The number of bytes of an object.
  absl::StatusOr<uint64_t> Size(absl::string_view key) const;

  // The whole of an object whose size is not known.
  absl::StatusOr<std::string> Fetch(absl::string_view key) const;

 private:
  struct Ranges;

  Attempts NewAttempts(absl::string_view key, const absl::Notification* stop = nullptr) const;
  absl::Status FetchRanges(absl::string_view key, uint64_t size, int file,
                           const absl::Notification* stop) const;
  absl::Status FetchRange(Ranges& ranges, uint64_t offset, char* buffer) const;

  std::shared_ptr<Store> store_;
  FetchOptions options_;
  FetchCounters* counters_;
  Clock* clock_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_FETCHER_H_
