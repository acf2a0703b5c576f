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
  for (const char* text : {"128ep", "500ba", "2048sp", "0.5dur", "1dur", "0ba"}) {
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

TEST(TrainingLengthTest, HugeTimesDoNotWrap) {
  const TrainingLength length = {.batches_per_epoch = int64_t{1} << 40,
                                 .samples_per_epoch = int64_t{1} << 40,
                                 .batch_size = 1};
  EXPECT_GT(length.Batches({1e15, Time::Unit::kEpoch}), int64_t{1} << 60);
}

}  // namespace
}  // namespace tessera
