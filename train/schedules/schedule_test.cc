#include "train/schedules/schedule.h"

#include <google/protobuf/text_format.h>

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<Schedule>> Build(const std::string& text, int64_t max_batches,
                                                int64_t batches_per_epoch = 10) {
  ScheduleConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return BuildSchedule(config, {.batches_per_epoch = batches_per_epoch,
                                .samples_per_epoch = batches_per_epoch,
                                .batch_size = 1,
                                .max_batches = max_batches});
}

void ExpectRates(const std::string& text, double base, int64_t max_batches,
                 const std::vector<double>& rates) {
  const auto schedule = Build(text, max_batches);
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  for (size_t batch = 0; batch < rates.size(); ++batch) {
    EXPECT_NEAR(base * (*schedule)->Factor(batch), rates[batch], 5e-8) << "batch " << batch;
  }
}

TEST(ScheduleTest, PolyStaysAtItsFloorPastTheEnd) {
  ExpectRates("poly {}", 0.01, 10, {0.01, 0.0090953, 0.0081805});
  const auto schedule = Build("poly {}", 10);
  EXPECT_NEAR(0.01 * (*schedule)->Factor(9), 0.0012589, 5e-8);
  for (const int64_t batch : {10, 11, 12, 1000000}) EXPECT_EQ((*schedule)->Factor(batch), 0);
  EXPECT_EQ((*Build("poly { alpha_f: 0.25 }", 10))->Factor(12), 0.25);
}

TEST(ScheduleTest, CosineDoesNotComeBackUp) {
  ExpectRates("cosine {}", 0.5, 5, {0.5, 0.4522542, 0.3272542, 0.1727458, 0.0477458, 0, 0, 0});
  EXPECT_EQ((*Build("cosine {}", 5))->Factor(7), 0);
}

// A pure function of the batch: the first rate after a resume is that of the batch, not of its
// neighbours.
TEST(ScheduleTest, ResumedRateIsThatOfTheBatch) {
  const auto schedule = Build("cosine {}", 100);
  EXPECT_NEAR(0.001 * (*schedule)->Factor(44), 0.000593691, 5e-10);
  EXPECT_NEAR(0.001 * (*schedule)->Factor(45), 0.000578217, 5e-10);
  EXPECT_NEAR(0.001 * (*schedule)->Factor(46), 0.000562667, 5e-10);
}

TEST(ScheduleTest, MultiStepMultipliesAtEachMilestone) {
  const auto schedule = Build("multi_step { milestones: [\"4ep\", \"60ba\"] gamma: 0.1 }", 100);
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_NEAR(100 * (*schedule)->Factor(30), 100, 1e-9);
  EXPECT_NEAR(100 * (*schedule)->Factor(39), 100, 1e-9);
  EXPECT_NEAR(100 * (*schedule)->Factor(40), 10, 1e-9);
  EXPECT_NEAR(100 * (*schedule)->Factor(60), 1, 1e-9);
}

TEST(ScheduleTest, WarmupRunsFromZeroToTheBaseRate) {
  ExpectRates("cosine {} t_warmup: \"2ba\"", 1, 6, {0, 0.5, 1, 0.8535534, 0.5, 0.1464466, 0});
  ExpectRates("poly { power: 1 } t_warmup: \"2ba\"", 1, 6, {0, 0.5, 1, 0.75, 0.5, 0.25, 0, 0});
  ExpectRates("constant { alpha: 1 } t_warmup: \"0ba\"", 1, 6, {1, 1});
  ExpectRates("constant { alpha: 0.5 } t_warmup: \"2ba\"", 1, 6, {0, 0.25, 0.5, 0.5});
  ExpectRates("multi_step { milestones: \"3ba\" gamma: 0.5 } t_warmup: \"2ba\"", 1, 6,
              {0, 0.5, 1, 0.5, 0.5});
}

TEST(ScheduleTest, WarmupOfTheWholeRunEndsAtTheBaseRate) {
  for (const char* text :
       {"cosine {} t_warmup: \"1dur\"", "poly {} t_warmup: \"100ba\"", "t_warmup: \"10ep\""}) {
    const auto schedule = Build(text, 100);
    ASSERT_TRUE(schedule.ok()) << schedule.status();
    EXPECT_DOUBLE_EQ((*schedule)->Factor(99), 0.99);
    EXPECT_EQ((*schedule)->Factor(100), 1);
    EXPECT_TRUE(std::isfinite((*schedule)->Factor(101)));
  }
}

// A tenth of 5 batches is rounded up to one; batch 0 then has rate 0.
TEST(ScheduleTest, ShortWarmupIsFinite) {
  ExpectRates("cosine {} t_warmup: \"0.1dur\"", 1, 5, {0, 1});
}

TEST(ScheduleTest, WarmupLongerThanTheRunIsRefused) {
  const auto too_long = Build("t_warmup: \"101ba\"", 100);
  EXPECT_THAT(std::string(too_long.status().message()), HasSubstr("101 batches"));
  EXPECT_THAT(std::string(too_long.status().message()), HasSubstr("is 100"));
  EXPECT_THAT(
      std::string(Build("cosine { t_max: \"5ba\" } t_warmup: \"6ba\"", 100).status().message()),
      HasSubstr("schedule.cosine.t_max ends at 5"));
}

TEST(ScheduleTest, WrongTimeIsNamed) {
  EXPECT_THAT(std::string(Build("cosine { t_max: \"1.5ep\" }", 100).status().message()),
              HasSubstr("schedule.cosine.t_max: \"1.5ep\""));
}

}  // namespace
}  // namespace tessera
