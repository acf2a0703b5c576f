#include "data/streaming/streaming_dataset.h"

#include <atomic>
#include <deque>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "data/streaming/sample_parts.h"
#include "data/streaming/set_readahead.h"

namespace tessera {
namespace {

class StreamingDataset : public Dataset {
 public:
  StreamingDataset(const StreamingConfig& config, std::shared_ptr<const StreamingSet> set)
      : config_(config), parts_(config), set_(std::move(set)) {}

  int64_t size() const override { return set_->size(); }
  LabelKind label_kind() const override { return parts_.label_kind(); }

  absl::StatusOr<Sample> Get(int64_t index) const override {
    Record record;
    TESSERA_RETURN_IF_ERROR(set_->Get(index, &record, stop_.load()));
    Sample sample;
    if (const absl::Status status = parts_.Fill(record.parts, &sample); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat(set_->ShardName(set_->ShardOf(index)),
                                                      ", sample ", index, ": ", status.message()));
    }
    sample.owner = std::move(record.owner);
    return sample;
  }

  std::unique_ptr<Readahead> StartReadahead(const EpochOrder& order, int64_t first,
                                            int64_t batch_size) const override {
    if (!set_->fetches()) return nullptr;
    return StartSetReadahead(config_, *set_, order, first, batch_size, NewStop());
  }

 private:
  absl::Notification* NewStop() const {
    absl::MutexLock lock(&mutex_);
    absl::Notification* const stop = &stops_.emplace_back();
    stop_ = stop;
    return stop;
  }

  const StreamingConfig config_;
  const SampleParts parts_;
  const std::shared_ptr<const StreamingSet> set_;

  mutable absl::Mutex mutex_;
  // One a readahead, for as long as a Get that began under an earlier one may look at it.
  mutable std::deque<absl::Notification> stops_ ABSL_GUARDED_BY(mutex_);
  mutable std::atomic<const absl::Notification*> stop_ = nullptr;  // the last one
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> MakeStreamingDataset(
    const StreamingConfig& config, std::shared_ptr<const StreamingSet> set) {
  const absl::Status missing = set->RequireParts(SampleParts(config).required());
  if (!missing.ok()) {
    return absl::Status(missing.code(),
                        absl::StrCat(missing.message(),
                                     " (data.streaming.image_column, mask_column or "
                                     "label_column, and name_column name them)"));
  }
  return std::make_shared<const StreamingDataset>(config, std::move(set));
}

}  // namespace tessera
