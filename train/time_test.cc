#include "train/time.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

TEST(TimeTest, ReadsEachUnit) {
  EXPECT_EQ(*Time::Parse("128ep", "f"), (Time{128, Time::Unit::kEpoch}));
  EXPECT_EQ(*Time::Parse("500ba", "f"), (Time{500, Time::Unit::kBatch}));
  EXPECT_EQ(*Time::Parse("2048sp", "f"), (Time{2048, Time::Unit::kSample}));
  EXPECT_EQ(*Time::Parse("0.5dur", "f"), (Time{0.5, Time::Unit::kDuration}));
  EXPECT_EQ(*Time::Parse("0ba", "f"), (Time{0, Time::Unit::kBatch}));
}

// A fraction of an epoch is never cut to a whole one in silence.
TEST(TimeTest, RefusesWhatIsNotANumberWithAUnit) {
  for (const char* text : {"1.5ep", "10", "ep", "-1ep", "1e9ep", " 2ep", "2 ep", "2EP", "", "nanep",
                           "infdur", "1.ep", ".5dur", "1..5dur", "2epochs", "9999999999999999ep"}) {
    const auto time = Time::Parse(text, "max_duration");
    ASSERT_FALSE(time.ok()) << text;
    EXPECT_THAT(std::string(time.status().message()),
                HasSubstr(std::string("max_duration: \"") + text + "\" "));
  }
}

TEST(TimeTest, PrintsWhatItParses) {
  for (const char* text : {"128ep", "500ba", "2048sp", "0.5dur", "1dur", "0ba", "0.33333333dur",
                           "0.0000001dur", "1000000000000000sp"}) {
    EXPECT_EQ(Time::Parse(text, "f")->ToString(), text);
  }
}

TEST(TrainingLengthTest, CountsBatches) {
  const TrainingLength length = {
      .batches_per_epoch = 3, .samples_per_epoch = 22, .batch_size = 8, .max_batches = 30};
  EXPECT_EQ(length.Batches({2, Time::Unit::kEpoch}), 6);
  EXPECT_EQ(length.Batches({7, Time::Unit::kBatch}), 7);
  // The last batch of an epoch holds 6 samples: 22 samples are 3 batches, 23 begin a fourth.
  EXPECT_EQ(length.Batches({22, Time::Unit::kSample}), 3);
  EXPECT_EQ(length.Batches({23, Time::Unit::kSample}), 4);
  EXPECT_EQ(length.Batches({0.1, Time::Unit::kDuration}), 3);
  EXPECT_EQ(length.Batches({0.11, Time::Unit::kDuration}), 4);
  EXPECT_EQ(length.Batches({1, Time::Unit::kDuration}), 30);
}

// All of the duration is the duration, whatever the doubles of a share round to.
TEST(TrainingLengthTest, WholeDurationIsExact) {
  for (const int64_t batches : {int64_t{1}, int64_t{3}, int64_t{999'999'999'999'999}}) {
    const TrainingLength length = {.max_batches = batches};
    EXPECT_EQ(length.Batches({1, Time::Unit::kDuration}), batches);
  }
}

TEST(TrainingLengthTest, HugeTimesDoNotWrap) {
  const TrainingLength length = {.batches_per_epoch = int64_t{1} << 40,
                                 .samples_per_epoch = int64_t{1} << 40,
                                 .batch_size = 1,
                                 .max_batches = int64_t{1} << 40};
  constexpr int64_t kMost = int64_t{1} << 62;
  EXPECT_EQ(length.Batches({1e15, Time::Unit::kEpoch}), kMost);
  EXPECT_EQ(length.Batches({1e15, Time::Unit::kDuration}), kMost);
}

TEST(MakeTrainingLengthTest, CountsTheWholeDuration) {
  const auto length = MakeTrainingLength({2, Time::Unit::kEpoch}, 3, 22, 8);
  ASSERT_TRUE(length.ok()) << length.status();
  EXPECT_EQ(length->max_batches, 6);
  EXPECT_EQ(length->batches_per_epoch, 3);
  EXPECT_EQ(MakeTrainingLength({30, Time::Unit::kSample}, 3, 22, 8)->max_batches, 4);
}

TEST(MakeTrainingLengthTest, RefusesWhatCannotBeTrained) {
  const auto error = [](Time time, int64_t batches_per_epoch) {
    return std::string(
        MakeTrainingLength(time, batches_per_epoch, batches_per_epoch * 8, 8).status().message());
  };
  EXPECT_THAT(error({0.5, Time::Unit::kDuration}, 3), HasSubstr("max_duration: \"0.5dur\""));
  EXPECT_THAT(error({0, Time::Unit::kBatch}, 3), HasSubstr("\"0ba\" is no batch"));
  EXPECT_THAT(error({3, Time::Unit::kEpoch}, 0), HasSubstr("\"3ep\" is no batch"));
  EXPECT_THAT(error({1e15, Time::Unit::kEpoch}, 100), HasSubstr("too large"));
  EXPECT_THAT(error({1e15, Time::Unit::kBatch}, 100), HasSubstr("too large"));
}

}  // namespace
}  // namespace tessera
