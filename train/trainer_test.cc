#include "train/trainer.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <string>
#include <tuple>

#include "train/evaluate.h"
#include "train/testing.h"

namespace tessera {
namespace {

using ::tessera::testing::BitEqual;
using ::tessera::testing::Compute;
using ::tessera::testing::kClasses;
using ::tessera::testing::kIgnored;
using ::tessera::testing::Log;
using ::tessera::testing::MakeBatch;
using ::tessera::testing::MakeState;
using ::tessera::testing::Recorder;
using ::tessera::testing::Seed;
using ::tessera::testing::Snapshot;
using ::tessera::testing::TinyLoader;
using ::tessera::testing::TinyModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TrainerTest, RunsTheEventsOfTheHeader) {
  Log log;
  Trainer trainer(MakeState(4), {.compute = Compute(), .eval_interval = 3, .eval_first = true});
  trainer.Add(std::make_unique<Recorder>(&log));
  ASSERT_TRUE(trainer.Fit().ok());
  // F fit, E epoch start, b batch start, g after backward, B batch end, x epoch end, V v W
  // evaluation with its three batches, f end.
  EXPECT_EQ(log.events,
            "F"
            "VvvvW"
            "E"
            "bgBbgBbgBx"
            "VvvvW"
            "E"
            "bgB"
            "VvvvW"
            "f");
  EXPECT_THAT(log.samples, ElementsAre(0, 1, 2, 3, 4, 5, 1, 2));
  const Timestamp& end = trainer.state().timestamp;
  EXPECT_EQ(std::tie(end.epoch, end.batch, end.batch_in_epoch, end.sample, end.sample_in_epoch),
            std::make_tuple(1, 4, 1, 8, 2));
}

TEST(TrainerTest, SavesAtEveryIntervalAndAtTheEnd) {
  const auto batches_of_saves = [](int64_t interval, int64_t max_batches) {
    std::vector<int64_t> saves;
    Trainer trainer(
        MakeState(max_batches),
        {.compute = Compute(), .save_interval = interval, .save = [&saves](const State& state) {
           saves.push_back(state.timestamp.batch);
           return absl::OkStatus();
         }});
    EXPECT_TRUE(trainer.Fit().ok());
    return saves;
  };
  EXPECT_THAT(batches_of_saves(3, 9), ElementsAre(3, 6, 9));  // 1ep over 3 epochs
  EXPECT_THAT(batches_of_saves(3, 7), ElementsAre(3, 6, 7));
  EXPECT_THAT(batches_of_saves(0, 7), ElementsAre(7));
}

TEST(TrainerTest, LogsTheLearningRateThatTheStepUsed) {
  Log log;
  Trainer trainer(MakeState(4), {.compute = Compute()});
  trainer.Add(std::make_unique<Recorder>(&log));
  ASSERT_TRUE(trainer.Fit().ok());
  for (int batch = 0; batch < 4; ++batch) {
    EXPECT_DOUBLE_EQ(log.learning_rates[batch], 0.1 * (1 + std::cos(M_PI * batch / 4)) / 2);
  }
}

TEST(TrainerTest, ABatchWithoutValidPixelsChangesNothing) {
  State state = MakeState(2, /*ignored=*/{2, 3});
  const std::shared_ptr<SegmentationModel> model = state.model;
  std::vector<at::Tensor> after_first, after_second;
  Trainer trainer(std::move(state),
                  {.compute = Compute(), .save_interval = 1, .save = [&](const State& now) {
                     std::vector<at::Tensor> copy = Snapshot(*now.model);
                     for (const auto& [name, t] : now.optimizer->State()) {
                       copy.push_back(t.clone());
                     }
                     copy.push_back(at::detail::getDefaultCPUGenerator().get_state());
                     after_first = std::move(after_second);
                     after_second = std::move(copy);
                     return absl::OkStatus();
                   }});
  Log log;
  trainer.Add(std::make_unique<Recorder>(&log));
  ASSERT_TRUE(trainer.Fit().ok());
  EXPECT_GT(log.losses[0], 0);
  EXPECT_EQ(log.losses[1], 0);
  EXPECT_EQ(trainer.state().empty_batches, 1);
  EXPECT_EQ(trainer.state().timestamp.batch, 2);
  EXPECT_TRUE(BitEqual(after_first, after_second));
}

TEST(TrainerTest, EvaluationChangesNoStatistics) {
  class Watch : public Callback {
   public:
    absl::Status Run(Event event, const State& state) override {
      if (event == Event::kEvalStart) before_ = Snapshot(*state.model);
      if (event == Event::kEvalEnd) {
        EXPECT_TRUE(BitEqual(before_, Snapshot(*state.model)));
        EXPECT_TRUE(state.model->is_training());
        mean_iou_.push_back(*state.evaluation->matrix.MeanIoU());
      }
      if (event == Event::kBatchEnd && state.timestamp.batch == 3) {
        EXPECT_FALSE(BitEqual(before_, Snapshot(*state.model)));
      }
      return absl::OkStatus();
    }
    std::vector<at::Tensor> before_;
    std::vector<double> mean_iou_;
  };
  Trainer trainer(MakeState(4), {.compute = Compute(), .eval_interval = 2});
  trainer.Add(std::make_unique<Watch>());
  EXPECT_TRUE(trainer.Fit().ok());
}

TEST(TrainerTest, ALossThatIsNotFiniteEndsTheRunAndNamesTheSamples) {
  class Poison : public Algorithm {
   public:
    absl::Status Apply(Event event, State& state) override {
      if (event == Event::kBatchStart && state.timestamp.batch == 1) {
        state.batch.images[0] = std::numeric_limits<float>::quiet_NaN();
      }
      return absl::OkStatus();
    }
  };
  int saves = 0;
  Trainer trainer(MakeState(3), {.compute = Compute(), .save = [&saves](const State&) {
                                   ++saves;
                                   return absl::OkStatus();
                                 }});
  trainer.Add(std::make_unique<Poison>());
  const std::string message(trainer.Fit().message());
  EXPECT_THAT(message, HasSubstr("the loss of batch 1"));
  EXPECT_THAT(message, HasSubstr("nan"));
  EXPECT_THAT(message, HasSubstr("sample ids 2 3"));
  EXPECT_EQ(saves, 0);
}

TEST(TrainerTest, ASignalSavesAndStops) {
  int calls = 0, saves = 0;
  Trainer trainer(MakeState(6), {.compute = Compute(),
                                 .save =
                                     [&saves](const State&) {
                                       ++saves;
                                       return absl::OkStatus();
                                     },
                                 .stop_signal = [&calls] { return ++calls == 2 ? SIGTERM : 0; }});
  const absl::Status status = trainer.Fit();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("after batch 2 of 6"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("train.autoresume=true"));
  EXPECT_EQ(saves, 1);
}

TEST(EvaluateTest, GivesTheSameNumbersForAnyBatchSizeAndEachTime) {
  TinyModel model({});
  const auto evaluate = [&model](int64_t batch_size) {
    TinyLoader loader(5, batch_size);
    Evaluation evaluation(kClasses, kIgnored);
    EXPECT_TRUE(Evaluate(
                    model, loader, Compute(), [] { return absl::OkStatus(); }, &evaluation)
                    .ok());
    return evaluation;
  };
  const Evaluation first = evaluate(1), again = evaluate(1), by_two = evaluate(2);
  EXPECT_EQ(first.samples, 5);
  EXPECT_EQ(first.matrix.MeanIoU(), again.matrix.MeanIoU());
  EXPECT_EQ(first.loss, again.loss);
  EXPECT_EQ(first.matrix.MeanIoU(), by_two.matrix.MeanIoU());
  EXPECT_NEAR(*first.loss, *by_two.loss, 1e-6);
  EXPECT_NEAR(*first.cross_entropy, *by_two.cross_entropy, 1e-6);
}

// The loss of a batch and the gradients of all parameters.
std::pair<double, std::vector<at::Tensor>> Gradients(TinyModel& model, const Batch& batch,
                                                     const ComputeOptions& options) {
  const int64_t valid_pixels = CountValidPixels(batch, kIgnored);
  const double loss = ForwardBackward(model, batch, valid_pixels, options).value();
  std::vector<at::Tensor> gradients;
  for (at::Tensor& parameter : model.parameters()) {
    if (!parameter.grad().defined()) continue;
    gradients.push_back(parameter.grad());
    parameter.mutable_grad() = at::Tensor();
  }
  return {loss, gradients};
}

TEST(TrainStepTest, MicrobatchesAddUpToTheBatch) {
  // Sample 3 has no valid pixel, so that a mean of means would differ.
  const Batch batch = MakeBatch({0, 1, 2, 3, 4}, /*ignored=*/{3});
  TinyModel model({.batch_norm = false, .dropout = 0});
  for (const double dice_weight : {0.0, 1.0}) {
    const auto [loss, gradients] = Gradients(model, batch, Compute(0, dice_weight));
    for (const int64_t size : {1, 2, 4}) {
      const auto [sum, parts] = Gradients(model, batch, Compute(size, dice_weight));
      EXPECT_NEAR(sum, loss, 1e-6) << "microbatches of " << size;
      ASSERT_EQ(parts.size(), gradients.size());
      for (size_t i = 0; i < parts.size(); ++i) {
        EXPECT_TRUE(parts[i].allclose(gradients[i], 1e-4, 1e-6)) << "microbatches of " << size;
      }
    }
  }
}

TEST(TrainStepTest, TheStatisticsPassLeavesNoTrace) {
  const Batch batch = MakeBatch({0, 1, 2, 3});
  const auto after_step = [&batch](double dice_weight) {
    TinyModel model({});
    Seed(5);
    Gradients(model, batch, Compute(2, dice_weight));
    std::vector<at::Tensor> state = Snapshot(model);
    state.push_back(at::detail::getDefaultCPUGenerator().get_state());
    return state;
  };
  // Cross entropy alone needs no such pass; its two forward passes are what Dice's must look like.
  EXPECT_TRUE(BitEqual(after_step(0), after_step(1)));
}

TEST(TrainStepTest, CountsTheValidPixels) {
  EXPECT_EQ(CountValidPixels(MakeBatch({0, 1}, {0, 1}), kIgnored), 0);
  EXPECT_EQ(CountValidPixels(MakeBatch({0, 1}, {0, 1}), -1), 128);
}

}  // namespace
}  // namespace tessera
