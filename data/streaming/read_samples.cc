#include "data/streaming/read_samples.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "data/streaming/set_readahead.h"

namespace tessera {
namespace {

class Pass {
 public:
  Pass(const StreamingConfig& config, const StreamingSet& set, const EpochOrder& order,
       const ReadOptions& options)
      : set_(set),
        order_(order),
        options_(options),
        start_(absl::Now()),
        readahead_(StartSetReadahead(config, set, order, 0, options.batch_size, &stop_)) {}

  absl::StatusOr<ReadingReport> Run() {
    std::vector<std::thread> threads;
    for (int i = 1; i < options_.num_threads; ++i) threads.emplace_back([this] { Work(); });
    Work();
    for (std::thread& thread : threads) thread.join();
    readahead_.reset();
    if (!status_.ok()) return status_;
    ReadingReport report = {.samples = samples_,
                            .expected_samples = order_.size(),
                            .bytes = bytes_,
                            .first_batch_seconds = absl::ToDoubleSeconds(first_batch_),
                            .seconds = absl::ToDoubleSeconds(absl::Now() - start_)};
    report.AddCounters(set_);
    return report;
  }

 private:
  // Takes a batch after the other; what is shared is touched once a batch.
  void Work() {
    Record record;
    std::string buffer;
    while (true) {
      const int64_t first = next_.fetch_add(options_.batch_size);
      const int64_t end = std::min(first + options_.batch_size, order_.size());
      if (first >= end) return;
      int64_t bytes = 0;
      for (int64_t position = first; position < end; ++position) {
        const absl::Status status = set_.Get(order_.At(position), &record);
        if (!status.ok()) return Stop(status);
        for (const Part& part : record.parts) {
          buffer.assign(part.value.data(), part.value.size());
          bytes += static_cast<int64_t>(part.value.size());
        }
      }
      Finish(end - first, bytes);
    }
  }

  void Stop(const absl::Status& status) {
    next_ = order_.size();
    absl::MutexLock lock(&mutex_);
    if (status_.ok()) status_ = status;
  }

  void Finish(int64_t samples, int64_t bytes) {
    absl::MutexLock lock(&mutex_);
    if (samples_ == 0) first_batch_ = absl::Now() - start_;
    samples_ += samples;
    bytes_ += bytes;
    if (readahead_ != nullptr) readahead_->Advance(samples_);
    if (options_.progress != nullptr) options_.progress(samples_);
  }

  const StreamingSet& set_;
  const EpochOrder& order_;
  const ReadOptions& options_;
  const absl::Time start_;
  absl::Notification stop_;
  std::unique_ptr<ShardReadahead> readahead_;
  std::atomic<int64_t> next_ = 0;

  absl::Mutex mutex_;
  int64_t samples_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration first_batch_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<ReadingReport> ReadSamples(const StreamingConfig& config, const StreamingSet& set,
                                          const EpochOrder& order, const ReadOptions& options) {
  return Pass(config, set, order, options).Run();
}

}  // namespace tessera
