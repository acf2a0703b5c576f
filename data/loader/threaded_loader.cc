#include "data/loader/threaded_loader.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

// A set that is bad throughout ends the run soon, not after each sample was tried for each other.
constexpr int64_t kMostReplacements = 100;

// Bad samples that the log names; the others are only counted.
constexpr int kMostNamed = 10;

// A batch that is being made.
struct Task {
  int64_t first = 0;  // position of its first sample in the epoch's order
  Batch batch;
  std::atomic<int64_t> remaining = 0;

  absl::Mutex mutex;
  int64_t error_position = 0;  // of the first bad sample
  absl::Status error;
};

// A sample that was left out counts nowhere.
void ClearSample(uint8_t ignore_index, int64_t slot, Batch* batch) {
  const int64_t pixels = int64_t{batch->height} * batch->width;
  std::fill_n(batch->images.get() + slot * pixels * 3, pixels * 3, 0.0f);
  if (batch->labels != nullptr) {
    std::fill_n(batch->labels.get() + slot * pixels, pixels, ignore_index);
  } else {
    batch->classes[slot] = -1;
  }
}

}  // namespace

// One pass over the order, with its threads. Batches are opened by the consumer, in order; workers
// wait for the batch of their next sample to be open.
class ThreadedLoader::Epoch {
 public:
  Epoch(ThreadedLoader* loader, int64_t epoch, std::unique_ptr<const EpochOrder> order,
        int64_t first_sample)
      : loader_(*loader),
        epoch_(epoch),
        order_(std::move(order)),
        readahead_(loader->pipeline_.dataset().StartReadahead(*order_, first_sample,
                                                              loader->options_.batch_size)),
        end_(loader->samples_per_epoch()),
        next_(first_sample),
        first_(first_sample),
        opened_(first_sample) {
    for (int i = 0; i < loader_.options_.num_threads; ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }

  ~Epoch() {
    {
      absl::MutexLock lock(&mutex_);
      stopped_ = true;
    }
    next_ = end_;          // no thread takes another sample
    readahead_ = nullptr;  // ends the waits for those that were taken
    for (std::thread& thread : threads_) thread.join();
  }

  absl::StatusOr<std::optional<Batch>> Next() {
    TESSERA_RETURN_IF_ERROR(OpenAhead());
    if (tasks_.empty()) return std::nullopt;
    const std::shared_ptr<Task> task = tasks_.front();
    if (threads_.empty()) {
      for (int64_t slot = 0; slot < task->batch.size; ++slot) Make(task.get(), slot, &scratch_);
    } else {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(
          +[](Task* t) { return t->remaining.load(std::memory_order_acquire) == 0; }, task.get()));
    }
    {
      absl::MutexLock lock(&mutex_);
      tasks_.pop_front();
      first_ += task->batch.size;
    }
    if (readahead_ != nullptr) readahead_->Advance(first_);
    if (!task->error.ok()) return task->error;
    return std::move(task->batch);
  }

 private:
  // Opens batches up to `prefetch_batches` behind the one that Next() waits for.
  absl::Status OpenAhead() {
    const LoaderOptions& options = loader_.options_;
    const size_t ahead = threads_.empty() ? 1 : options.prefetch_batches + 1;
    while (opened_ < end_ && tasks_.size() < ahead) {
      auto task = std::make_shared<Task>();
      const int64_t size = std::min(options.batch_size, end_ - opened_);
      absl::StatusOr<ImageSize> shape = loader_.pipeline_.OutputSize(order_->At(opened_));
      for (int64_t i = 1; !shape.ok() && i < size && options.bad_samples != BadSamples::kStop;
           ++i) {
        shape = loader_.pipeline_.OutputSize(order_->At(opened_ + i));
      }
      // A bad sample ends the epoch at its own batch, not at the one that is in use.
      if (!shape.ok()) {
        if (tasks_.empty()) return shape.status();
        break;
      }
      task->first = opened_;
      task->batch = loader_.pool_.Make(size, shape->height, shape->width, loader_.label_kind());
      task->remaining = size;
      absl::MutexLock lock(&mutex_);
      tasks_.push_back(std::move(task));
      opened_ += size;
    }
    return absl::OkStatus();
  }

  void Work() {
    WorkerScratch scratch;
    std::shared_ptr<Task> task;
    while (true) {
      const int64_t position = next_.fetch_add(1, std::memory_order_relaxed);
      if (position >= end_) return;
      if (task == nullptr || position >= task->first + task->batch.size) {
        task = WaitFor(position);
        if (task == nullptr) return;
      }
      Make(task.get(), position - task->first, &scratch);
      if (task->remaining.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        absl::MutexLock lock(&mutex_);  // wakes the consumer
      }
    }
  }

  // The batch that holds `position`, once it is open; null when the epoch is given up.
  std::shared_ptr<Task> WaitFor(int64_t position) {
    absl::MutexLock lock(&mutex_);
    const auto ready = [this, position] {
      mutex_.AssertHeld();
      return stopped_ || position < opened_;
    };
    mutex_.Await(absl::Condition(&ready));
    if (stopped_) return nullptr;
    return tasks_[(position - first_) / loader_.options_.batch_size];
  }

  // Makes sample `slot` of a batch.
  void Make(Task* task, int64_t slot, WorkerScratch* scratch) {
    const auto run = [&](int64_t id) {
      return loader_.pipeline_.Run(id, epoch_, scratch, slot, &task->batch);
    };
    const int64_t position = task->first + slot;
    const absl::Status status = run(order_->At(position));
    if (status.ok()) return;
    const int64_t count = order_->size();
    // A sample that the epoch's end kept from coming is not a bad one.
    const BadSamples policy =
        absl::IsCancelled(status) ? BadSamples::kStop : loader_.options_.bad_samples;
    if (policy != BadSamples::kStop) {
      ++loader_.skipped_;
      LOG_FIRST_N(WARNING, kMostNamed) << "left out: " << status.message();
    }
    switch (policy) {
      case BadSamples::kStop:
        break;
      case BadSamples::kIgnore:
        task->batch.sample_ids[slot] = order_->At(position);
        ClearSample(loader_.options_.ignore_index, slot, &task->batch);
        return;
      case BadSamples::kReplace:
        for (int64_t i = 1; i < std::min(count, kMostReplacements); ++i) {
          if (run(order_->At((position + i) % count)).ok()) return;
        }
        break;
    }
    absl::MutexLock lock(&task->mutex);
    if (task->error.ok() || position < task->error_position) {
      task->error = status;
      task->error_position = position;
    }
  }

  ThreadedLoader& loader_;
  const int64_t epoch_;
  const std::unique_ptr<const EpochOrder> order_;
  std::unique_ptr<Readahead> readahead_;  // may be null
  const int64_t end_;
  std::atomic<int64_t> next_;

  absl::Mutex mutex_;
  std::deque<std::shared_ptr<Task>> tasks_;  // written by the consumer, under the mutex
  int64_t first_;                            // position of the first task's first sample
  int64_t opened_;                           // positions below have a task, or had one
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;

  WorkerScratch scratch_;  // of the consumer, where there are no threads
  std::vector<std::thread> threads_;
};

ThreadedLoader::ThreadedLoader(const LoaderOptions& options,
                               std::unique_ptr<const SampleOrder> order, SamplePipeline pipeline)
    : options_(options), order_(std::move(order)), pipeline_(std::move(pipeline)) {}

ThreadedLoader::~ThreadedLoader() = default;

absl::StatusOr<std::unique_ptr<ThreadedLoader>> ThreadedLoader::Create(
    const LoaderOptions& options, std::unique_ptr<const SampleOrder> order,
    SamplePipeline pipeline) {
  std::unique_ptr<ThreadedLoader> loader(
      new ThreadedLoader(options, std::move(order), std::move(pipeline)));
  if (loader->num_batches() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("an epoch has no batch: it has ", loader->order_->samples_per_epoch(),
                     " samples, the batch size is ", options.batch_size,
                     options.drop_last ? ", and drop_last leaves out a smaller batch" : ""));
  }
  return loader;
}

int64_t ThreadedLoader::num_batches() const {
  const int64_t samples = order_->samples_per_epoch();
  const int64_t whole = samples / options_.batch_size;
  const bool rest = samples % options_.batch_size != 0;
  return whole + (rest && !options_.drop_last ? 1 : 0);
}

int64_t ThreadedLoader::samples_per_epoch() const {
  return std::min(order_->samples_per_epoch(), num_batches() * options_.batch_size);
}

absl::Status ThreadedLoader::StartEpoch(int64_t epoch, int64_t first_sample) {
  const bool at_batch = first_sample % options_.batch_size == 0;
  if (first_sample < 0 || first_sample > samples_per_epoch() ||
      (!at_batch && first_sample != samples_per_epoch())) {
    return absl::InvalidArgumentError(absl::StrCat("cannot start an epoch at sample ", first_sample,
                                                   ": expected a multiple of ", options_.batch_size,
                                                   " up to ", samples_per_epoch()));
  }
  epoch_.reset();
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<const EpochOrder> order, order_->Epoch(epoch));
  epoch_ = std::make_unique<Epoch>(this, epoch, std::move(order), first_sample);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Batch>> ThreadedLoader::Next() {
  if (epoch_ == nullptr) return std::nullopt;
  absl::StatusOr<std::optional<Batch>> batch = epoch_->Next();
  if (!batch.ok() || !batch->has_value()) epoch_.reset();
  return batch;
}

}  // namespace tessera
