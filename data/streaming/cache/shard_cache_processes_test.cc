// Several processes that share a cache, some of which are killed.

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "data/streaming/cache/cache_space.h"
#include "data/streaming/cache/fake_source.h"
#include "data/streaming/cache/file_lock.h"
#include "data/streaming/cache/test_folder.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

// How the workers of a test read.
struct Work {
  uint64_t limit = 0;
  std::string compression;
  int shards = 6;
  uint64_t bytes = 60000;
  int threads = 2;
  int passes = 3;
};

class CacheProcessesTest : public testing::Test {
 protected:
  pid_t Start(const Work& work, int seed) const {
    const std::string binary = "data/streaming/cache/cache_worker";
    std::vector<std::string> arguments = {binary,
                                          folder_.path(),
                                          logs_ / "log",
                                          absl::StrCat(work.limit),
                                          work.compression,
                                          absl::StrCat(work.shards),
                                          absl::StrCat(work.bytes),
                                          absl::StrCat(work.threads),
                                          absl::StrCat(work.passes),
                                          absl::StrCat(seed)};
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    EXPECT_EQ(posix_spawn(&pid, binary.c_str(), nullptr, nullptr, argv.data(), environ), 0);
    return pid;
  }

  static void ExpectEndsWell(pid_t pid) {
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }

  size_t Fetches() const {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(logs_ / "log", error);
    return error ? 0 : bytes / line_bytes_;
  }

  // What all files take up. No file is made, or given another name, meanwhile: files that come
  // after others have gone are not added to them.
  uint64_t Used() const {
    const auto state = FileLock::Wait(LockPath(folder_.path()), CacheSpace::kStateByte);
    EXPECT_TRUE(state.ok()) << state.status();
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      struct stat info {};
      if (entry.path().filename() == ".tessera.lock") continue;
      if (stat(entry.path().c_str(), &info) == 0) bytes += info.st_size;
    }
    return bytes;
  }

  // Every file in the cache is whole, and none is half made.
  void ExpectWhole(const Work& work) const {
    const FakeSet set = MakeFakeSet(work.shards, work.bytes, work.compression);
    for (const std::string& name : folder_.Names()) {
      const auto shard = std::find_if(set.shards.begin(), set.shards.end(),
                                      [&](const ShardFile& file) { return file.raw.name == name; });
      ASSERT_NE(shard, set.shards.end()) << name;
      EXPECT_EQ(folder_.Read(name), set.contents[shard - set.shards.begin()]);
    }
  }

  void Clear() const {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directory(folder_.path());
  }

  TestFolder folder_;
  TestFolder logs_;
  size_t line_bytes_ = std::string("shard.00000.mds\n").size();
};

TEST_F(CacheProcessesTest, AMachineFetchesAShardOnce) {
  Work work;
  work.shards = 20;
  std::vector<pid_t> pids;
  for (int i = 0; i < 4; ++i) pids.push_back(Start(work, i));
  for (const pid_t pid : pids) ExpectEndsWell(pid);
  const std::string log = logs_.Read("log");
  const std::vector<std::string> lines = absl::StrSplit(log, '\n', absl::SkipEmpty());
  EXPECT_EQ(lines.size(), 20);
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), 20);
  ExpectWhole(work);
}

TEST_F(CacheProcessesTest, TheLimitHoldsAtEveryMoment) {
  for (const std::string compression : {"", "zstd"}) {
    Work work;
    work.compression = compression;
    const FakeSet set = MakeFakeSet(work.shards, work.bytes, compression);
    for (const uint64_t limit : {set.LargestBytes(), 3 * set.LargestBytes()}) {
      work.limit = limit;
      std::atomic<bool> done = false;
      std::atomic<uint64_t> most = 0;
      std::thread observer([&] {
        while (!done) most = std::max<uint64_t>(most, Used());
      });
      std::vector<pid_t> pids;
      for (int i = 0; i < 4; ++i) pids.push_back(Start(work, i));
      for (const pid_t pid : pids) ExpectEndsWell(pid);
      done = true;
      observer.join();
      EXPECT_LE(most, limit);
      EXPECT_GE(most, work.bytes);
      ExpectWhole(work);
      Clear();
    }
  }
}

TEST_F(CacheProcessesTest, OthersGoOnWhenOneIsKilled) {
  constexpr int kRounds = 50;
  std::mt19937 random(1);
  for (int round = 0; round < kRounds; ++round) {
    Work work;
    work.compression = round % 2 == 0 ? "" : "zstd";
    work.threads = 1 + round / 2 % 2;
    const FakeSet set = MakeFakeSet(work.shards, work.bytes, work.compression);
    work.limit = round % 3 == 0 ? set.LargestBytes() : 3 * set.LargestBytes();
    // The last bit of each moment is where the machine's scheduler leaves the victim.
    const size_t moment = Fetches() + std::uniform_int_distribution<size_t>(0, 20)(random);
    std::vector<pid_t> pids;
    for (int i = 0; i < 4; ++i) pids.push_back(Start(work, 4 * round + i));
    siginfo_t ended{};
    const auto victim_ended = [&] {
      return waitid(P_PID, pids[0], &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
    };
    while (Fetches() < moment && !victim_ended()) std::this_thread::yield();
    kill(pids[0], SIGKILL);
    waitpid(pids[0], nullptr, 0);
    pids[0] = Start(work, 4 * round);
    for (const pid_t pid : pids) ExpectEndsWell(pid);
    EXPECT_LE(Used(), work.limit);
    ExpectWhole(work);
    if (HasFailure()) FAIL() << "in round " << round;
    Clear();
  }
}

}  // namespace
}  // namespace tessera
