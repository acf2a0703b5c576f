#include "data/datasets/synthetic_dataset.h"

#include <array>
#include <cstdint>
#include <string>

#include "data/image/decode.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

SyntheticConfig Small() {
  SyntheticConfig config;
  config.set_train_samples(40);
  config.set_eval_samples(5);
  return config;
}

TEST(SyntheticDatasetTest, HoldsEveryClassAndAVoidBorder) {
  const auto dataset = MakeSyntheticDataset(Small(), /*train=*/true);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  ASSERT_EQ((*dataset)->size(), 40);
  std::array<int64_t, 256> count{};
  for (int64_t i = 0; i < (*dataset)->size(); ++i) {
    Image image, mask;
    const Sample sample = *(*dataset)->Get(i);
    ASSERT_TRUE(DecodeRgb(sample.image, &image).ok());
    ASSERT_TRUE(DecodeMask(sample.mask, &mask).ok());
    ASSERT_EQ(image.height, 64);
    ASSERT_EQ(mask.width, 64);
    for (const uint8_t value : mask.pixels) ++count[value];
  }
  for (size_t value = 0; value <= std::size(kSyntheticClasses); ++value) {
    EXPECT_GT(count[value], 100) << "mask value " << value;
  }
  for (size_t value = std::size(kSyntheticClasses) + 1; value < 256; ++value) {
    EXPECT_EQ(count[value], 0) << "mask value " << value;
  }
}

TEST(SyntheticDatasetTest, IsTheSameEachTimeAndDiffersBySplit) {
  const auto a = *MakeSyntheticDataset(Small(), true);
  const auto b = *MakeSyntheticDataset(Small(), true);
  const auto eval = *MakeSyntheticDataset(Small(), false);
  ASSERT_EQ(eval->size(), 5);
  for (int64_t i = 0; i < eval->size(); ++i) {
    EXPECT_EQ(a->Get(i)->image.bytes, b->Get(i)->image.bytes);
    EXPECT_EQ(a->Get(i)->mask.bytes, b->Get(i)->mask.bytes);
    EXPECT_NE(a->Get(i)->image.bytes, eval->Get(i)->image.bytes);
  }
}

TEST(SyntheticDatasetTest, HasAClassForEachImageWhereAsked) {
  SyntheticConfig config = Small();
  config.set_labels(SyntheticConfig::CLASSES);
  const auto dataset = *MakeSyntheticDataset(config, true);
  EXPECT_EQ(dataset->label_kind(), LabelKind::kClass);
  ASSERT_EQ(dataset->class_names().size(), 7u);
  EXPECT_EQ(dataset->class_names()[0], "disc");
  std::array<int, 7> count{};
  for (int64_t i = 0; i < dataset->size(); ++i) {
    const Sample sample = *dataset->Get(i);
    EXPECT_TRUE(sample.mask.empty());
    ASSERT_GE(sample.label, 0);
    ASSERT_LT(sample.label, 7);
    ++count[sample.label];
  }
  for (const int times : count) EXPECT_GT(times, 0);
}

TEST(SyntheticDatasetTest, ImpossibleSizeIsRefused) {
  SyntheticConfig config = Small();
  config.set_height(0);
  EXPECT_FALSE(MakeSyntheticDataset(config, true).ok());
}

}  // namespace
}  // namespace tessera
