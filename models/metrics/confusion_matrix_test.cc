#include "models/metrics/confusion_matrix.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "data/random/philox.h"

namespace tessera {
namespace {

using Bytes = std::vector<uint8_t>;

ConfusionMatrix Count(int classes, int ignore, const Bytes& labels, const Bytes& predictions) {
  ConfusionMatrix table(classes, ignore);
  table.Add(labels, predictions);
  return table;
}

// B05: foreground stored as 255 vanishes; stored as 1 it counts as missed.
TEST(ConfusionMatrix, TwoClasses) {
  const ConfusionMatrix lost = Count(2, 255, {0, 0, 255, 255}, {0, 0, 0, 0});
  EXPECT_EQ(lost.IoU(), (std::vector<std::optional<double>>{1.0, std::nullopt}));
  EXPECT_EQ(lost.total(), 2);
  EXPECT_EQ(lost.invalid(), 0);
  const ConfusionMatrix fixed = Count(2, 255, {0, 0, 1, 1}, {0, 0, 0, 0});
  EXPECT_EQ(fixed.IoU(), (std::vector<std::optional<double>>{0.5, 0.0}));
  EXPECT_EQ(fixed.MeanIoU(), 0.25);
}

// B36: a class in neither labels nor predictions is not in the mean.
TEST(ConfusionMatrix, AbsentClassIsLeftOut) {
  const ConfusionMatrix table = Count(3, 255, {0, 1, 0, 0}, {0, 1, 0, 1});
  const std::vector<std::optional<double>> iou = table.IoU();
  EXPECT_DOUBLE_EQ(iou[0].value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(iou[1].value(), 0.5);
  EXPECT_FALSE(iou[2].has_value());
  EXPECT_NEAR(table.MeanIoU().value(), 0.583333, 1e-6);
}

TEST(ConfusionMatrix, WithoutPixelsThereIsNoData) {
  const ConfusionMatrix table(3, 255);
  EXPECT_EQ(table.MeanIoU(), std::nullopt);
  EXPECT_EQ(table.PixelAccuracy(), std::nullopt);
  EXPECT_EQ(Count(3, 255, {255, 255}, {0, 1}).MeanIoU(), std::nullopt);
}

// B37: the ignored class is neither counted nor in the mean.
TEST(ConfusionMatrix, IgnoredClass) {
  EXPECT_EQ(Count(3, 0, {2, 1, 0, 0}, {2, 1, 0, 1}).MeanIoU(), 1.0);
  EXPECT_NEAR(Count(3, 0, {2, 1, 1, 0}, {1, 2, 1, 1}).MeanIoU().value(), 1.0 / 6, 1e-12);
  EXPECT_NEAR(Count(3, 0, {2, 1, 1, 0}, {1, 2, 1, 0}).MeanIoU().value(), 1.0 / 6, 1e-12);
  EXPECT_NEAR(Count(3, 3, {2, 1, 0, 0}, {2, 1, 0, 1}).MeanIoU().value(), 2.0 / 3, 1e-12);
}

// B39: 100 x 150 + 50 does not fit a byte.
TEST(ConfusionMatrix, CellsAreNotNarrow) {
  const ConfusionMatrix table = Count(150, 255, {100}, {50});
  EXPECT_EQ(table.count(100, 50), 1);
  EXPECT_EQ(table.count(1, 52), 0);
  for (int c = 0; c < 150; ++c) {
    const Bytes one = {static_cast<uint8_t>(c)};
    const std::vector<std::optional<double>> iou = Count(150, 255, one, one).IoU();
    for (int other = 0; other < 150; ++other) {
      EXPECT_EQ(iou[other], other == c ? std::optional<double>(1.0) : std::nullopt);
    }
  }
}

// B41: one table for all images, whatever the batches.
TEST(ConfusionMatrix, OneTableForAllBatches) {
  const Bytes labels1 = {0, 0, 0, 1}, predictions1 = {0, 0, 0, 0}, ones = {1, 1, 1, 1};
  ConfusionMatrix by_one = Count(2, 255, labels1, predictions1);
  by_one.Add(ones, ones);
  const ConfusionMatrix by_two = Count(2, 255, {0, 0, 0, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1});
  ConfusionMatrix merged = Count(2, 255, labels1, predictions1);
  merged.Merge(Count(2, 255, ones, ones));
  for (const ConfusionMatrix& table : {by_one, by_two, merged}) {
    EXPECT_EQ(table.IoU(), (std::vector<std::optional<double>>{0.75, 0.8}));
    EXPECT_DOUBLE_EQ(table.MeanIoU().value(), 0.775);
    EXPECT_DOUBLE_EQ(table.PixelAccuracy().value(), 7.0 / 8);
  }
}

TEST(ConfusionMatrix, EqualsCountingEachPair) {
  constexpr int kClasses = 7;
  Philox random(17, 0, 0);
  Bytes labels(5000), predictions(5000);
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = random.Below(kClasses + 1);  // one more than the classes: ignored
    predictions[i] = random.Below(kClasses);
  }
  const ConfusionMatrix table = Count(kClasses, kClasses, labels, predictions);
  int64_t total = 0;
  for (int label = 0; label < kClasses; ++label) {
    for (int prediction = 0; prediction < kClasses; ++prediction) {
      int64_t count = 0;
      for (size_t i = 0; i < labels.size(); ++i) {
        count += labels[i] == label && predictions[i] == prediction;
      }
      EXPECT_EQ(table.count(label, prediction), count);
      total += count;
    }
  }
  EXPECT_EQ(table.total(), total);
  EXPECT_EQ(table.invalid(), 0);
}

TEST(ConfusionMatrix, ValuesOutsideTheClassesAreToldApart) {
  const ConfusionMatrix table = Count(2, 255, {0, 1, 2, 255, 0}, {0, 1, 1, 9, 3});
  EXPECT_EQ(table.total(), 2);
  EXPECT_EQ(table.invalid(), 2);
  EXPECT_EQ(table.PixelAccuracy(), 1.0);
}

}  // namespace
}  // namespace tessera
