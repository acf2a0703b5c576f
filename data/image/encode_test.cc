#include "data/image/encode.h"

#include <cstdlib>

#include "data/image/decode.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

Image Ramp(int channels) {
  Image image;
  image.Resize(19, 23, channels);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<uint8_t>(30 + i / channels % 23 * 8 + i % channels * 10);
  }
  return image;
}

TEST(EncodeTest, PngKeepsEveryValue) {
  Image decoded;
  const Image rgb = Ramp(3);
  ASSERT_TRUE(DecodeRgb(EncodePng(rgb).value(), &decoded).ok());
  EXPECT_EQ(decoded.pixels, rgb.pixels);
  const Image mask = Ramp(1);
  ASSERT_TRUE(DecodeMask(EncodePng(mask).value(), &decoded).ok());
  EXPECT_EQ(decoded.width, 23);
  EXPECT_EQ(decoded.pixels, mask.pixels);
}

TEST(EncodeTest, JpegIsCloseAndQualityCounts) {
  for (const int channels : {1, 3}) {
    const Image image = Ramp(channels);
    const std::string bytes = EncodeJpeg(image, 95).value();
    Image decoded;
    ASSERT_TRUE(DecodeRgb(bytes, &decoded).ok());
    for (size_t i = 0; i < decoded.pixels.size(); ++i) {
      const int expected = image.pixels[channels == 3 ? i : i / 3];
      ASSERT_NEAR(decoded.pixels[i], expected, 12) << i;
    }
    EXPECT_LT(EncodeJpeg(image, 10).value().size(), bytes.size());
  }
}

TEST(EncodeTest, RefusesWhatItCannotWrite) {
  EXPECT_FALSE(EncodePng(Image()).ok());
  EXPECT_FALSE(EncodePng(Ramp(2)).ok());
  EXPECT_FALSE(EncodeJpeg(Ramp(4), 90).ok());
  EXPECT_FALSE(EncodeJpeg(Ramp(3), 0).ok());
  EXPECT_FALSE(EncodeJpeg(Ramp(3), 101).ok());
  Image wide;
  wide.Resize(1, 70000, 1);
  EXPECT_EQ(EncodeJpeg(wide, 90).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tessera
