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

// The digits that are part of the program: an image and a class each.
DataConfig Digits(int threads = 2) {
  DataConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(digits {}
         classification_transforms {
           padded_crop { padding: 1 } train_height: 8 train_width: 8 horizontal_flip: 0
           eval_resize: 0 eval_height: 8 eval_width: 8
         }
         normalization { mean: [0, 0, 0] std: [1, 1, 1] })",
      &config));
  config.set_num_threads(threads);
  return config;
}

std::vector<Batch> Batches(DataLoader& loader, int64_t epoch) {
  std::vector<Batch> batches;
  EXPECT_TRUE(loader.StartEpoch(epoch, 0).ok());
  while (true) {
    absl::StatusOr<std::optional<Batch>> batch = loader.Next();
    EXPECT_TRUE(batch.ok()) << batch.status();
    if (!batch.ok() || !batch->has_value()) return batches;
    batches.push_back(**std::move(batch));
  }
}

TEST(BuildDataTest, ImagesWithClassesComeAsTheyAreInEvaluation) {
  const auto loader = Build(Digits(), Split::kEval, 50, 10).value();
  EXPECT_EQ(loader->label_kind(), LabelKind::kClass);
  const auto dataset = OpenDataset(Digits(), Split::kEval).value();
  EXPECT_EQ(dataset->class_names().size(), 10u);
  int64_t index = 0;
  for (const Batch& batch : Batches(*loader, 0)) {
    EXPECT_EQ(batch.labels, nullptr);
    ASSERT_EQ(batch.classes.size(), static_cast<size_t>(batch.size));
    for (int64_t i = 0; i < batch.size; ++i, ++index) {
      const Sample sample = dataset->Get(index).value();
      EXPECT_EQ(batch.classes[i], sample.label);
      for (int pixel = 0; pixel < 64; ++pixel) {
        ASSERT_EQ(batch.images[i * 192 + 3 * pixel + 1],
                  static_cast<uint8_t>(sample.image.bytes[pixel]));
      }
    }
  }
  EXPECT_EQ(index, 297);
}

TEST(BuildDataTest, ImagesWithClassesAreTheSameForAnyNumberOfThreads) {
  const auto want = Batches(*Build(Digits(0), Split::kTrain, 64, 10).value(), 3);
  EXPECT_EQ(want.size(), 24u);
  for (const int threads : {1, 2, 8}) {
    const auto got = Batches(*Build(Digits(threads), Split::kTrain, 64, 10).value(), 3);
    ASSERT_EQ(got.size(), want.size());
    for (size_t b = 0; b < want.size(); ++b) {
      EXPECT_EQ(got[b].sample_ids, want[b].sample_ids);
      EXPECT_EQ(got[b].classes, want[b].classes);
      EXPECT_TRUE(std::equal(want[b].images.get(), want[b].images.get() + want[b].size * 192,
                             got[b].images.get()));
    }
  }
}

TEST(BuildDataTest, AClassBeyondTheModelsNamesTheSample) {
  const auto loader = Build(Digits(), Split::kEval, 300, /*num_classes=*/9).value();
  ASSERT_TRUE(loader->StartEpoch(0, 0).ok());
  EXPECT_THAT(std::string(loader->Next().status().message()),
              AllOf(HasSubstr("(test_"), HasSubstr("its class is 9, expected 0 to 8")));

  DataConfig skip = Digits();
  skip.set_bad_samples(DataConfig::SKIP);
  const auto batches = Batches(*Build(skip, Split::kEval, 300, 9).value(), 0);
  EXPECT_THAT(batches[0].classes, ::testing::Contains(-1));
}

TEST(BuildDataTest, LabelMapGathersClasses) {
  // 8 classes become 2, and the star is left out.
  const auto loader =
      Build(Config("label_map: [0, 1, 1, 1, 1, 1, 1, 255]"), Split::kEval, 7, 2).value();
  const auto plain = Build(Config(), Split::kEval, 7, 8).value();
  const auto mapped = Batches(*loader, 0), labels = Batches(*plain, 0);
  for (int64_t i = 0; i < 7 * 32 * 32; ++i) {
    const int label = labels[0].labels[i];
    ASSERT_EQ(mapped[0].labels[i], label == 0 ? 0 : label < 7 ? 1 : 255);
  }
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
              HasSubstr("one of synthetic, folder, streaming"));
}

}  // namespace
}  // namespace tessera
