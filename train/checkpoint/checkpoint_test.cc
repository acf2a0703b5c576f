#include "train/checkpoint/checkpoint.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/write_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string TestFolder() {
  return absl::StrCat(std::getenv("TEST_TMPDIR"), "/",
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
}

CheckpointState StateAt(int64_t batch) {
  CheckpointState state;
  state.set_epoch(batch / 10);
  state.set_batch(batch);
  state.set_sample(batch * 8);
  state.set_torch_generator(std::string("\0\xff\n\"", 4));
  return state;
}

// Tensors that tell which batch they were saved at.
NamedTensors TensorsAt(int64_t batch) {
  return {{"w", at::full({40, 50}, static_cast<double>(batch))},
          {"count", at::full({}, batch, at::kLong)}};
}

absl::Status Save(const std::string& folder, int64_t batch, int keep = 0) {
  return SaveCheckpoint(folder, StateAt(batch), TensorsAt(batch), TensorsAt(batch + 1), keep);
}

void ExpectWhole(const std::string& path, int64_t batch) {
  const auto checkpoint = LoadCheckpoint(path);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  EXPECT_EQ(checkpoint->state.SerializeAsString(), StateAt(batch).SerializeAsString());
  for (const auto& [name, tensor] : TensorsAt(batch)) {
    EXPECT_TRUE(at::equal(checkpoint->model.at(name), tensor)) << name;
  }
  EXPECT_EQ(checkpoint->optimizer.at("count").item<int64_t>(), batch + 1);
}

std::vector<std::string> Names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(CheckpointTest, ComesBackAsItWas) {
  const std::string folder = TestFolder();
  EXPECT_FALSE(FindLatestCheckpoint(folder).has_value());
  ASSERT_TRUE(Save(folder, 12).ok());
  EXPECT_EQ(FindLatestCheckpoint(folder), folder + "/ep1-ba12");
  ExpectWhole(folder + "/ep1-ba12", 12);
  ExpectWhole(folder + "/latest", 12);
  const auto weights = LoadWeights(folder + "/ep1-ba12");
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(weights->at("count").item<int64_t>(), 12);
  EXPECT_TRUE(LoadWeights(folder + "/latest/model.safetensors").ok());
}

TEST(CheckpointTest, OldOnesAreRemovedAndTheLatestStays) {
  const std::string folder = TestFolder();
  for (const int64_t batch : {5, 9, 100}) ASSERT_TRUE(Save(folder, batch, 2).ok());
  EXPECT_EQ(Names(folder), (std::vector<std::string>{"ep0-ba9", "ep10-ba100", "latest"}));
  // A run that starts again at an earlier batch does not lose what it has just written.
  ASSERT_TRUE(Save(folder, 3, 1).ok());
  EXPECT_EQ(Names(folder), (std::vector<std::string>{"ep0-ba3", "latest"}));
}

TEST(CheckpointTest, OneOfTheSameNameIsReplaced) {
  const std::string folder = TestFolder();
  ASSERT_TRUE(Save(folder, 4, 1).ok());
  ASSERT_TRUE(SaveCheckpoint(folder, StateAt(4), TensorsAt(77), {}, 1).ok());
  EXPECT_EQ(LoadCheckpoint(folder + "/latest")->model.at("count").item<int64_t>(), 77);
  EXPECT_EQ(Names(folder), (std::vector<std::string>{"ep0-ba4", "latest"}));
}

TEST(CheckpointTest, WithoutLatestTheNewestIsFound) {
  const std::string folder = TestFolder();
  for (const int64_t batch : {9, 100}) ASSERT_TRUE(Save(folder, batch).ok());
  fs::remove(folder + "/latest");
  EXPECT_EQ(FindLatestCheckpoint(folder), folder + "/ep10-ba100");
  fs::create_directory_symlink("ep0-ba1", folder + "/latest");
  EXPECT_EQ(FindLatestCheckpoint(folder), folder + "/ep10-ba100");
}

TEST(CheckpointTest, LeftoversAreNoCheckpointsAndGoAway) {
  const std::string folder = TestFolder();
  fs::create_directories(folder + "/.partial-ep9-ba99");
  ASSERT_TRUE(WriteFile(folder + "/.partial-ep9-ba99/state.textproto", "").ok());
  // Nor is one that lacks a file, or another name.
  ASSERT_TRUE(Save(folder, 97).ok());
  fs::remove(folder + "/ep9-ba97/model.safetensors");
  fs::create_directories(folder + "/ep9-ba98");
  fs::copy(folder + "/ep9-ba97", folder + "/ep9-ba097");
  EXPECT_FALSE(FindLatestCheckpoint(folder).has_value());
  ASSERT_TRUE(Save(folder, 1).ok());
  EXPECT_FALSE(fs::exists(folder + "/.partial-ep9-ba99"));
}

TEST(CheckpointTest, FailureLeavesTheEarlierOneAsItWas) {
  const std::string folder = TestFolder();
  ASSERT_TRUE(Save(folder, 1).ok());
  // A file where the folder should be made stands for any disk that refuses.
  ASSERT_TRUE(WriteFile(folder + "/file", "x").ok());
  const absl::Status status = Save(folder + "/file/checkpoints", 2);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("cannot make"), HasSubstr("file")));
  ExpectWhole(folder + "/latest", 1);
  EXPECT_THAT(std::string(LoadCheckpoint(folder + "/absent").status().message()),
              HasSubstr("no checkpoint"));
}

// A disk that is full in the middle of a file, by the limit on a file's size.
TEST(CheckpointTest, FullDiskIsOneErrorAndLeavesNothing) {
  const std::string folder = TestFolder();
  ASSERT_TRUE(Save(folder, 1).ok());
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {.rlim_cur = 5000, .rlim_max = limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = Save(folder, 2, 1);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, handler);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("cannot write"), HasSubstr("ep0-ba2/model.safetensors"),
                    HasSubstr("File too large")));
  EXPECT_EQ(Names(folder), (std::vector<std::string>{"ep0-ba1", "latest"}));
  ExpectWhole(folder + "/latest", 1);
}

TEST(CheckpointTest, DamagedStateIsNamedWithItsPlace) {
  const std::string folder = TestFolder();
  ASSERT_TRUE(Save(folder, 1).ok());
  ASSERT_TRUE(WriteFile(folder + "/ep0-ba1/state.textproto", "epoch: 1\nbatch: x\n").ok());
  EXPECT_THAT(std::string(LoadCheckpoint(folder + "/latest").status().message()),
              HasSubstr("state.textproto:2:"));
}

TEST(CheckpointTest, TensorsThatDoNotFitAreListedAndNothingIsCopied) {
  const at::Tensor a = at::zeros({2}), b = at::zeros({3}), c = at::zeros({1});
  const NamedTensors model = {{"a", a}, {"b", b}, {"c", c}};
  const at::Tensor one = at::full({2}, 1.0);
  const absl::Status status = CopyTensors({{"a", one}, {"b", one}, {"d", one}}, model);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("b has shape [2], expected [3]"), HasSubstr("c is missing"),
                    HasSubstr("d is not in the model")));
  EXPECT_TRUE(at::equal(a, at::zeros({2})));
  EXPECT_TRUE(CopyTensors({{"a", one}}, {{"a", a}}).ok());
  EXPECT_TRUE(at::equal(a, one));
}

// A child saves one checkpoint after the other and says of each when it is done; it is killed at a
// random moment. What is found is whole, and not older than what it said last.
TEST(CheckpointTest, KilledAtAnyInstantAWholeOneIsLeft) {
  const std::string folder = TestFolder();
  std::mt19937 random(17);
  for (int round = 0; round < 30; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const int64_t first = round * 1000;
    const pid_t child = fork();
    if (child == 0) {
      for (int64_t batch = first;; ++batch) {
        if (!Save(folder, batch, 2).ok()) _exit(1);
        if (write(ends[1], &batch, sizeof(batch)) != sizeof(batch)) _exit(1);
      }
    }
    close(ends[1]);
    int64_t acknowledged = -1;
    ASSERT_EQ(read(ends[0], &acknowledged, sizeof(acknowledged)), ssize_t{sizeof(acknowledged)});
    usleep(random() % 20000);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    while (read(ends[0], &acknowledged, sizeof(acknowledged)) == ssize_t{sizeof(acknowledged)}) {
    }
    close(ends[0]);
    const std::optional<std::string> latest = FindLatestCheckpoint(folder);
    ASSERT_TRUE(latest.has_value());
    const auto checkpoint = LoadCheckpoint(*latest);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
    EXPECT_GE(checkpoint->state.batch(), acknowledged);
    ExpectWhole(*latest, checkpoint->state.batch());
  }
}

}  // namespace
}  // namespace tessera
