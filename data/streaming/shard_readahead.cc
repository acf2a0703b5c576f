#include "data/streaming/shard_readahead.h"

#include <algorithm>
#include <utility>

namespace tessera {

ShardReadahead::ShardReadahead(const EpochOrder& order, int64_t first, const Options& options,
                               std::function<size_t(int64_t)> shard_of,
                               std::function<absl::Status(size_t)> fetch)
    : order_(order),
      options_(options),
      shard_of_(std::move(shard_of)),
      fetch_(std::move(fetch)),
      reader_(first),
      next_(first) {
  for (int i = 0; i < options_.num_threads; ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

ShardReadahead::~ShardReadahead() {
  if (options_.stop != nullptr) options_.stop->Notify();
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void ShardReadahead::Advance(int64_t position) {
  absl::MutexLock lock(&mutex_);
  reader_ = position;
  next_ = std::max(next_, position);
}

bool ShardReadahead::Ready() const {
  return stopped_ || next_ >= order_.size() || next_ < reader_ + options_.window;
}

void ShardReadahead::Work() {
  absl::MutexLock lock(&mutex_);
  while (true) {
    mutex_.Await(absl::Condition(this, &ShardReadahead::Ready));
    if (stopped_ || next_ >= order_.size()) return;
    const int64_t position = next_++;
    const size_t shard = shard_of_(order_.At(position));
    const auto [found, is_new] = fetched_.try_emplace(shard, position);
    // A shard that was needed long ago may have made room for others since.
    const bool recent = !is_new && position - found->second < options_.window;
    found->second = position;
    if (recent) continue;
    mutex_.Unlock();
    fetch_(shard).IgnoreError();
    mutex_.Lock();
  }
}

}  // namespace tessera
