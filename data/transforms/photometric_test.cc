#include "data/transforms/photometric.h"

#include <array>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::vector<float> Apply(const Photometric& photometric, std::vector<float> row) {
  ApplyPhotometric(photometric, row.data(), static_cast<int>(row.size() / 3));
  return row;
}

auto Near(const std::vector<float>& expected) { return Pointwise(FloatNear(1e-3f), expected); }

TEST(PhotometricTest, NothingDrawnChangesNothing) {
  const std::vector<float> row = {1.5f, 200, 0, 255, 255, 255};
  EXPECT_EQ(Apply({}, row), row);
}

TEST(PhotometricTest, ValuesStayInRangeAfterEachPart) {
  EXPECT_THAT(Apply({.brightness = 2}, {10, 100, 200}), Near({20, 200, 255}));
  // 200 is cut to 255 before it is halved.
  EXPECT_THAT(Apply({.brightness = 2, .contrast_first = 0.5}, {10, 100, 200}),
              Near({10, 100, 127.5}));
}

TEST(PhotometricTest, SaturationMovesTowardsAndAwayFromTheLargest) {
  EXPECT_THAT(Apply({.saturation = 0.5}, {200, 100, 150}), Near({200, 150, 175}));
  EXPECT_THAT(Apply({.saturation = 1.5}, {200, 100, 150}), Near({200, 50, 125}));
  EXPECT_THAT(Apply({.saturation = 3}, {200, 100, 150}), Near({200, 0, 100}));  // S is 1 at most
  EXPECT_THAT(Apply({.saturation = 1.5}, {80, 80, 80, 0, 0, 0}), Near({80, 80, 80, 0, 0, 0}));
}

TEST(PhotometricTest, HueTurnsTheWheel) {
  const std::vector<float> red = {200, 50, 50};
  EXPECT_THAT(Apply({.hue = 1.0f / 3}, red), Near({50, 200, 50}));
  EXPECT_THAT(Apply({.hue = -1.0f / 3}, red), Near({50, 50, 200}));
  EXPECT_THAT(Apply({.hue = 0.5}, red), Near({50, 200, 200}));
  EXPECT_THAT(Apply({.hue = 1.0f / 12}, red), Near({200, 125, 50}));
  EXPECT_THAT(Apply({.hue = 0.2f}, {90, 90, 90, 0, 0, 0}), Near({90, 90, 90, 0, 0, 0}));
}

TEST(PhotometricTest, HueThereAndBackIsTheSameColour) {
  std::vector<float> row;
  for (int i = 0; i < 100; ++i) {
    for (const int step : {7, 13, 29}) row.push_back(static_cast<float>(i * step % 256));
  }
  for (const float turn : {0.07f, 0.31f, 0.5f}) {
    EXPECT_THAT(Apply({.hue = -turn}, Apply({.hue = turn}, row)), Pointwise(FloatNear(2e-3f), row));
  }
}

TEST(PhotometricTest, ContrastIsFirstOrLast) {
  // Saturation of a cut value differs from the cut saturated value.
  EXPECT_THAT(Apply({.contrast_first = 2, .saturation = 0.5}, {200, 100, 50}),
              Near({255, 227.5, 177.5}));
  EXPECT_THAT(Apply({.saturation = 0.5, .contrast_last = 2}, {200, 100, 50}),
              Near({255, 255, 250}));
}

TEST(PhotometricTest, EachPartIsDrawnHalfOfTheTime) {
  TrainTransforms config;
  const int draws = 4000;
  std::array<int, 5> applied{};
  for (int i = 0; i < draws; ++i) {
    Philox random(17, 0, i);
    const Photometric p = DrawPhotometric(config, random);
    applied[0] += p.brightness != 1;
    applied[1] += p.contrast_first != 1;
    applied[2] += p.saturation != 1;
    applied[3] += p.hue != 0;
    applied[4] += p.contrast_last != 1;
    EXPECT_LE(std::abs(p.brightness - 1), 32.0f / 255);
    EXPECT_LE(std::abs(p.hue), 18.0f / 255);
    EXPECT_TRUE(p.contrast_first == 1 || p.contrast_last == 1);
  }
  for (const int i : {0, 2, 3}) EXPECT_NEAR(applied[i], draws / 2, 160) << i;
  for (const int i : {1, 4}) EXPECT_NEAR(applied[i], draws / 4, 140) << i;
}

TEST(PhotometricTest, PartsThatAreOffLeaveTheOtherDrawsAlone) {
  TrainTransforms config;
  config.set_hue(0);
  Philox random(1, 2, 3), same(1, 2, 3);
  const Photometric without = DrawPhotometric(config, random);
  const Photometric with = DrawPhotometric(TrainTransforms(), same);
  EXPECT_EQ(without.hue, 0);
  EXPECT_EQ(without.saturation, with.saturation);
  EXPECT_EQ(random(), same());
}

}  // namespace
}  // namespace tessera
