#include "data/transforms/eval_transform.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "data/image/decode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

EvalTransform Build(int height, int width) {
  EvalTransforms config;
  config.set_height(height);
  config.set_width(width);
  return EvalTransform::Create(
             config, {}, LabelMap::Create({.num_classes = 150, .reduce_zero_label = true}).value())
      .value();
}

Image Constant(int height, int width, int channels, uint8_t value) {
  Image image;
  image.Resize(height, width, channels);
  for (uint8_t& pixel : image.pixels) pixel = value;
  return image;
}

TEST(EvalTransformTest, SizeZeroKeepsEveryPixel) {
  const EvalTransform transform = Build(0, 0);
  ASSERT_EQ(transform.OutputSize({5, 7}), (ImageSize{5, 7}));
  Image image = Constant(5, 7, 3, 0), mask = Constant(5, 7, 1, 0);
  for (int i = 0; i < 35; ++i) {
    mask.pixels[i] = static_cast<uint8_t>(i);
    image.pixels[3 * i + 1] = static_cast<uint8_t>(7 * i);
  }
  std::vector<float> out_image(3 * 35);
  std::vector<uint8_t> out_labels(35);
  TransformScratch scratch;
  ASSERT_TRUE(transform.Apply(image, mask, &scratch, out_image.data(), out_labels.data()).ok());
  for (int i = 0; i < 35; ++i) {
    EXPECT_EQ(out_labels[i], i == 0 ? 255 : i - 1);
    EXPECT_NEAR(out_image[3 * i], -123.675 / 58.395, 1e-5);
    EXPECT_NEAR(out_image[3 * i + 1], (7 * i - 116.28) / 57.12, 1e-5);
  }
}

TEST(EvalTransformTest, ResizesToTheConfiguredSize) {
  const EvalTransform transform = Build(6, 0);
  ASSERT_EQ(transform.OutputSize({3, 4}), (ImageSize{6, 4}));
  std::vector<float> out_image(3 * 24);
  std::vector<uint8_t> out_labels(24);
  TransformScratch scratch;
  ASSERT_TRUE(transform
                  .Apply(Constant(3, 4, 3, 0), Constant(3, 4, 1, 150), &scratch, out_image.data(),
                         out_labels.data())
                  .ok());
  EXPECT_THAT(out_labels, Each(149));
  EXPECT_NEAR(out_image.back(), -103.53 / 57.375, 1e-5);

  std::vector<float> image_alone(3 * 24);
  ASSERT_TRUE(transform.ApplyImage(Constant(3, 4, 3, 0), &scratch, image_alone.data()).ok());
  EXPECT_EQ(image_alone, out_image);
}

TEST(EvalTransformTest, AnImageWithExifOrientationStaysOnItsMask) {
  // Stored 16 wide, left half 50; the tag asks viewers to turn it, and the mask has no tag.
  std::ifstream file("data/image/testdata/fixtures/exif6.jpg", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  Image image;
  ASSERT_TRUE(DecodeRgb(bytes, &image).ok());
  Image mask = Constant(8, 16, 1, 2);
  for (int y = 0; y < 8; ++y) std::fill_n(mask.row(y), 8, 1);
  std::vector<float> out_image(3 * 8 * 16);
  std::vector<uint8_t> out_labels(8 * 16);
  TransformScratch scratch;
  ASSERT_TRUE(Build(0, 0).Apply(image, mask, &scratch, out_image.data(), out_labels.data()).ok());
  for (size_t i = 0; i < out_labels.size(); ++i) {
    EXPECT_NEAR(out_image[3 * i] * 58.395 + 123.675, out_labels[i] == 0 ? 50 : 200, 1e-3);
  }
}

TEST(EvalTransformTest, BadInputIsAnError) {
  EvalTransforms config;
  config.set_width(-1);
  const LabelMap map = LabelMap::Create({.num_classes = 2}).value();
  EXPECT_THAT(std::string(EvalTransform::Create(config, {}, map).status().message()),
              HasSubstr("eval_transforms.width is -1"));
  TransformScratch scratch;
  std::vector<float> out_image(12);
  std::vector<uint8_t> out_labels(4);
  EXPECT_THAT(std::string(Build(2, 2)
                              .Apply(Constant(2, 3, 3, 0), Constant(3, 2, 1, 0), &scratch,
                                     out_image.data(), out_labels.data())
                              .message()),
              HasSubstr("the same size"));
}

}  // namespace
}  // namespace tessera
