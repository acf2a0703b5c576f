#include "data/storage/fetcher.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

absl::Status FileError(const std::string& uri) {
  return absl::InternalError(
      absl::StrCat(uri, ": cannot write what was fetched: ", std::strerror(errno)));
}

absl::Status WriteAt(int file, absl::string_view data, uint64_t offset, const std::string& uri) {
  while (!data.empty()) {
    const ssize_t count = pwrite(file, data.data(), data.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError(uri);
    data.remove_prefix(count);
    offset += count;
  }
  return absl::OkStatus();
}

}  // namespace

// An object's ranges, which several threads take one after the other.
struct Fetcher::Ranges {
  Ranges(absl::string_view key, uint64_t size, uint64_t step, int file,
         const absl::Notification* stop)
      : key(key), size(size), step(step), file(file), stop(stop) {}

  const absl::string_view key;
  const uint64_t size;
  const uint64_t step;
  const int file;
  const absl::Notification* const stop;  // may be null
  std::atomic<uint64_t> next = 0;        // the first byte that no thread has taken
  std::atomic<bool> failed = false;

  absl::Mutex mutex;
  std::string version ABSL_GUARDED_BY(mutex);  // of the first range that came
  absl::Status error ABSL_GUARDED_BY(mutex);   // the first

  std::string Version() {
    absl::MutexLock lock(&mutex);
    return version;
  }

  // Ranges that started before the first one came have no version to insist on: they compare here.
  absl::Status CheckVersion(const std::string& found) {
    absl::MutexLock lock(&mutex);
    if (version.empty()) version = found;
    if (version == found) return absl::OkStatus();
    return absl::FailedPreconditionError("the object changed while it was read");
  }

  void Fail(const absl::Status& status) {
    absl::MutexLock lock(&mutex);
    if (error.ok()) error = status;
    failed = true;
  }
};

Fetcher::Fetcher(std::shared_ptr<Store> store, const FetchOptions& options, FetchCounters* counters,
                 Clock* clock)
    : store_(std::move(store)), options_(options), counters_(counters), clock_(clock) {}

Attempts Fetcher::NewAttempts(absl::string_view key, const absl::Notification* stop) const {
  return Attempts({.attempts = options_.attempts,
                   .first_backoff = options_.first_backoff,
                   .max_backoff = options_.max_backoff},
                  store_->Uri(key), clock_, stop);
}

absl::Status Fetcher::Fetch(absl::string_view key, uint64_t size, int file,
                            const absl::Notification* stop) const {
  Attempts attempts = NewAttempts(key, stop);
  while (true) {
    const absl::Status status = FetchRanges(key, size, file, stop);
    if (status.ok()) return status;
    if (ftruncate(file, 0) != 0) return FileError(store_->Uri(key));
    // All else has been tried again range by range.
    if (!absl::IsFailedPrecondition(status)) return status;
    if (!attempts.Again(status)) return attempts.Explain(status);
    ++counters_->retries;
  }
}

absl::Status Fetcher::FetchRanges(absl::string_view key, uint64_t size, int file,
                                  const absl::Notification* stop) const {
  if (ftruncate(file, size) != 0) return FileError(store_->Uri(key));
  Ranges ranges(key, size, std::max<uint64_t>(1, std::min(size, options_.range_bytes)), file, stop);
  const auto work = [&] {
    const auto buffer = std::make_unique_for_overwrite<char[]>(ranges.step);
    while (!ranges.failed) {
      const uint64_t offset = ranges.next.fetch_add(ranges.step);
      if (offset >= size) return;
      if (const absl::Status status = FetchRange(ranges, offset, buffer.get()); !status.ok()) {
        ranges.Fail(status);
      }
    }
  };
  const uint64_t count = (size + ranges.step - 1) / ranges.step;
  const uint64_t most = std::max(1, options_.parallel_ranges);
  std::vector<std::thread> others;
  for (uint64_t i = 1; i < std::min(count, most); ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  absl::MutexLock lock(&ranges.mutex);
  return ranges.error;
}

absl::Status Fetcher::FetchRange(Ranges& ranges, uint64_t offset, char* buffer) const {
  const absl::Span<char> out(buffer, std::min(ranges.step, ranges.size - offset));
  Attempts attempts = NewAttempts(ranges.key, ranges.stop);
  while (true) {
    if (ranges.stop != nullptr && ranges.stop->HasBeenNotified()) {
      return absl::CancelledError(absl::StrCat(store_->Uri(ranges.key), ": stopped"));
    }
    std::string version = ranges.Version();
    ++counters_->requests;
    const absl::Status status = store_->ReadRange(ranges.key, ranges.size, offset, out, &version);
    if (status.ok()) {
      counters_->bytes += out.size();
      TESSERA_RETURN_IF_ERROR(ranges.CheckVersion(version));
      return WriteAt(ranges.file, {out.data(), out.size()}, offset, store_->Uri(ranges.key));
    }
    if (absl::IsFailedPrecondition(status)) return status;
    if (ranges.failed || !attempts.Again(status)) return attempts.Explain(status);
    ++counters_->retries;
  }
}

absl::StatusOr<uint64_t> Fetcher::Size(absl::string_view key) const {
  Attempts attempts = NewAttempts(key);
  while (true) {
    ++counters_->requests;
    absl::StatusOr<uint64_t> size = store_->Size(key);
    if (size.ok()) return size;
    if (!attempts.Again(size.status())) return attempts.Explain(size.status());
    ++counters_->retries;
  }
}

absl::StatusOr<std::string> Fetcher::Fetch(absl::string_view key) const {
  Attempts attempts = NewAttempts(key);
  while (true) {
    ++counters_->requests;
    absl::StatusOr<std::string> contents = store_->Read(key);
    if (contents.ok()) {
      counters_->bytes += contents->size();
      return contents;
    }
    if (!attempts.Again(contents.status())) return attempts.Explain(contents.status());
    ++counters_->retries;
  }
}

}  // namespace tessera
