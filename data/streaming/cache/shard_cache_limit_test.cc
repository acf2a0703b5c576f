// What a cache does where something is scarce: room, files, rights.

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "data/streaming/cache/fake_source.h"
#include "data/streaming/cache/shard_cache.h"
#include "data/streaming/cache/test_folder.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using Names = std::set<std::string>;

std::string Name(int shard) { return absl::StrCat("shard.0000", shard, ".mds"); }

std::unique_ptr<ShardCache> Open(const std::string& folder, const FakeSet& set,
                                 const CacheOptions& options) {
  auto cache = ShardCache::Open(options, {{folder, std::make_shared<FakeSource>(set.store)}},
                                set.CacheShards());
  EXPECT_TRUE(cache.ok()) << cache.status();
  return *std::move(cache);
}

CacheOptions Limit(uint64_t limit) {
  CacheOptions options;
  options.limit = limit;
  return options;
}

// The shard's bytes, or the error.
std::string Read(ShardCache& cache, size_t shard) {
  const auto mapping = cache.Acquire(shard);
  return mapping.ok() ? std::string((*mapping)->contents()) : mapping.status().ToString();
}

// As if the file had been used so many seconds after the epoch.
void SetUse(const std::string& path, int64_t seconds) {
  const timespec times[] = {{seconds, 0}, {0, UTIME_OMIT}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST(CacheLimitTest, EvictsTheShardThatWasMappedTheLongestAgo) {
  const FakeSet set = MakeFakeSet(4, 1000);
  const TestFolder folder;
  {
    const auto cache = Open(folder.path(), set, Limit(3010));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(Read(*cache, i), set.contents[i]);
  }
  SetUse(folder / Name(0), 300);
  SetUse(folder / Name(1), 100);
  SetUse(folder / Name(2), 200);
  ASSERT_EQ(Read(*Open(folder.path(), set, Limit(3010)), 1), set.contents[1]);  // the last one now
  const auto cache = Open(folder.path(), set, Limit(3010));
  ASSERT_EQ(Read(*cache, 3), set.contents[3]);
  EXPECT_EQ(folder.Names(), (Names{Name(0), Name(1), Name(3)}));
  EXPECT_EQ(cache->Stats().evictions, 1);
  EXPECT_EQ(cache->Stats().bytes_on_disk, 1000 + 1001 + 1003);
}

TEST(CacheLimitTest, ATimeToComeIsOld) {
  const FakeSet set = MakeFakeSet(3, 1000);
  const TestFolder folder;
  for (int i = 0; i < 2; ++i) folder.Write(Name(i), set.contents[i]);
  SetUse(folder / Name(0), 100);
  SetUse(folder / Name(1), int64_t{1} << 33);  // then the clock was set back
  ASSERT_EQ(Read(*Open(folder.path(), set, Limit(2010)), 2), set.contents[2]);
  EXPECT_EQ(folder.Names(), (Names{Name(0), Name(2)}));
}

TEST(CacheLimitTest, CountsWhatEarlierRunsLeft) {
  const FakeSet set = MakeFakeSet(5, 1000);
  const TestFolder folder;
  for (int i = 0; i < 4; ++i) {
    folder.Write(Name(i), set.contents[i]);
    SetUse(folder / Name(i), 100 + i);
  }
  folder.Write("foreign", std::string(100000, 'x'));
  const auto cache = Open(folder.path(), set, Limit(3010));
  EXPECT_EQ(folder.Names(), (Names{"foreign", Name(1), Name(2), Name(3)}));
  ASSERT_EQ(Read(*cache, 4), set.contents[4]);
  EXPECT_EQ(folder.Names(), (Names{"foreign", Name(2), Name(3), Name(4)}));
}

TEST(CacheLimitTest, HoldsOverAllFolders) {
  const FakeSet set = MakeFakeSet(2, 1000);
  const TestFolder a;
  const TestFolder b;
  std::vector<CacheShard> shards = set.CacheShards();
  for (const CacheShard& shard : set.CacheShards()) shards.push_back({1, shard.file});
  const auto source = std::make_shared<FakeSource>(set.store);
  const auto cache =
      ShardCache::Open(Limit(2100), {{a.path(), source}, {b.path(), source}}, std::move(shards));
  ASSERT_TRUE(cache.ok()) << cache.status();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(Read(**cache, i), set.contents[i % 2]);
  EXPECT_EQ((*cache)->Stats().evictions, 2);
  EXPECT_EQ(a.Names(), Names{});
  EXPECT_EQ(b.Names(), (Names{Name(0), Name(1)}));
}

TEST(CacheLimitTest, NeverEvictsAPinnedShard) {
  const FakeSet set = MakeFakeSet(3, 1000);
  const TestFolder folder;
  const auto cache = Open(folder.path(), set, Limit(2010));
  const auto first = cache->Acquire(0).value();
  ASSERT_EQ(Read(*cache, 1), set.contents[1]);
  SetUse(folder / Name(0), 100);
  const auto other = Open(folder.path(), set, Limit(2010));
  ASSERT_EQ(Read(*other, 2), set.contents[2]);
  EXPECT_EQ(folder.Names(), (Names{Name(0), Name(2)}));
}

TEST(CacheLimitTest, WaitsForRoomOnlySoLong) {
  const FakeSet set = MakeFakeSet(3, 1000);
  const TestFolder folder;
  CacheOptions options = Limit(2010);
  options.patience = absl::ZeroDuration();
  const auto cache = Open(folder.path(), set, options);
  const auto first = cache->Acquire(0).value();
  const auto second = cache->Acquire(1).value();
  const absl::Status status = cache->Acquire(2).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "limit of 2010 bytes, 2001 are in use"))
      << status;
  EXPECT_EQ(folder.Names(), (Names{Name(0), Name(1)}));
}

TEST(CacheLimitTest, GoesOnWhenAPinIsGivenUp) {
  const FakeSet set = MakeFakeSet(2, 1000);
  const TestFolder folder;
  const auto cache = Open(folder.path(), set, Limit(1001));
  auto first = cache->Acquire(0).value();
  std::thread waiting([&] { EXPECT_EQ(Read(*cache, 1), set.contents[1]); });
  EXPECT_EQ(first->contents(), set.contents[0]);
  first.reset();
  waiting.join();
}

TEST(CacheLimitTest, IdleMappingsOfOthersGiveWay) {
  const FakeSet set = MakeFakeSet(2, 1000);
  const TestFolder folder;
  const auto idle = Open(folder.path(), set, Limit(1001));
  ASSERT_EQ(Read(*idle, 0), set.contents[0]);
  const auto busy = Open(folder.path(), set, Limit(1001));
  EXPECT_EQ(Read(*busy, 1), set.contents[1]);
  EXPECT_EQ(folder.Names(), Names{Name(1)});
}

TEST(CacheLimitTest, NeverEvictsAShardWithoutASource) {
  const FakeSet set = MakeFakeSet(3, 1000);
  const TestFolder local;
  const TestFolder cached;
  for (int i = 0; i < 3; ++i) local.Write(Name(i), set.contents[i]);
  std::vector<CacheShard> shards = set.CacheShards();
  for (const CacheShard& shard : set.CacheShards()) shards.push_back({1, shard.file});
  const auto cache = ShardCache::Open(
      Limit(1010),
      {{local.path(), nullptr}, {cached.path(), std::make_shared<FakeSource>(set.store)}},
      std::move(shards));
  ASSERT_TRUE(cache.ok()) << cache.status();
  for (int i = 0; i < 6; ++i) ASSERT_EQ(Read(**cache, i), set.contents[i % 3]);
  EXPECT_EQ(local.Names(), (Names{Name(0), Name(1), Name(2)}));
  EXPECT_EQ(cached.Names(), Names{Name(2)});
}

TEST(CacheLimitTest, RefusesALimitThatIsTooSmallAndSaysWhichIsNot) {
  const FakeSet set = MakeFakeSet(3, 10000, "zstd");
  const TestFolder folder;
  CacheOptions options;
  options.index_bytes = 77;
  const uint64_t least = set.LargestBytes() + 77;
  options.limit = least - 1;
  const auto refused = ShardCache::Open(
      options, {{folder.path(), std::make_shared<FakeSource>(set.store)}}, set.CacheShards());
  EXPECT_TRUE(absl::IsInvalidArgument(refused.status())) << refused.status();
  EXPECT_TRUE(absl::StrContains(refused.status().message(),
                                absl::StrCat("the least that works is ", least)))
      << refused.status();
  options.limit = least;
  const auto cache = Open(folder.path(), set, options);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Read(*cache, i), set.contents[i]);
}

TEST(CacheLimitTest, AStopEndsTheWaitForRoom) {
  const FakeSet set = MakeFakeSet(2, 1000);
  const TestFolder folder;
  const auto cache = Open(folder.path(), set, Limit(1001));
  const auto first = cache->Acquire(0).value();
  absl::Notification stop;
  std::thread reader([&] { EXPECT_TRUE(absl::IsCancelled(cache->Prefetch(1, &stop))); });
  stop.Notify();
  reader.join();
  EXPECT_EQ(folder.Names(), Names{Name(0)});
}

TEST(CacheLimitTest, AClaimMakesRoomForAnIndex) {
  const FakeSet set = MakeFakeSet(3, 1000);
  const TestFolder folder;
  CacheOptions options = Limit(3100);
  options.index_bytes = 50;
  const auto cache = Open(folder.path(), set, options);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(Read(*cache, i), set.contents[i]);
    SetUse(folder / Name(i), 100 + i);
  }
  EXPECT_TRUE(cache->Claim(40));
  EXPECT_EQ(cache->Stats().evictions, 0);
  EXPECT_EQ(cache->Stats().bytes_on_disk, 3003 + 50 + 40);
  EXPECT_TRUE(cache->Claim(40));
  EXPECT_EQ(folder.Names(), (Names{Name(1), Name(2)}));

  const auto first = cache->Acquire(1).value();
  const auto second = cache->Acquire(2).value();
  EXPECT_FALSE(cache->Claim(1000)) << "shards in use are in its way";
  EXPECT_FALSE(cache->Claim(3100 - 50 - 80 - 1001))
      << "no room would be left for the largest shard";
  EXPECT_EQ(folder.Names(), (Names{Name(1), Name(2)}));
  EXPECT_EQ(cache->Stats().bytes_on_disk, 1001 + 1002 + 50 + 80);
}

TEST(CacheLimitTest, AClaimOfACacheWithoutALimitIsGranted) {
  const FakeSet set = MakeFakeSet(1, 1000);
  const TestFolder folder;
  EXPECT_TRUE(Open(folder.path(), set, {})->Claim(uint64_t{1} << 60));
}

TEST(CacheLimitTest, TheLeastLimitIsEnoughForAnyNumberOfThreads) {
  for (const bool keep_zip : {false, true}) {
    const FakeSet set = MakeFakeSet(3, 10000, "zstd");
    const TestFolder folder;
    std::vector<std::unique_ptr<ShardCache>> caches;
    for (int i = 0; i < 2; ++i) {
      caches.push_back(*ShardCache::Open(
          Limit(set.LargestBytes()),
          {{folder.path(), std::make_shared<FakeSource>(set.store), "xxh64", keep_zip}},
          set.CacheShards()));
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int k = 0; k < 12; ++k) {
          const int shard = (i + k) % 3;
          EXPECT_EQ(Read(*caches[i % 2], shard), set.contents[shard]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(caches[0]->Stats().bytes_on_disk, set.LargestBytes());
  }
}

TEST(CacheDiskTest, AFileTooLargeForTheDiskIsAnErrorBeforeItIsFetched) {
  const FakeSet set = MakeFakeSet(1, 100000);
  const TestFolder folder;
  const auto source = std::make_shared<FakeSource>(set.store);
  const auto cache = *ShardCache::Open({}, {{folder.path(), source}}, set.CacheShards());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {50000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = cache->Acquire(0).status();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(absl::StrContains(
      status.message(),
      absl::StrCat("no room on the disk for the 100000 bytes of ", folder / Name(0))))
      << status;
  EXPECT_EQ(source->fetches(), 0);
  EXPECT_EQ(folder.Names(), Names{});
  EXPECT_EQ(Read(*cache, 0), set.contents[0]);  // the cache goes on
}

// Exit codes of a child: 0 as expected, 1 not, 2 no such disk to be had.
int FillSmallDisk(const std::string& folder) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 2;
  if (mount("none", folder.c_str(), "tmpfs", 0, "size=64k") != 0) return 2;
  const FakeSet set = MakeFakeSet(3, 30000);  // two fit
  const auto cache = Open(folder, set, {});
  for (const int shard : {0, 1}) {
    if (Read(*cache, shard) != set.contents[shard]) return 1;
  }
  const absl::Status full = cache->Acquire(2).status();
  if (!absl::IsResourceExhausted(full) || !absl::StrContains(full.message(), "No space left")) {
    return 1;
  }
  std::filesystem::remove(folder + "/" + Name(0));
  return Read(*cache, 2) == set.contents[2] ? 1 : 0;  // shard 0 is mapped: its room is not free yet
}

TEST(CacheDiskTest, AFullDiskIsAnError) {
  const TestFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(FillSmallDisk(folder.path()));
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "this process may not mount a small disk";
  EXPECT_EQ(status, 0);
}

// Takes from this thread the right of root to write everywhere, while it lives.
class WithoutWriteRights {
 public:
  WithoutWriteRights() {
    syscall(SYS_capget, &header_, before_);
    __user_cap_data_struct now[2] = {before_[0], before_[1]};
    now[0].effective &= ~(1u << CAP_DAC_OVERRIDE);
    EXPECT_EQ(syscall(SYS_capset, &header_, now), 0);
  }
  ~WithoutWriteRights() { syscall(SYS_capset, &header_, before_); }

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2];
};

TEST(CacheRightsTest, AFolderThatHoldsAllMayBeReadOnly) {
  const FakeSet set = MakeFakeSet(3, 1000);
  const TestFolder folder;
  for (int i = 0; i < 2; ++i) folder.Write(Name(i), set.contents[i]);
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  {
    const WithoutWriteRights guard;
    for (const uint64_t limit : {0, 100000}) {
      const auto cache = Open(folder.path(), set, Limit(limit));
      for (int i = 0; i < 2; ++i) EXPECT_EQ(Read(*cache, i), set.contents[i]);
      const absl::Status status = cache->Acquire(2).status();
      EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
      EXPECT_TRUE(absl::StrContains(status.message(), folder / Name(2))) << status;
    }
  }
  chmod(folder.path().c_str(), 0755);
  EXPECT_FALSE(std::filesystem::exists(folder / ".tessera.lock"));
}

int OpenFiles() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

TEST(CacheFilesTest, FewOpenFilesAreEnoughAndAllAreClosed) {
  const FakeSet set = MakeFakeSet(200, 1000);
  const TestFolder folder;
  const int open_before = OpenFiles();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few = {64, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  {
    const auto cache = Open(folder.path(), set, Limit(100 * 1200));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (int k = 0; k < 400; ++k) {
          const int shard = (k + i * 50) % 200;
          EXPECT_EQ(Read(*cache, shard), set.contents[shard]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(OpenFiles(), open_before + 64 / 4);
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(OpenFiles(), open_before);
}

}  // namespace
}  // namespace tessera
