#include "data/streaming/shard_readahead.h"

#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include "data/order/listed_order.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

// 100 samples in 10 shards, in order.
ListedOrder Ascending() {
  std::vector<int64_t> ids(100);
  std::iota(ids.begin(), ids.end(), 0);
  return ListedOrder(std::move(ids));
}

// What was fetched, in the order of the calls.
class Fetches {
 public:
  absl::Status Add(size_t shard) {
    absl::MutexLock lock(&mutex_);
    shards_.push_back(shard);
    return absl::UnavailableError("not this time");  // the reader's business
  }

  // Waits until there are `count`.
  std::vector<size_t> WaitFor(size_t count) {
    absl::MutexLock lock(&mutex_);
    const auto there = [&] {
      mutex_.AssertHeld();
      return shards_.size() >= count;
    };
    EXPECT_TRUE(mutex_.AwaitWithTimeout(absl::Condition(&there), absl::Seconds(20)));
    return shards_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<size_t> shards_;
};

std::unique_ptr<ShardReadahead> Start(const EpochOrder& order, int64_t first, int64_t window,
                                      int threads, Fetches* fetches) {
  return std::make_unique<ShardReadahead>(
      order, first, ShardReadahead::Options{.window = window, .num_threads = threads},
      [](int64_t id) { return static_cast<size_t>(id / 10); },
      [fetches](size_t shard) { return fetches->Add(shard); });
}

TEST(ShardReadaheadTest, StaysWithinItsWindow) {
  const ListedOrder order = Ascending();
  Fetches fetches;
  auto readahead = Start(order, 0, 25, 1, &fetches);
  EXPECT_EQ(fetches.WaitFor(3), (std::vector<size_t>{0, 1, 2}));
  readahead->Advance(10);  // up to sample 34
  EXPECT_EQ(fetches.WaitFor(4), (std::vector<size_t>{0, 1, 2, 3}));
  readahead->Advance(100);
  readahead.reset();
  EXPECT_EQ(fetches.WaitFor(4).size(), 4u) << "what was used meanwhile is not fetched";
}

TEST(ShardReadaheadTest, FetchesEachShardOnceWithSeveralThreads) {
  const ListedOrder order = Ascending();
  Fetches fetches;
  const auto readahead = Start(order, 30, 100, 4, &fetches);
  const std::vector<size_t> shards = fetches.WaitFor(7);
  EXPECT_EQ(shards.size(), 7u);
  EXPECT_EQ(std::set<size_t>(shards.begin(), shards.end()),
            (std::set<size_t>{3, 4, 5, 6, 7, 8, 9}));
}

TEST(ShardReadaheadTest, FetchesAShardAgainThatWasLeftLongAgo) {
  const ListedOrder order({0, 1, 10, 11, 20, 21, 2, 3});
  Fetches fetches;
  const auto readahead = Start(order, 0, 4, 1, &fetches);
  fetches.WaitFor(2);
  readahead->Advance(6);
  EXPECT_EQ(fetches.WaitFor(3).back(), 0u);
}

TEST(ShardReadaheadTest, EndsAtOnceWhenNobodyReads) {
  const ListedOrder order = Ascending();
  Fetches fetches;
  Start(order, 0, 10, 4, &fetches).reset();
}

}  // namespace
}  // namespace tessera
