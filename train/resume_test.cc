#include "train/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "train/testing.h"
#include "train/trainer.h"

namespace tessera {
namespace {

using ::tessera::testing::BitEqual;
using ::tessera::testing::Compute;
using ::tessera::testing::Log;
using ::tessera::testing::MakeState;
using ::tessera::testing::Recorder;
using ::tessera::testing::Seed;
using ::tessera::testing::Snapshot;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 17;
constexpr int64_t kBatches = 6;  // 3 an epoch

std::string NewFolder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

struct Outcome {
  Log log;
  std::vector<at::Tensor> model;
};

// Trains `state` to its end; a checkpoint after each batch goes to `folder` unless that is empty.
Outcome Train(State state, const std::string& folder) {
  Outcome outcome;
  const std::shared_ptr<SegmentationModel> model = state.model;
  TrainerOptions options = {.compute = Compute()};
  if (!folder.empty()) {
    options.save_interval = 1;
    options.save = [&folder](const State& now) { return SaveState(now, kSeed, folder, 0); };
  }
  Trainer trainer(std::move(state), std::move(options));
  trainer.Add(std::make_unique<Recorder>(&outcome.log));
  EXPECT_TRUE(trainer.Fit().ok());
  outcome.model = Snapshot(*model);
  return outcome;
}

TEST(ResumeTest, AResumedRunComputesTheSameAsOneThatNeverStopped) {
  const std::string folder = NewFolder("checkpoints");
  const Outcome unbroken = Train(MakeState(kBatches), folder);
  ASSERT_EQ(unbroken.log.losses.size(), kBatches);
  // 2 and 4 are inside an epoch, 3 is between two.
  for (const auto& [name, batch] :
       {std::pair("ep0-ba2", 2), std::pair("ep1-ba3", 3), std::pair("ep1-ba4", 4)}) {
    State state = MakeState(kBatches);
    Seed(99);
    int64_t previous_max_batches = 0;
    ASSERT_TRUE(RestoreState(folder + "/" + name, kSeed, &state, &previous_max_batches).ok());
    EXPECT_EQ(previous_max_batches, kBatches);
    EXPECT_EQ(state.timestamp.batch, batch);
    const Outcome resumed = Train(std::move(state), "");
    const auto rest = [batch = batch](const auto& all, int64_t each) {
      return std::vector(all.begin() + batch * each, all.end());
    };
    EXPECT_EQ(resumed.log.losses, rest(unbroken.log.losses, 1)) << name;
    EXPECT_EQ(resumed.log.learning_rates, rest(unbroken.log.learning_rates, 1)) << name;
    EXPECT_EQ(resumed.log.samples, rest(unbroken.log.samples, 2)) << name;
    EXPECT_TRUE(BitEqual(resumed.model, unbroken.model)) << name;
  }
}

TEST(ResumeTest, WeightsThatAreNotFiniteAreNotSaved) {
  const std::string folder = NewFolder("not_finite");
  State state = MakeState(kBatches);
  state.model->parameters().back().data().fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(std::string(SaveState(state, kSeed, folder, 1).message()),
              HasSubstr("holds numbers that are not finite"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(ResumeTest, AnEmptyStateIsToldAsSuch) {
  const std::string folder = NewFolder("empty_state");
  Train(MakeState(kBatches), folder);
  const std::string path = folder + "/ep0-ba2";
  std::filesystem::resize_file(path + "/state.textproto", 0);
  State state = MakeState(kBatches);
  int64_t previous_max_batches = 0;
  EXPECT_THAT(std::string(RestoreState(path, kSeed, &state, &previous_max_batches).message()),
              HasSubstr("its state.textproto is cut short"));
}

TEST(ResumeTest, TakesTheWeightsAlone) {
  const std::string folder = NewFolder("weights");
  const Outcome trained = Train(MakeState(3), folder);
  State state = MakeState(kBatches);
  ASSERT_TRUE(RestoreWeights(folder + "/latest", &state).ok());
  EXPECT_EQ(state.timestamp, Timestamp());
  EXPECT_TRUE(BitEqual(Snapshot(*state.model), trained.model));
}

TEST(ResumeTest, RefusesACheckpointOfOtherBatches) {
  const std::string folder = NewFolder("other");
  Train(MakeState(2), folder);
  const std::string path = folder + "/ep0-ba2";
  int64_t previous_max_batches = 0;
  State state = MakeState(kBatches);
  EXPECT_THAT(std::string(RestoreState(path, 18, &state, &previous_max_batches).message()),
              HasSubstr("saved with seed 17, the config has 18"));
  state.length.batch_size = 3;
  state.length.batches_per_epoch = 2;
  const std::string message(RestoreState(path, kSeed, &state, &previous_max_batches).message());
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr("after 2 batches and 4 samples of epoch 0"));
  EXPECT_THAT(message, HasSubstr("2 batches of 3 an epoch"));
}

TEST(ResumeTest, NamesACheckpointThatIsNotThere) {
  State state = MakeState(1);
  int64_t previous_max_batches = 0;
  EXPECT_THAT(
      std::string(RestoreState("/nowhere/ba1", kSeed, &state, &previous_max_batches).message()),
      HasSubstr("/nowhere/ba1"));
}

}  // namespace
}  // namespace tessera
