#include "data/formats/webdataset/tar_index_file.h"

#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "data/formats/webdataset/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

class TarIndexFileTest : public ::testing::Test {
 protected:
  TarIndex Build(const std::string& tar) {
    const auto index = TarIndex::Build(tar, "a.tar", BadShard::kSkipRest);
    EXPECT_TRUE(index.ok()) << index.status();
    return *index;
  }

  const std::string folder_ = TestFolder();
  const std::string path_ = folder_ + "/a.tar.index";
  const TarStamp stamp_ = {7, 8, "gz"};
};

TEST_F(TarIndexFileTest, WhatIsSavedIsLoaded) {
  for (const char* const name : {"multi_dot.tar", "sparse_gnu.tar", "empty.tar", "garbage.tar",
                                 "truncated_in_header.tar", "pax_utf8_name.tar"}) {
    const TarIndex index = Build(TestData(name));
    ASSERT_TRUE(SaveTarIndex(index, stamp_, path_).ok());
    const auto loaded = LoadTarIndex(path_);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(loaded->index.tables(), index.tables()) << name;
    EXPECT_EQ(loaded->stamp, stamp_);
  }
}

TEST_F(TarIndexFileTest, OneOfAnotherVersionIsRefused) {
  ASSERT_TRUE(SaveTarIndex(Build(TestData("multi_dot.tar")), stamp_, path_).ok());
  std::string bytes = *ReadFile(path_);
  bytes[15] = '0';
  ASSERT_TRUE(WriteFile(path_, bytes).ok());
  EXPECT_EQ(LoadTarIndex(path_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TarIndexFileTest, DamageIsFoundAtEveryByte) {
  ASSERT_TRUE(SaveTarIndex(Build(TestData("gnu_basic.tar")), stamp_, path_).ok());
  const std::string good = *ReadFile(path_);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    ASSERT_TRUE(WriteFile(path_, bad).ok());
    EXPECT_FALSE(LoadTarIndex(path_).ok()) << i;
    ASSERT_TRUE(WriteFile(path_, good.substr(0, i)).ok());
    EXPECT_FALSE(LoadTarIndex(path_).ok()) << i;
  }
}

TEST_F(TarIndexFileTest, ThreadsThatSaveItDoNotDisturbEachOther) {
  const TarIndex index = Build(TestData("gnu_basic.tar"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) {
        EXPECT_TRUE(SaveTarIndex(index, stamp_, path_).ok());
        EXPECT_TRUE(LoadTarIndex(path_).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(TarIndexFileTest, WhereItCannotBeIsAnError) {
  const TarIndex index = Build(TestData("gnu_basic.tar"));
  const std::string path = folder_ + "/none/a.index";
  EXPECT_THAT(std::string(SaveTarIndex(index, stamp_, path).message()), HasSubstr(path));
  EXPECT_EQ(LoadTarIndex(path).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(TarIndexFileTest, TheStampChangesWithTheFile) {
  ASSERT_TRUE(WriteFile(path_, "12345").ok());
  const TarStamp stamp = *StampOf(path_);
  EXPECT_EQ(stamp.bytes, 5);
  std::filesystem::last_write_time(
      path_, std::filesystem::last_write_time(path_) + std::chrono::seconds(1));
  EXPECT_EQ(StampOf(path_)->mark, stamp.mark + 1'000'000'000);
  EXPECT_EQ(StampOf(folder_ + "/none").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tessera
