#include "data/streaming/cache/mapping_table.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "data/streaming/cache/test_folder.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using Mapping = MappingTable::Mapping;

class MappingTableTest : public testing::Test {
 protected:
  MappingTableTest() { folder_.Write("file", "contents"); }

  // Loads shards and counts how often.
  absl::StatusOr<Mapping> Get(MappingTable& table, size_t shard) {
    if (Mapping mapping = table.Find(shard)) return mapping;
    return table.FindOrLoad(shard, [&]() -> absl::StatusOr<Mapping> {
      ++loads_;
      return MappedFile::Open(folder_ / "file");
    });
  }

  TestFolder folder_;
  std::atomic<int> loads_ = 0;
};

TEST_F(MappingTableTest, KeepsIdleMappingsUpToItsCapacityTheLatestUsed) {
  MappingTable table(3);
  for (size_t shard = 0; shard < 3; ++shard) ASSERT_TRUE(Get(table, shard).ok());
  ASSERT_TRUE(Get(table, 0).ok());
  EXPECT_EQ(loads_, 3);
  ASSERT_TRUE(Get(table, 70).ok());
  EXPECT_NE(table.Find(0), nullptr);
  EXPECT_EQ(table.Find(1), nullptr);
  EXPECT_NE(table.Find(2), nullptr);
  EXPECT_NE(table.Find(70), nullptr);
}

TEST_F(MappingTableTest, KeepsAllThatAreInUse) {
  MappingTable table(1);
  std::vector<Mapping> used;
  for (size_t shard = 0; shard < 5; ++shard) used.push_back(Get(table, shard).value());
  table.CloseIdle();
  for (size_t shard = 0; shard < 5; ++shard) EXPECT_EQ(table.Find(shard), used[shard]);
  used.clear();
  table.CloseIdle();
  for (size_t shard = 0; shard < 5; ++shard) EXPECT_EQ(table.Find(shard), nullptr);
}

TEST_F(MappingTableTest, AnErrorReachesAllThatWaitAndIsNotKept) {
  MappingTable table(4);
  std::atomic<int> loads = 0;
  const auto fail = [&]() -> absl::StatusOr<Mapping> {
    ++loads;
    return absl::UnavailableError("no");
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&] { EXPECT_TRUE(absl::IsUnavailable(table.FindOrLoad(7, fail).status())); });
  }
  for (std::thread& thread : threads) thread.join();
  const int before = loads;
  EXPECT_GE(before, 1);
  EXPECT_FALSE(table.FindOrLoad(7, fail).ok());
  EXPECT_EQ(loads, before + 1);
  EXPECT_TRUE(Get(table, 7).ok());
}

}  // namespace
}  // namespace tessera
