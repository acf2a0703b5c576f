#include "data/build_data.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// 22 training samples of 8 classes, stored as 1 to 8.
DataConfig Config(const std::string& more = "") {
  DataConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(synthetic { train_samples: 22 eval_samples: 7 height: 32 width: 32 }
         reduce_zero_label: true
         train_transforms { base_height: 0 base_width: 0 crop_height: 32 crop_width: 32 }
         eval_transforms { height: 0 width: 0 })" +
          more,
      &config));
  return config;
}

absl::StatusOr<std::unique_ptr<DataLoader>> Build(const DataConfig& config, Split split,
                                                  int64_t batch_size = 5, int num_classes = 8) {
  return BuildDataLoader(
      config, {.split = split, .batch_size = batch_size, .num_classes = num_classes, .seed = 17});
}

// The ids of one epoch, a batch each.
std::vector<std::vector<int64_t>> Ids(DataLoader& loader, int64_t epoch, int64_t first_sample = 0) {
  std::vector<std::vector<int64_t>> ids;
  EXPECT_TRUE(loader.StartEpoch(epoch, first_sample).ok());
  while (true) {
    const absl::StatusOr<std::optional<Batch>> batch = loader.Next();
    EXPECT_TRUE(batch.ok()) << batch.status();
    if (!batch.ok() || !batch->has_value()) return ids;
    ids.push_back((*batch)->sample_ids);
  }
}

TEST(BuildDataTest, EachTrainingEpochHasAnOrderOfItsOwnThatComesAgain) {
  const auto loader = Build(Config(), Split::kTrain).value();
  std::set<std::vector<std::vector<int64_t>>> orders;
  for (int64_t epoch = 0; epoch < 3; ++epoch) orders.insert(Ids(*loader, epoch));
  EXPECT_EQ(orders.size(), 3u);
  auto resumed = Ids(*Build(Config(), Split::kTrain).value(), /*epoch=*/1, /*first_sample=*/10);
  auto whole = Ids(*loader, /*epoch=*/1);
  whole.erase(whole.begin(), whole.begin() + 2);
  EXPECT_EQ(resumed, whole);
}

TEST(BuildDataTest, EvaluationCountsEachSampleOnceInOrder) {
  const auto loader = Build(Config("drop_last: true shuffle: true"), Split::kEval).value();
  EXPECT_EQ(Ids(*loader, 0), (std::vector<std::vector<int64_t>>{{0, 1, 2, 3, 4}, {5, 6}}));
}

TEST(BuildDataTest, DropLastLeavesOutTheSmallerBatchOfTraining) {
  const auto loader = Build(Config("drop_last: true"), Split::kTrain).value();
  EXPECT_EQ(loader->num_batches(), 4);
  EXPECT_EQ(Ids(*loader, 0).size(), 4u);
  EXPECT_THAT(
      std::string(Build(Config("drop_last: true"), Split::kTrain, 32).status().message()),
      AllOf(HasSubstr("22 samples"), HasSubstr("batch size is 32"), HasSubstr("drop_last")));
}

TEST(BuildDataTest, LabelBeyondTheClassesNamesSampleValueAndRange) {
  const auto loader = Build(Config("shuffle: false"), Split::kTrain, 22, /*num_classes=*/7).value();
  ASSERT_TRUE(loader->StartEpoch(0, 0).ok());
  EXPECT_THAT(std::string(loader->Next().status().message()),
              AllOf(HasSubstr("(train_"), HasSubstr("mask value 8 in "),
                    HasSubstr("classes are 1 to 7"), HasSubstr("model.num_classes")));
}

TEST(BuildDataTest, SkippedTrainingSamplesAreReplacedThoseOfEvaluationLeftOut) {
  // Stars, the last class, are out of range, so samples with a star are bad.
  const DataConfig config = Config("shuffle: false bad_samples: SKIP");
  const auto train = Build(config, Split::kTrain, 5, /*num_classes=*/7).value();
  std::vector<int64_t> ids;
  for (const auto& batch : Ids(*train, 0)) ids.insert(ids.end(), batch.begin(), batch.end());
  EXPECT_EQ(ids.size(), 22u);
  EXPECT_GT(train->skipped_samples(), 0);
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size() + train->skipped_samples(), 22u);

  const auto eval = Build(config, Split::kEval, 7, /*num_classes=*/7).value();
  std::vector<int64_t> all(7);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(Ids(*eval, 0), (std::vector<std::vector<int64_t>>{all}));
  EXPECT_GT(eval->skipped_samples(), 0);
}

TEST(BuildDataTest, AConfigWithoutASetSaysWhatThereIs) {
  EXPECT_THAT(std::string(OpenDataset(DataConfig(), Split::kTrain).status().message()),
              HasSubstr("synthetic, folder or streaming"));
}

}  // namespace
}  // namespace tessera
