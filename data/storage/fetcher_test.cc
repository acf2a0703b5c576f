#include "data/storage/fetcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "data/storage/store_error.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Contents(int64_t size) {
  std::string contents(size, '\0');
  for (int64_t i = 0; i < size; ++i) contents[i] = static_cast<char>(i * 31 + i / 256);
  return contents;
}

// A store of one object that answers as the test's script says.
class ScriptedStore : public Store {
 public:
  explicit ScriptedStore(std::string contents) : contents_(std::move(contents)) {}

  // Called before each answer, with the number of those before and the offset asked for.
  std::function<absl::Status(int before, uint64_t offset)> script = [](int, uint64_t) {
    return absl::OkStatus();
  };
  std::string version = "v1";

  std::string Uri(absl::string_view key) const override { return absl::StrCat("s3://b/", key); }
  std::optional<std::string> LocalPath(absl::string_view) const override { return std::nullopt; }

  absl::Status ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                         absl::Span<char> out, std::string* wanted) override {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = Answer(key, offset); !status.ok()) return status;
    if (!wanted->empty() && *wanted != version) return absl::FailedPreconditionError("changed");
    *wanted = version;
    std::memcpy(out.data(), contents_.data() + offset, out.size());
    return absl::OkStatus();
  }
  absl::StatusOr<uint64_t> Size(absl::string_view key) override {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = Answer(key, 0); !status.ok()) return status;
    return contents_.size();
  }
  absl::StatusOr<std::string> Read(absl::string_view key) override {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = Answer(key, 0); !status.ok()) return status;
    return contents_;
  }
  absl::Status Write(absl::string_view, absl::Span<const absl::string_view>) override {
    return absl::InvalidArgumentError("not here");
  }

 private:
  absl::Status Answer(absl::string_view key, uint64_t offset) {
    absl::Status status = script(calls_++, offset);
    if (status.ok()) return status;
    return AtObject(Uri(key), status);
  }

  const std::string contents_;
  std::mutex mutex_;
  int calls_ = 0;
};

class FakeClock : public Clock {
 public:
  absl::Time Now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void Sleep(absl::Duration wait) override {
    const std::lock_guard lock(mutex_);
    now_ += wait;
    sleeps_.push_back(wait);
  }
  std::vector<absl::Duration> sleeps() {
    const std::lock_guard lock(mutex_);
    return sleeps_;
  }

 private:
  std::mutex mutex_;
  absl::Time now_ = absl::UnixEpoch();
  std::vector<absl::Duration> sleeps_;
};

class FetcherTest : public ::testing::Test {
 protected:
  ~FetcherTest() override { std::fclose(file_); }

  Fetcher NewFetcher(std::shared_ptr<Store> store, const FetchOptions& options = {}) {
    return Fetcher(std::move(store), options, &counters_, &clock_);
  }
  absl::Status Fetch(const Fetcher& fetcher, uint64_t size) {
    return fetcher.Fetch("k", size, fileno(file_));
  }
  std::string Fetched() {
    std::string contents;
    std::fseek(file_, 0, SEEK_SET);
    char buffer[4096];
    while (const size_t count = std::fread(buffer, 1, sizeof(buffer), file_)) {
      contents.append(buffer, count);
    }
    return contents;
  }

  std::FILE* const file_ = std::tmpfile();
  FetchCounters counters_;
  FakeClock clock_;
};

TEST_F(FetcherTest, ReadsASmallObjectInOneRequest) {
  const auto store = std::make_shared<ScriptedStore>(Contents(1000));
  ASSERT_EQ(Fetch(NewFetcher(store), 1000), absl::OkStatus());
  EXPECT_EQ(Fetched(), Contents(1000));
  EXPECT_EQ(counters_.requests, 1);
  EXPECT_EQ(counters_.bytes, 1000);
  EXPECT_EQ(counters_.retries, 0);
}

TEST_F(FetcherTest, ReplacesWhatTheFileHeld) {
  const auto store = std::make_shared<ScriptedStore>(Contents(10));
  std::fputs("much longer than ten bytes", file_);
  std::fflush(file_);
  ASSERT_EQ(Fetch(NewFetcher(store), 10), absl::OkStatus());
  EXPECT_EQ(Fetched(), Contents(10));
}

TEST_F(FetcherTest, ReadsAnEmptyObject) {
  const auto store = std::make_shared<ScriptedStore>("");
  ASSERT_EQ(Fetch(NewFetcher(store), 0), absl::OkStatus());
  EXPECT_EQ(Fetched(), "");
}

TEST_F(FetcherTest, ReadsALargeObjectInRanges) {
  for (const int size : {9999, 10000, 10001}) {
    const auto store = std::make_shared<ScriptedStore>(Contents(size));
    counters_.requests = 0;
    ASSERT_EQ(Fetch(NewFetcher(store, {.range_bytes = 1000}), size), absl::OkStatus());
    EXPECT_EQ(Fetched(), Contents(size));
    EXPECT_EQ(counters_.requests, (size + 999) / 1000);
  }
}

TEST_F(FetcherTest, OutlastsAStoreThatIsSlowForAMinute) {
  const auto store = std::make_shared<ScriptedStore>(Contents(100));
  store->script = [this](int, uint64_t) {
    return clock_.Now() < absl::UnixEpoch() + absl::Minutes(1)
               ? absl::ResourceExhaustedError("SlowDown")
               : absl::OkStatus();
  };
  ASSERT_EQ(Fetch(NewFetcher(store), 100), absl::OkStatus());
  EXPECT_EQ(Fetched(), Contents(100));
  EXPECT_EQ(counters_.retries, counters_.requests - 1);
}

TEST_F(FetcherTest, DoublesItsPauses) {
  const auto store = std::make_shared<ScriptedStore>("x");
  store->script = [](int, uint64_t) { return absl::UnavailableError("HTTP 500"); };
  EXPECT_FALSE(NewFetcher(store, {.attempts = 6,
                                  .first_backoff = absl::Seconds(1),
                                  .max_backoff = absl::Seconds(4)})
                   .Fetch("k")
                   .ok());
  const std::vector<absl::Duration> sleeps = clock_.sleeps();
  const std::vector<int> longest = {1, 2, 4, 4, 4};
  ASSERT_EQ(sleeps.size(), longest.size());
  for (size_t i = 0; i < longest.size(); ++i) {
    EXPECT_GE(sleeps[i], absl::Seconds(longest[i]) / 2);
    EXPECT_LE(sleeps[i], absl::Seconds(longest[i]));
  }
}

TEST_F(FetcherTest, WaitsAsLongAsTheStoreAsks) {
  const auto store = std::make_shared<ScriptedStore>("x");
  store->script = [](int before, uint64_t) {
    if (before == 2) return absl::OkStatus();
    absl::Status error = absl::ResourceExhaustedError("HTTP 429");
    SetRetryAfter(before == 0 ? absl::Seconds(17) : absl::Hours(5), error);
    return error;
  };
  EXPECT_EQ(*NewFetcher(store).Fetch("k"), "x");
  EXPECT_THAT(clock_.sleeps(), ElementsAre(absl::Seconds(17), absl::Minutes(2)));
}

TEST_F(FetcherTest, SaysHowOftenAndHowLongItTried) {
  const auto store = std::make_shared<ScriptedStore>(Contents(10));
  store->script = [](int, uint64_t) { return absl::UnavailableError("HTTP 500"); };
  const absl::Status status = Fetch(NewFetcher(store, {.attempts = 3}), 10);
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), StartsWith("s3://b/k: 3 attempts in "));
  EXPECT_THAT(std::string(status.message()), HasSubstr(", the last: HTTP 500"));
  EXPECT_EQ(Fetched(), "");
}

TEST_F(FetcherTest, NoAttemptsMeansOne) {
  const auto store = std::make_shared<ScriptedStore>("x");
  store->script = [](int, uint64_t) { return absl::UnavailableError("HTTP 500"); };
  EXPECT_EQ(NewFetcher(store, {.attempts = 0}).Fetch("k").status(),
            absl::UnavailableError("s3://b/k: HTTP 500"));
  EXPECT_EQ(counters_.requests, 1);
}

TEST_F(FetcherTest, DoesNotRepeatWhatCannotPass) {
  for (const absl::Status& error : {absl::NotFoundError("gone"), absl::PermissionDeniedError("no"),
                                    absl::InvalidArgumentError("bad")}) {
    const auto store = std::make_shared<ScriptedStore>("x");
    store->script = [&](int, uint64_t) { return error; };
    counters_.requests = 0;
    EXPECT_EQ(Fetch(NewFetcher(store), 1).code(), error.code());
    EXPECT_EQ(NewFetcher(store).Size("k").status().code(), error.code());
    EXPECT_EQ(counters_.requests, 2);
  }
  EXPECT_TRUE(clock_.sleeps().empty());
}

TEST_F(FetcherTest, RenewsCredentialsOnce) {
  const auto store = std::make_shared<ScriptedStore>("x");
  store->script = [](int before, uint64_t) {
    return before == 0 ? absl::UnauthenticatedError("ExpiredToken") : absl::OkStatus();
  };
  EXPECT_EQ(*NewFetcher(store).Fetch("k"), "x");

  store->script = [](int, uint64_t) { return absl::UnauthenticatedError("ExpiredToken"); };
  counters_.requests = 0;
  EXPECT_TRUE(absl::IsUnauthenticated(NewFetcher(store).Fetch("k").status()));
  EXPECT_EQ(counters_.requests, 2);
}

TEST_F(FetcherTest, ReadsAFailedRangeAgainAlone) {
  const auto store = std::make_shared<ScriptedStore>(Contents(4000));
  int failures = 0;
  store->script = [&](int, uint64_t offset) {
    return offset == 2000 && failures++ < 2 ? absl::DataLossError("short") : absl::OkStatus();
  };
  ASSERT_EQ(Fetch(NewFetcher(store, {.range_bytes = 1000}), 4000), absl::OkStatus());
  EXPECT_EQ(Fetched(), Contents(4000));
  EXPECT_EQ(counters_.requests, 6);
  EXPECT_EQ(counters_.bytes, 4000);
}

TEST_F(FetcherTest, StartsAgainWhenTheObjectChanges) {
  const auto store = std::make_shared<ScriptedStore>(Contents(4000));
  store->script = [&](int before, uint64_t) {
    store->version = before < 2 ? "v1" : "v2";
    return absl::OkStatus();
  };
  ASSERT_EQ(Fetch(NewFetcher(store, {.range_bytes = 1000}), 4000), absl::OkStatus());
  EXPECT_EQ(Fetched(), Contents(4000));
  EXPECT_GT(counters_.requests, 4);
  EXPECT_EQ(counters_.retries, 1);
}

TEST_F(FetcherTest, GivesUpOnAnObjectThatAlwaysChanges) {
  const auto store = std::make_shared<ScriptedStore>(Contents(2000));
  store->script = [&](int before, uint64_t) {
    store->version = absl::StrCat("v", before);
    return absl::OkStatus();
  };
  const absl::Status status = Fetch(NewFetcher(store, {.attempts = 3, .range_bytes = 1000}), 2000);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("3 attempts in"));
  EXPECT_EQ(Fetched(), "");
}

TEST_F(FetcherTest, MakesNoAttemptAfterItIsStopped) {
  const auto store = std::make_shared<ScriptedStore>(Contents(4000));
  absl::Notification stop;
  store->script = [&](int before, uint64_t) {
    if (before == 1) stop.Notify();
    return absl::ResourceExhaustedError("SlowDown");
  };
  const Fetcher fetcher = NewFetcher(store);
  const absl::Status status = fetcher.Fetch("k", 4000, fileno(file_), &stop);
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("s3://b/k: stopped before attempt 3; the last: SlowDown"));
  EXPECT_EQ(Fetched(), "");
  EXPECT_TRUE(absl::IsCancelled(fetcher.Fetch("k", 4000, fileno(file_), &stop)));
  EXPECT_EQ(counters_.requests, 2);
}

TEST_F(FetcherTest, StopsBetweenTwoRanges) {
  const auto store = std::make_shared<ScriptedStore>(Contents(4000));
  absl::Notification stop;
  store->script = [&](int before, uint64_t) {
    if (before == 1) stop.Notify();
    return absl::OkStatus();
  };
  const Fetcher fetcher = NewFetcher(store, {.range_bytes = 1000, .parallel_ranges = 1});
  EXPECT_TRUE(absl::IsCancelled(fetcher.Fetch("k", 4000, fileno(file_), &stop)));
  EXPECT_EQ(counters_.requests, 2);
}

TEST_F(FetcherTest, AStopEndsThePause) {
  const auto store = std::make_shared<ScriptedStore>(Contents(10));
  absl::Notification asked, stop;
  store->script = [&](int, uint64_t) {
    asked.Notify();
    return absl::UnavailableError("HTTP 503");
  };
  const Fetcher fetcher(store, {.first_backoff = absl::Hours(1), .max_backoff = absl::Hours(1)},
                        &counters_);
  std::thread stopper([&] {
    asked.WaitForNotification();
    stop.Notify();
  });
  EXPECT_TRUE(absl::IsCancelled(fetcher.Fetch("k", 10, fileno(file_), &stop)));
  stopper.join();
}

TEST_F(FetcherTest, SaysThatTheFileCannotBeWritten) {
  const auto store = std::make_shared<ScriptedStore>("x");
  std::FILE* full = std::fopen("/dev/full", "w");
  const absl::Status status = NewFetcher(store).Fetch("k", 1, fileno(full));
  std::fclose(full);
  EXPECT_TRUE(absl::IsInternal(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("s3://b/k: cannot write what was fetched"));
}

TEST_F(FetcherTest, StopsWaitingWhenItIsToldTo) {
  auto store = std::make_shared<ScriptedStore>(Contents(100));
  absl::Notification stop;
  store->script = [&](int before, uint64_t) {
    if (before == 1) stop.Notify();
    return absl::ResourceExhaustedError("slow down");
  };
  FetchCounters counters;
  const Fetcher fetcher(store, {.attempts = 10, .first_backoff = absl::Milliseconds(1)}, &counters);
  std::FILE* const file = std::tmpfile();
  const absl::Status status = fetcher.Fetch("k", 100, fileno(file), &stop);
  std::fclose(file);
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("slow down"));
  EXPECT_EQ(counters.requests, 2);
}

}  // namespace
}  // namespace tessera
