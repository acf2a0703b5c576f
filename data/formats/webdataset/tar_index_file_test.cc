#include "data/formats/webdataset/tar_index_file.h"

#include <filesystem>
#include <memory>
#include <string>

#include "data/formats/webdataset/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
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
  const TarStamp stamp_ = {7, 8};
};

TEST_F(TarIndexFileTest, WhatIsSavedIsLoaded) {
  for (const char* const name : {"multi_dot.tar", "sparse_gnu.tar", "empty.tar", "garbage.tar",
                                 "truncated_in_header.tar", "pax_utf8_name.tar"}) {
    const TarIndex index = Build(TestData(name));
    ASSERT_TRUE(SaveTarIndex(index, stamp_, path_).ok());
    const auto loaded = LoadTarIndex(path_, stamp_);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(loaded->tables(), index.tables()) << name;
  }
}

TEST_F(TarIndexFileTest, AStaleOneIsRefused) {
  ASSERT_TRUE(SaveTarIndex(Build(TestData("multi_dot.tar")), stamp_, path_).ok());
  EXPECT_EQ(LoadTarIndex(path_, {7, 9}).status().message(),
            path_ + " is of a tar of 7 bytes with the mark 8, this one has 7 and 9");
  EXPECT_EQ(LoadTarIndex(path_, {6, 8}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TarIndexFileTest, OneOfAnotherVersionIsRefused) {
  ASSERT_TRUE(SaveTarIndex(Build(TestData("multi_dot.tar")), stamp_, path_).ok());
  std::string bytes = *ReadFile(path_);
  bytes[15] = '0';
  ASSERT_TRUE(WriteFile(path_, bytes).ok());
  EXPECT_EQ(LoadTarIndex(path_, stamp_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(TarIndexFileTest, DamageIsFoundAtEveryByte) {
  ASSERT_TRUE(SaveTarIndex(Build(TestData("gnu_basic.tar")), stamp_, path_).ok());
  const std::string good = *ReadFile(path_);
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    ASSERT_TRUE(WriteFile(path_, bad).ok());
    EXPECT_FALSE(LoadTarIndex(path_, stamp_).ok()) << i;
    ASSERT_TRUE(WriteFile(path_, good.substr(0, i)).ok());
    EXPECT_FALSE(LoadTarIndex(path_, stamp_).ok()) << i;
  }
}

TEST_F(TarIndexFileTest, IsBuiltAgainWhenTheTarChanges) {
  const std::string tar_path = folder_ + "/a.tar";
  const auto keys = [&](const Files& files, uint64_t mark) {
    EXPECT_TRUE(WriteFile(tar_path, TarOf(files) + TarEnd()).ok());
    const std::unique_ptr<const MappedFile> tar = *MappedFile::Open(tar_path);
    const auto index =
        LoadOrBuildTarIndex(*tar, {tar->contents().size(), mark}, path_, BadShard::kStop);
    EXPECT_TRUE(index.ok()) << index.status();
    return std::string(index->key(0));
  };
  EXPECT_EQ(keys({{"a.jpg", "1"}}, 1), "a");
  EXPECT_EQ(keys({{"b.jpg", "1"}}, 1), "a");  // the index was loaded: nothing says that it changed
  EXPECT_EQ(keys({{"b.jpg", "1"}}, 2), "b");
  EXPECT_EQ(keys({{"c.jpg", "1"}, {"d.jpg", "1"}}, 2), "c");
}

TEST_F(TarIndexFileTest, DamageThatOneRunSkippedStopsAnother) {
  const std::string tar_path = folder_ + "/a.tar";
  ASSERT_TRUE(WriteFile(tar_path, TestData("truncated_in_data.tar")).ok());
  const std::unique_ptr<const MappedFile> tar = *MappedFile::Open(tar_path);
  const auto skipped = LoadOrBuildTarIndex(*tar, stamp_, path_, BadShard::kSkipRest);
  ASSERT_TRUE(skipped.ok()) << skipped.status();
  EXPECT_THAT(skipped->left_out().reason, HasSubstr("byte 1836"));
  EXPECT_EQ(LoadOrBuildTarIndex(*tar, stamp_, path_, BadShard::kStop).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(TarIndexFileTest, AFolderThatCannotBeWrittenToIsNoError) {
  const std::string tar_path = folder_ + "/a.tar";
  ASSERT_TRUE(WriteFile(tar_path, TestData("gnu_basic.tar")).ok());
  const std::unique_ptr<const MappedFile> tar = *MappedFile::Open(tar_path);
  const auto index = LoadOrBuildTarIndex(*tar, stamp_, folder_ + "/none/a.index", BadShard::kStop);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->size(), 2);
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
