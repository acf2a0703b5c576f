#include "train/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

RunFolder NewFolder(const std::string& name) {
  const RunFolder folder{::testing::TempDir() + "/" + name};
  fs::remove_all(folder.path);
  return folder;
}

TEST(RunFolderTest, IsNamedByTheConfigOrTheRun) {
  Experiment experiment;
  EXPECT_FALSE(RunFolderOf(experiment).ok());
  experiment.set_run_name("quick");
  EXPECT_EQ(RunFolderOf(experiment)->path, "runs/quick");
  experiment.mutable_train()->set_save_folder("/tmp/x");
  EXPECT_EQ(RunFolderOf(experiment)->path, "/tmp/x");
}

TEST(RunFolderTest, AnotherRunIsRefusedUnlessToldWhatToDo) {
  const RunFolder folder = NewFolder("held");
  TrainConfig config;
  EXPECT_TRUE(CheckRunFolder(folder, config).ok());
  ASSERT_TRUE(LockRunFolder(folder).ok());
  std::ofstream(folder.config()) << "seed: 1\n";
  EXPECT_TRUE(CheckRunFolder(folder, config).ok()) << "a config alone is no run";

  std::ofstream(folder.metrics()) << "{}\n";
  EXPECT_THAT(std::string(CheckRunFolder(folder, config).message()),
              HasSubstr("holds another run"));
  config.set_autoresume(true);
  EXPECT_TRUE(CheckRunFolder(folder, config).ok());
  config.set_autoresume(false);
  config.set_save_overwrite(true);
  EXPECT_TRUE(CheckRunFolder(folder, config).ok());
}

TEST(RunFolderTest, ClearsOnlyWhatARunLeaves) {
  const RunFolder folder = NewFolder("cleared");
  fs::create_directories(folder.checkpoints() + "/ba1");
  std::ofstream(folder.path + "/notes.txt") << "mine";
  EXPECT_TRUE(HoldsRun(folder));
  ASSERT_TRUE(ClearRunFolder(folder).ok());
  EXPECT_FALSE(HoldsRun(folder));
  EXPECT_TRUE(fs::exists(folder.path + "/notes.txt"));
}

TEST(RunFolderTest, LetsOneProcessInAtATime) {
  const RunFolder folder = NewFolder("locked");
  {
    const auto lock = LockRunFolder(folder);
    ASSERT_TRUE(lock.ok());
    EXPECT_THAT(std::string(LockRunFolder(folder).status().message()),
                HasSubstr("another process is training in this folder"));
  }
  EXPECT_TRUE(LockRunFolder(folder).ok());
}

TEST(RunFolderTest, NamesAFolderThatCannotBeMade) {
  EXPECT_THAT(std::string(LockRunFolder({"/dev/null/x"}).status().message()),
              HasSubstr("/dev/null/x"));
}

}  // namespace
}  // namespace tessera
