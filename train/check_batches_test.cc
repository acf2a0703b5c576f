#include "train/check_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tessera {
namespace {

using ::testing::HasSubstr;

std::string Message(const BatchPlan& plan) { return std::string(CheckBatches(plan).message()); }

TEST(CheckBatchesTest, RefusesATailThatTheModelCannotTrainOn) {
  BatchPlan plan = {.num_samples = 5, .batch_size = 2, .min_train_batch = 2};
  EXPECT_THAT(Message(plan), HasSubstr("5 training samples mod train_batch_size 2 = 1"));
  EXPECT_THAT(Message(plan), HasSubstr("data.drop_last: true"));
  plan.drop_last = true;
  EXPECT_TRUE(CheckBatches(plan).ok());
  plan = {.num_samples = 5, .batch_size = 2, .min_train_batch = 1};
  EXPECT_TRUE(CheckBatches(plan).ok());
}

TEST(CheckBatchesTest, RefusesBatchesAndPartsBelowTheModelsSize) {
  EXPECT_THAT(Message({.num_samples = 5, .batch_size = 1, .min_train_batch = 2}),
              HasSubstr("train_batch_size is 1"));
  EXPECT_THAT(
      Message({.num_samples = 8, .batch_size = 4, .microbatch_size = 1, .min_train_batch = 2}),
      HasSubstr("train.microbatch_size is 1"));
  EXPECT_THAT(
      Message({.num_samples = 10, .batch_size = 5, .microbatch_size = 2, .min_train_batch = 2}),
      HasSubstr("5 mod 2 = 1"));
  EXPECT_TRUE(
      CheckBatches({.num_samples = 8, .batch_size = 4, .microbatch_size = 2, .min_train_batch = 2})
          .ok());
}

}  // namespace
}  // namespace tessera
