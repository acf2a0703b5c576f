#include "data/transforms/train_transform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "data/transforms/photometric.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

// A field that is given twice takes the later value.
TrainTransforms Config(const std::string& text) {
  TrainTransforms config;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(text, &config)) << text;
  return config;
}

// Scale 1 of the own size, no rule, no flip, no distortion.
std::string Plain(const std::string& more) {
  return "base_height: 0 base_width: 0 min_scale: 1 max_scale: 1 class_max_share: 1 "
         "horizontal_flip: 0 brightness: 0 contrast: 0 saturation: 0 hue: 0 " +
         more;
}

Normalization Identity() {
  Normalization normalization;
  for (int i = 0; i < 3; ++i) {
    normalization.add_mean(0);
    normalization.add_std(1);
  }
  return normalization;
}

struct Result {
  std::vector<float> image;
  std::vector<uint8_t> labels;
};

class TrainTransformTest : public ::testing::Test {
 protected:
  TrainTransform Build(const std::string& config, const Normalization& normalization = Identity(),
                       int num_classes = 200) {
    return TrainTransform::Create(Config(config), normalization,
                                  LabelMap::Create({.num_classes = num_classes}).value())
        .value();
  }

  Result Run(const TrainTransform& transform, const Image& image, const Image& mask,
             uint64_t sample = 0) {
    Result result;
    const size_t pixels = static_cast<size_t>(transform.height()) * transform.width();
    // Values that must all be overwritten.
    result.image.assign(3 * pixels, std::numeric_limits<float>::quiet_NaN());
    result.labels.assign(pixels, 77);
    Philox random(17, 3, sample);
    const absl::Status status =
        transform.Apply(image, mask, random, &scratch_, result.image.data(), result.labels.data());
    EXPECT_TRUE(status.ok()) << status;
    return result;
  }

  TransformScratch scratch_;
};

// An image whose three channels are the value of its mask, which `value(y, x)` gives.
template <typename Value>
std::pair<Image, Image> Pair(int height, int width, Value value) {
  std::pair<Image, Image> pair;
  auto& [image, mask] = pair;
  image.Resize(height, width, 3);
  mask.Resize(height, width, 1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      mask.row(y)[x] = static_cast<uint8_t>(value(y, x));
      for (int c = 0; c < 3; ++c) image.row(y)[3 * x + c] = mask.row(y)[x];
    }
  }
  return pair;
}

// Noise in the image, blocks of classes in the mask.
std::pair<Image, Image> Noise(int height, int width, uint64_t seed) {
  auto pair = Pair(height, width, [](int y, int x) { return (y / 5 * 7 + x / 6) % 150; });
  Philox random(seed, 0, 0);
  for (uint8_t& value : pair.first.pixels) value = static_cast<uint8_t>(random.Below(256));
  return pair;
}

TEST_F(TrainTransformTest, CropOfTheImagesOwnSizeIsTheImage) {
  const auto [image, mask] = Noise(4, 4, 1);
  const TrainTransform transform = Build(Plain("crop_height: 4 crop_width: 4"));
  for (int sample = 0; sample < 8; ++sample) {
    const Result result = Run(transform, image, mask, sample);
    EXPECT_EQ(result.labels, mask.pixels);
    EXPECT_EQ(result.image, std::vector<float>(image.pixels.begin(), image.pixels.end()));
  }
}

TEST_F(TrainTransformTest, PadsToTheRightAndBelow) {
  const auto [image, mask] = Pair(4, 4, [](int, int) { return 9; });
  Normalization imagenet;
  const TrainTransform transform =
      Build(Plain("crop_height: 6 crop_width: 7 brightness: 1"), imagenet);
  const Result result = Run(transform, image, mask);
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 7; ++x) {
      const bool inside = y < 4 && x < 4;
      EXPECT_EQ(result.labels[y * 7 + x], inside ? 9 : 255);
      for (int c = 0; c < 3; ++c) {
        // The mean, whatever the distortion of the image.
        const float value = result.image[3 * (y * 7 + x) + c];
        EXPECT_TRUE(inside ? value < -1 : value == 0) << value;
      }
    }
  }
}

TEST_F(TrainTransformTest, IgnoredMaskEndsTheTriesOfTheClassRule) {
  const auto [image, mask] = Pair(4, 4, [](int, int) { return 255; });
  const Result result =
      Run(Build(Plain("crop_height: 2 crop_width: 2 class_max_share: 0.75")), image, mask);
  EXPECT_THAT(result.labels, Each(255));
}

TEST_F(TrainTransformTest, ClassRuleDrawsOtherCrops) {
  // Class 1 is a strip of 16 columns at the right of class 0: most crops are class 0 alone.
  const auto [image, mask] = Pair(64, 256, [](int, int x) { return x >= 240; });
  const auto mixed = [&, &image = image, &mask = mask](const std::string& share) {
    const TrainTransform transform =
        Build(Plain("crop_height: 32 crop_width: 32 class_max_share: " + share));
    int count = 0;
    for (int sample = 0; sample < 200; ++sample) {
      const Result result = Run(transform, image, mask, sample);
      const auto ones = std::count(result.labels.begin(), result.labels.end(), 1);
      count += ones > 256 && ones < 768;
    }
    return count;
  };
  // 8 of 225 crops mix them evenly enough: 7 of 200 samples in one draw, 60 in ten.
  EXPECT_LT(mixed("1"), 20);
  EXPECT_GT(mixed("0.75"), 35);
}

TEST_F(TrainTransformTest, ClassRuleDoesNotCountIgnoredPixels) {
  // 3/4 of every crop is ignored; the rest is two classes, evenly: the first draw is taken.
  const auto [image, mask] =
      Pair(64, 64, [](int y, int x) { return y % 2 == 0 && x % 2 == 0 ? x / 2 % 2 : 255; });
  const std::string crop = "crop_height: 16 crop_width: 16 ";
  for (int sample = 0; sample < 20; ++sample) {
    EXPECT_EQ(Run(Build(Plain(crop + "class_max_share: 0.75")), image, mask, sample).image,
              Run(Build(Plain(crop)), image, mask, sample).image);
  }
}

TEST_F(TrainTransformTest, ImageAndMaskStayOnePicture) {
  // Columns and rows are numbered by the labels, so that any window or mirror image shows.
  const auto [image, mask] = Pair(12, 16, [](int y, int x) { return 16 * y + x; });
  const TrainTransform transform =
      Build(Plain("crop_height: 5 crop_width: 7 horizontal_flip: 0.5"));
  std::set<int> corners;
  int flipped = 0;
  for (int sample = 0; sample < 300; ++sample) {
    const Result result = Run(transform, image, mask, sample);
    for (size_t i = 0; i < result.labels.size(); ++i) {
      ASSERT_EQ(result.image[3 * i], result.labels[i]);
    }
    const int step = result.labels[1] - result.labels[0];
    ASSERT_EQ(std::abs(step), 1);
    flipped += step < 0;
    corners.insert(step < 0 ? result.labels[6] : result.labels[0]);
  }
  EXPECT_EQ(corners.size(), 8u * 10);  // every offset occurs
  EXPECT_NEAR(flipped, 150, 40);
}

TEST_F(TrainTransformTest, StaysAlignedAtEveryScale) {
  // Two halves, apart by a line that no crop or scale may move: where the label is 1, the image is
  // bright, except for the blurred pixels at the line.
  for (int sample = 0; sample < 60; ++sample) {
    Philox random(5, 0, sample);
    const int height = 20 + random.Below(60), width = 20 + random.Below(60);
    const int line = 5 + random.Below(width - 10);
    const auto [image, mask] = Pair(height, width, [&](int, int x) { return x >= line ? 199 : 0; });
    const TrainTransform transform = Build(
        "base_height: 40 base_width: 48 crop_height: 32 crop_width: 32 class_max_share: 1 "
        "brightness: 0 contrast: 0 saturation: 0 hue: 0");
    const Result result = Run(transform, image, mask, sample);
    for (size_t i = 0; i < result.labels.size(); ++i) {
      if (result.labels[i] == 255) continue;
      ASSERT_NEAR(result.image[3 * i], result.labels[i], 199.0 / 2 + 0.01) << "sample " << sample;
    }
  }
}

// The same steps one after the other, each over the whole image, in double precision.
class NaiveImage {
 public:
  explicit NaiveImage(const Image& image)
      : height(image.height),
        width(image.width),
        values(image.pixels.begin(), image.pixels.end()) {}

  double& at(int y, int x, int c) { return values[(static_cast<size_t>(y) * width + x) * 3 + c]; }

  void Transpose() {
    NaiveImage old = *this;
    std::swap(height, width);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < 3; ++c) at(y, x, c) = old.at(x, y, c);
      }
    }
  }

  void ResizeWidth(int target, bool antialias) {
    NaiveImage old = *this;
    width = target;
    values.assign(static_cast<size_t>(height) * width * 3, 0);
    const double scale = static_cast<double>(old.width) / target;
    const double radius = antialias ? std::max(1.0, scale) : 1.0;
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int k = 0; k < old.width; ++k) sum += Weight(x, k, scale, radius);
      for (int k = 0; k < old.width; ++k) {
        const double weight = Weight(x, k, scale, radius) / sum;
        for (int i = 0; i < 3 * height; ++i)
          at(i / 3, x, i % 3) += weight * old.at(i / 3, k, i % 3);
      }
    }
  }

  static double Weight(int x, int k, double scale, double radius) {
    return std::max(0.0, 1 - std::abs(k + 0.5 - (x + 0.5) * scale) / radius);
  }

  int height;
  int width;
  std::vector<double> values;
};

TEST_F(TrainTransformTest, EqualsTheStepsOneAfterTheOther) {
  for (int sample = 0; sample < 24; ++sample) {
    const auto [image, mask] = Noise(30 + 3 * sample, 75 - 2 * sample, sample);
    const bool antialias = sample % 2 == 0;
    const TrainTransforms config =
        Config(absl::StrCat("base_height: 50 base_width: 44 crop_height: 36 crop_width: 40 ",
                            "class_max_share: 1 antialias: ", antialias));
    const TrainTransform transform =
        TrainTransform::Create(config, {}, LabelMap::Create({.num_classes = 150}).value()).value();
    const Result result = Run(transform, image, mask, sample);

    Philox random(17, 3, sample);
    const double scale = random.Uniform(0.5, 2);
    const int height = std::lround(50 * scale), width = std::lround(44 * scale);
    const int crop_height = std::min(36, height), crop_width = std::min(40, width);
    const int top = random.Below(height - crop_height + 1);
    const int left = random.Below(width - crop_width + 1);
    const bool flip = random.Uniform() < 0.5;
    const Photometric photometric = DrawPhotometric(config, random);

    NaiveImage resized(image);
    resized.ResizeWidth(width, antialias);
    resized.Transpose();
    resized.ResizeWidth(height, antialias);
    resized.Transpose();
    const double mean[] = {123.675, 116.28, 103.53}, std[] = {58.395, 57.12, 57.375};
    for (int y = 0; y < 36; ++y) {
      for (int x = 0; x < 40; ++x) {
        const float* actual = &result.image[3 * (y * 40 + x)];
        if (y >= crop_height || x >= crop_width) {
          ASSERT_EQ(actual[0], 0);
          ASSERT_EQ(result.labels[y * 40 + x], 255);
          continue;
        }
        const int from_y = top + y;
        const int from_x = left + (flip ? crop_width - 1 - x : x);
        float pixel[3];
        for (int c = 0; c < 3; ++c) pixel[c] = static_cast<float>(resized.at(from_y, from_x, c));
        ApplyPhotometric(photometric, pixel, 1);
        for (int c = 0; c < 3; ++c) {
          ASSERT_NEAR(actual[c], (pixel[c] - mean[c]) / std[c], 1e-3) << sample;
        }
        const int mask_y = static_cast<int>(std::floor((from_y + 0.5) * mask.height / height));
        const int mask_x = static_cast<int>(std::floor((from_x + 0.5) * mask.width / width));
        ASSERT_EQ(result.labels[y * 40 + x], mask.row(mask_y)[mask_x]);
      }
    }
  }
}

TEST_F(TrainTransformTest, TheKeyDecidesAndTheScratchDoesNot) {
  const auto [image, mask] = Noise(90, 120, 2);
  const TrainTransform transform = Build("crop_height: 64 crop_width: 64");
  const Result first = Run(transform, image, mask, 5);
  const auto [other_image, other_mask] = Noise(300, 33, 3);
  const Result other = Run(transform, other_image, other_mask, 6);
  const Result again = Run(transform, image, mask, 5);
  EXPECT_EQ(first.image, again.image);
  EXPECT_EQ(first.labels, again.labels);
  EXPECT_NE(first.image, Run(transform, image, mask, 7).image);
}

TEST_F(TrainTransformTest, ExtremeShapes) {
  const TrainTransform transform =
      Build(Plain("base_height: 256 base_width: 256 crop_height: 224 crop_width: 224"));
  const auto [pixel, pixel_mask] = Pair(1, 1, [](int, int) { return 77; });
  EXPECT_THAT(Run(transform, pixel, pixel_mask).image, Each(77));
  const auto [tall, tall_mask] = Pair(500, 33, [](int, int) { return 77; });
  EXPECT_THAT(Run(transform, tall, tall_mask).image, Each(::testing::FloatNear(77, 1e-4f)));
}

TEST_F(TrainTransformTest, BadSamplesAreErrors) {
  const TrainTransform transform = Build(Plain("crop_height: 2 crop_width: 2"), Identity(), 150);
  const auto error = [&](const Image& image, const Image& mask) {
    std::vector<float> out_image(12);
    std::vector<uint8_t> out_labels(4);
    Philox random(0, 0, 0);
    return std::string(
        transform.Apply(image, mask, random, &scratch_, out_image.data(), out_labels.data())
            .message());
  };
  const auto [image, mask] = Pair(8, 16, [](int y, int) { return y == 7 ? 200 : 0; });
  EXPECT_THAT(error(image, mask), HasSubstr("mask value 200 in 16 pixels"));
  Image turned = image;
  turned.Resize(16, 8, 3);
  EXPECT_THAT(error(turned, mask), AllOf(HasSubstr("image is 8x16"), HasSubstr("mask is 16x8")));
  EXPECT_THAT(error(image, image), HasSubstr("mask has 3 channels"));
  EXPECT_THAT(error(mask, mask), HasSubstr("with 1 channels"));
}

TEST_F(TrainTransformTest, BadConfigsNameTheField) {
  const auto error = [](const std::string& config, const Normalization& normalization = {}) {
    return std::string(TrainTransform::Create(Config(config), normalization,
                                              LabelMap::Create({.num_classes = 2}).value())
                           .status()
                           .message());
  };
  EXPECT_EQ(error(""), "");
  for (const char* field :
       {"base_height: -1", "base_width: -1", "crop_height: 0", "crop_width: 0", "min_scale: 0",
        "max_scale: 0.4", "max_scale: nan", "class_max_share: 0", "class_max_share: 1.5",
        "horizontal_flip: 1.5", "brightness: 2", "contrast: -1", "saturation: nan", "hue: 0.6"}) {
    const std::string name = std::string(field).substr(0, std::string(field).find(':'));
    EXPECT_THAT(error(field), HasSubstr("train_transforms." + name)) << field;
  }
  Normalization two = Identity();
  two.mutable_mean()->RemoveLast();
  EXPECT_THAT(error("", two), HasSubstr("normalization.mean has 2 values"));
  Normalization zero = Identity();
  zero.set_std(1, 0);
  EXPECT_THAT(error("", zero), HasSubstr("normalization.std holds 0"));
}

}  // namespace
}  // namespace tessera
