#include "data/transforms/classification_transform.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

using ::testing::Each;
using ::testing::FloatNear;
using ::testing::HasSubstr;

// Pixels as they are: no normalisation, unless asked for.
constexpr char kRaw[] = "mean: [0, 0, 0] std: [1, 1, 1]";

absl::StatusOr<ClassificationTransform> Build(const std::string& text, bool train,
                                              const std::string& normalization = kRaw) {
  ClassificationTransforms config;
  Normalization normalize;
  if (!google::protobuf::TextFormat::ParseFromString(text, &config) ||
      !google::protobuf::TextFormat::ParseFromString(normalization, &normalize)) {
    return absl::InvalidArgumentError("test");
  }
  return ClassificationTransform::Create(config, normalize, train);
}

Image Constant(int height, int width, uint8_t value) {
  Image image;
  image.Resize(height, width, 3);
  std::fill(image.pixels.begin(), image.pixels.end(), value);
  return image;
}

// The value of a pixel is its place: 10 * row + column + 1, in all channels.
Image Counting(int height, int width) {
  Image image = Constant(height, width, 0);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) image.row(y)[3 * x + c] = static_cast<uint8_t>(10 * y + x + 1);
    }
  }
  return image;
}

std::vector<float> Transformed(const ClassificationTransform& transform, const Image& image,
                               uint64_t sample = 0) {
  std::vector<float> out(3 * transform.height() * transform.width(),
                         std::numeric_limits<float>::quiet_NaN());
  Philox random(17, 0, sample);
  TransformScratch scratch;
  EXPECT_TRUE(transform.Apply(image, random, &scratch, out.data()).ok());
  return out;
}

// The first channel of row `y`.
std::vector<float> Row(const std::vector<float>& out, int width, int y) {
  std::vector<float> row;
  for (int x = 0; x < width; ++x) row.push_back(out[3 * (y * width + x)]);
  return row;
}

TEST(ClassificationTransformTest, EvaluationTakesTheCentre) {
  const auto transform = Build("eval_resize: 0 eval_height: 2 eval_width: 3", false);
  const std::vector<float> out = Transformed(*transform, Counting(4, 5));
  EXPECT_EQ(Row(out, 3, 0), (std::vector<float>{12, 13, 14}));
  EXPECT_EQ(Row(out, 3, 1), (std::vector<float>{22, 23, 24}));
}

TEST(ClassificationTransformTest, CentreOfAnOddRestIsThatOfTorchvision) {
  // Offsets 0.5 and 1.5 become 0 and 2.
  EXPECT_EQ(
      Row(Transformed(*Build("eval_resize: 0 eval_height: 1 eval_width: 4", false), Counting(1, 5)),
          4, 0),
      (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(
      Row(Transformed(*Build("eval_resize: 0 eval_height: 1 eval_width: 2", false), Counting(1, 5)),
          2, 0),
      (std::vector<float>{3, 4}));
}

TEST(ClassificationTransformTest, SmallImagesHaveBlackAround) {
  const auto transform =
      Build("eval_resize: 0 eval_height: 4 eval_width: 5", false, "mean: [2, 2, 2] std: [1, 1, 1]");
  const std::vector<float> out = Transformed(*transform, Counting(1, 2));
  EXPECT_EQ(Row(out, 5, 0), (std::vector<float>{-2, -2, -2, -2, -2}));
  EXPECT_EQ(Row(out, 5, 1), (std::vector<float>{-2, -1, 0, -2, -2}));
  EXPECT_EQ(Row(out, 5, 2), (std::vector<float>{-2, -2, -2, -2, -2}));
}

TEST(ClassificationTransformTest, ExtremeShapesPass) {
  const std::string config = "eval_resize: 256 eval_height: 224 eval_width: 224";
  EXPECT_THAT(Transformed(*Build(config, false), Constant(1, 1, 77)), Each(FloatNear(77, 1e-4f)));
  EXPECT_THAT(Transformed(*Build(config, false), Constant(500, 33, 77)),
              Each(FloatNear(77, 1e-4f)));
  EXPECT_THAT(Transformed(*Build("", true), Constant(1, 1, 77)), Each(FloatNear(77, 1e-4f)));
  EXPECT_THAT(Transformed(*Build("", true), Constant(500, 33, 77)), Each(FloatNear(77, 1e-4f)));
}

TEST(ClassificationTransformTest, ReductionUsesTheWholeFilter) {
  Image image = Constant(2, 8, 0);
  for (int y = 0; y < 2; ++y) image.row(y)[0] = image.row(y)[1] = image.row(y)[2] = 255;
  const std::string size = " eval_resize: 1 eval_height: 1 eval_width: 4";
  // 2 x 8 becomes 1 x 4: the first pixel takes in the first three with the weights 3 : 3 : 1.
  EXPECT_NEAR(Transformed(*Build("antialias: true" + size, false), image)[0], 255.0 * 3 / 7, 1e-3);
  EXPECT_NEAR(Transformed(*Build("antialias: false" + size, false), image)[0], 255.0 / 2, 1e-3);
}

TEST(ClassificationTransformTest, PaddedCropTakesEveryPlaceAndItsMirror) {
  const auto transform = Build("padded_crop { padding: 2 } train_height: 3 train_width: 3", true);
  const Image image = Counting(3, 3);
  std::set<std::vector<float>> seen;
  for (uint64_t sample = 0; sample < 2000; ++sample)
    seen.insert(Transformed(*transform, image, sample));
  std::set<std::vector<float>> expected;
  for (int top = -2; top <= 2; ++top) {
    for (int left = -2; left <= 2; ++left) {
      std::vector<float> plain, mirror;
      for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 3; ++x) {
          const auto at = [&](int column) {
            const int row = y + top;
            const bool inside = row >= 0 && row < 3 && column >= 0 && column < 3;
            return inside ? 10.0f * row + column + 1 : 0.0f;
          };
          plain.insert(plain.end(), 3, at(x + left));
          mirror.insert(mirror.end(), 3, at(2 - x + left));
        }
      }
      expected.insert(plain);
      expected.insert(mirror);
    }
  }
  EXPECT_EQ(seen, expected);
}

TEST(ClassificationTransformTest, ResizedCropsKeepAreaAndAspect) {
  // Values rise by 1 a pixel along each axis, so that the ends of a row and a column of the result
  // tell what was cut out.
  Image image = Constant(120, 120, 0);
  for (int y = 0; y < 120; ++y) {
    for (int x = 0; x < 120; ++x) {
      image.row(y)[3 * x] = static_cast<uint8_t>(x);
      image.row(y)[3 * x + 1] = static_cast<uint8_t>(y);
    }
  }
  const auto transform = Build(
      "random_resized_crop { min_area: 0.25 max_area: 0.5 } train_height: 60 train_width: 60 "
      "horizontal_flip: 0 antialias: false",
      true);
  double least = 1, most = 0;
  for (uint64_t sample = 0; sample < 300; ++sample) {
    const std::vector<float> out = Transformed(*transform, image, sample);
    const auto length = [&](int channel, int step) {
      return (out[step * 30 + channel] - out[step * 20 + channel]) / 10 * 60;
    };
    const double width = length(0, 3), height = length(1, 180);
    const double area = width * height / (120 * 120);
    EXPECT_GT(width / height, 0.75 * 0.95);
    EXPECT_LT(width / height, 4.0 / 3 * 1.05);
    least = std::min(least, area);
    most = std::max(most, area);
  }
  EXPECT_NEAR(least, 0.25, 0.03);
  EXPECT_NEAR(most, 0.5, 0.03);
}

TEST(ClassificationTransformTest, TheSameNumbersGiveTheSameResult) {
  const auto transform = Build("train_height: 8 train_width: 8", true);
  const Image image = Counting(20, 9);
  EXPECT_EQ(Transformed(*transform, image, 3), Transformed(*transform, image, 3));
  EXPECT_NE(Transformed(*transform, image, 3), Transformed(*transform, image, 4));
}

TEST(ClassificationTransformTest, WrongFieldsAreNamed) {
  const auto message = [](const std::string& config) {
    return std::string(Build(config, true).status().message());
  };
  EXPECT_THAT(message("train_height: 0"), HasSubstr("train_height is 0"));
  EXPECT_THAT(message("eval_resize: -1"), HasSubstr("eval_resize is -1"));
  EXPECT_THAT(message("horizontal_flip: 2"), HasSubstr("horizontal_flip is 2"));
  EXPECT_THAT(message("padded_crop { padding: -4 }"), HasSubstr("padding is -4"));
  EXPECT_THAT(message("random_resized_crop { min_area: 0 }"), HasSubstr("areas from 0"));
  EXPECT_THAT(message("random_resized_crop { min_aspect: 2 }"), HasSubstr("aspects from 2"));
}

}  // namespace
}  // namespace tessera
