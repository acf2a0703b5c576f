#include "data/transforms/resample.h"

#include <array>
#include <numeric>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

Image Row(const std::vector<uint8_t>& values) {
  Image image;
  image.Resize(1, static_cast<int>(values.size()), 3);
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = values[i / 3];
  return image;
}

// One channel of an image resized to `height` x `width`.
std::vector<float> Resized(const Image& image, int height, int width, bool antialias) {
  AxisPlan rows, columns;
  PlanBilinear(image.height, height, 0, height, antialias, /*reverse=*/false, &rows);
  PlanBilinear(image.width, width, 0, width, antialias, /*reverse=*/false, &columns);
  ResampleScratch scratch;
  std::vector<float> out(3 * static_cast<size_t>(height) * width);
  Resample(image, rows, columns, &scratch, out.data(), 3 * width, [](float*) {});
  std::vector<float> channel;
  for (size_t i = 0; i < out.size(); i += 3) channel.push_back(out[i]);
  return channel;
}

std::vector<int> Nearest(int source, int target) {
  std::vector<int32_t> plan;
  PlanNearest(source, target, 0, target, /*reverse=*/false, &plan);
  return {plan.begin(), plan.end()};
}

// Values of Pillow 13.0.0 (mode "F") and torchvision 0.26.0 (antialias=True and False).
TEST(ResampleTest, ReductionWithAntialias) {
  EXPECT_THAT(Resized(Row({255, 0, 0, 0, 0, 0, 0, 0}), 1, 2, true),
              Pointwise(FloatNear(0.005f), {45.54f, 0.0f}));
  EXPECT_THAT(Resized(Row({0, 255, 0, 255, 0, 255, 0, 255}), 1, 2, true),
              Pointwise(FloatNear(0.005f), {118.39f, 136.61f}));
}

TEST(ResampleTest, ReductionWithoutAntialias) {
  EXPECT_THAT(Resized(Row({255, 0, 0, 0, 0, 0, 0, 0}), 1, 2, false), ElementsAre(0, 0));
  EXPECT_THAT(Resized(Row({0, 255, 0, 255, 0, 255, 0, 255}), 1, 2, false),
              ElementsAre(127.5, 127.5));
}

TEST(ResampleTest, EnlargementIsTheSameWithAndWithoutAntialias) {
  Image image;
  image.Resize(2, 2, 3);
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = 1 + i / 3;
  for (const bool antialias : {false, true}) {
    EXPECT_THAT(Resized(image, 4, 4, antialias),
                ElementsAre(1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25,
                            3.75, 4));
  }
}

TEST(ResampleTest, OwnSizeIsExact) {
  const std::vector<uint8_t> values = {3, 255, 0, 17, 200};
  EXPECT_THAT(Resized(Row(values), 1, 5, true), ElementsAre(3, 255, 0, 17, 200));
}

TEST(ResampleTest, OnePixelFillsEverySize) {
  const std::vector<float> out = Resized(Row({77}), 224, 224, true);
  EXPECT_EQ(std::set<float>(out.begin(), out.end()), std::set<float>{77});
}

TEST(ResampleTest, WeightsSumToOneAndStayInsideTheSource) {
  for (const auto& [source, target] : {std::pair(500, 3), {7, 6}, {33, 256}, {1, 9}, {9, 1}}) {
    for (const bool antialias : {false, true}) {
      AxisPlan plan;
      PlanBilinear(source, target, 0, target, antialias, /*reverse=*/false, &plan);
      for (int i = 0; i < target; ++i) {
        EXPECT_GE(plan.first[i], 0);
        EXPECT_LE(plan.first[i] + plan.taps, source);
        float sum = 0;
        for (int k = 0; k < plan.taps; ++k) sum += plan.weights[i * plan.taps + k];
        EXPECT_NEAR(sum, 1, 1e-5) << source << " to " << target << ", output " << i;
      }
    }
  }
}

TEST(NearestTest, TakesThePixelCentre) {
  EXPECT_THAT(Nearest(5, 3), ElementsAre(0, 2, 4));
  EXPECT_THAT(Nearest(4, 2), ElementsAre(1, 3));
  EXPECT_EQ(Nearest(128, 160)[7], 6);  // exactly 6: a sum in floating point gives 5
  EXPECT_EQ(Nearest(1 << 28, 3)[1], 1 << 27);
}

TEST(NearestTest, MakesNoNewLabels) {
  Image mask;
  mask.Resize(1, 4, 1);
  mask.pixels = {0, 0, 150, 150};
  std::array<uint8_t, 256> same;
  std::iota(same.begin(), same.end(), 0);
  std::vector<int32_t> columns;
  PlanNearest(4, 8, 0, 8, /*reverse=*/false, &columns);
  std::vector<uint8_t> out(16);
  ResampleLabels(mask, {0, 0}, columns, same, out.data(), 8);
  EXPECT_THAT(out, ElementsAre(0, 0, 0, 0, 150, 150, 150, 150, 0, 0, 0, 0, 150, 150, 150, 150));
}

TEST(PlanTest, AWindowIsAPartOfTheWhole) {
  AxisPlan whole, window;
  PlanBilinear(37, 23, 0, 23, true, /*reverse=*/false, &whole);
  PlanBilinear(37, 23, 5, 9, true, /*reverse=*/true, &window);
  std::vector<int32_t> nearest, reversed;
  PlanNearest(37, 23, 0, 23, /*reverse=*/false, &nearest);
  PlanNearest(37, 23, 5, 9, /*reverse=*/true, &reversed);
  const auto weight = [](const AxisPlan& plan, int output, int source) {
    const int k = source - plan.first[output];
    return k >= 0 && k < plan.taps ? plan.weights[output * plan.taps + k] : 0.0f;
  };
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(reversed[8 - i], nearest[5 + i]);
    for (int source = 0; source < 37; ++source) {
      EXPECT_EQ(weight(window, 8 - i, source), weight(whole, 5 + i, source));
    }
  }
}

}  // namespace
}  // namespace tessera
