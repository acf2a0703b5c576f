#include "data/image/decode.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "data/image/encode.h"
#include "data/image/jpeg_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string TestData(const std::string& name) { return "data/image/testdata/" + name; }

std::string ReadFile(const std::string& name) {
  std::ifstream file(TestData(name), std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Exists(const std::string& name) { return std::ifstream(TestData(name)).is_open(); }

// A binary PPM or PGM file.
Image ReadNetpbm(const std::string& name) {
  std::istringstream file(ReadFile(name));
  std::string magic;
  int width = 0, height = 0, max = 0;
  file >> magic >> width >> height >> max;
  file.ignore();
  EXPECT_EQ(max, 255) << name;
  Image image;
  image.Resize(height, width, magic == "P6" ? 3 : 1);
  file.read(reinterpret_cast<char*>(image.pixels.data()), image.pixels.size());
  EXPECT_TRUE(file) << name;
  return image;
}

// Decodes a file of testdata; the test fails if that fails.
Image Rgb(const std::string& name) {
  Image image;
  const absl::Status status = DecodeRgb(ReadFile(name), &image);
  EXPECT_TRUE(status.ok()) << name << ": " << status;
  return image;
}

Image Mask(const std::string& name) {
  Image mask;
  const absl::Status status = DecodeMask(ReadFile(name), &mask);
  EXPECT_TRUE(status.ok()) << name << ": " << status;
  return mask;
}

std::string RgbError(absl::string_view bytes) {
  Image image;
  return std::string(DecodeRgb(bytes, &image).message());
}

std::string MaskError(absl::string_view bytes) {
  Image mask;
  return std::string(DecodeMask(bytes, &mask).message());
}

std::vector<int> Pixel(const Image& image, int y, int x) {
  const uint8_t* pixel = image.row(y) + x * image.channels;
  return {pixel, pixel + image.channels};
}

int MaxDifference(const Image& a, const Image& b) {
  EXPECT_EQ(std::tie(a.height, a.width, a.channels), std::tie(b.height, b.width, b.channels));
  if (a.pixels.size() != b.pixels.size()) return 256;
  int difference = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) {
    difference = std::max(difference, std::abs(a.pixels[i] - b.pixels[i]));
  }
  return difference;
}

// Every file of a folder for which make_golden.py wrote what Pillow decodes.
void ExpectGolden(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    SCOPED_TRACE(folder + "/" + name);
    const std::string golden = absl::StrCat("golden/", folder, "_", name);
    // JPEG pixels may differ by rounding between versions of libjpeg-turbo; PNG is exact.
    const std::string bytes = ReadFile(folder + "/" + name);
    const int tolerance = absl::StartsWith(bytes, "\xFF\xD8") ? 2 : 0;
    EXPECT_LE(MaxDifference(Rgb(folder + "/" + name), ReadNetpbm(golden + ".ppm")), tolerance);
    if (Exists(golden + ".pgm")) {
      EXPECT_EQ(MaxDifference(Mask(folder + "/" + name), ReadNetpbm(golden + ".pgm")), 0);
    }
  }
}

TEST(DecodeTest, SamplesAreAsPillowDecodesThem) {
  const auto files = nlohmann::json::parse(ReadFile("samples/expected_pillow.json"))["files"];
  ASSERT_EQ(files.size(), 32u);
  std::vector<std::string> good;
  for (const auto& [name, expected] : files.items()) {
    if (name == "bmp_named.jpg") {  // Pillow reads BMP as well
      EXPECT_THAT(RgbError(ReadFile("samples/" + name)), HasSubstr("is a BMP image"));
    } else if (name == "gray16.png") {  // Pillow cuts at 255, which makes it white
      EXPECT_THAT(Pixel(Rgb("samples/gray16.png"), 10, 5), Each(3000 / 256));
    } else if (expected.contains("error")) {
      EXPECT_THAT(RgbError(ReadFile("samples/" + name)), Not("")) << name;
    } else {
      good.push_back(name);
    }
  }
  ExpectGolden("samples", good);
}

TEST(DecodeTest, OtherFormsAreAsPillowDecodesThem) {
  ExpectGolden("extra", {"cmyk.jpg", "gray16_alpha.png", "gray2.png", "gray4.png", "gray_alpha.png",
                         "interlaced.png", "rgb16.png"});
}

TEST(DecodeTest, ContentDecidesTheFormat) {
  const Image image = Rgb("fixtures/png_named.JPEG");
  EXPECT_THAT(image.pixels, ElementsAre(10, 20, 30, 40, 50, 60));
}

TEST(DecodeTest, SaysWhatOtherContentLooksLike) {
  EXPECT_THAT(RgbError(ReadFile("fixtures/gz.JPEG")), HasSubstr("gzip"));
  EXPECT_THAT(RgbError(ReadFile("samples/html_not_image.jpg")), HasSubstr("HTML"));
  EXPECT_THAT(RgbError(""), HasSubstr("is empty"));
  EXPECT_THAT(RgbError(std::string(100, '\0')), HasSubstr("holds only zeros (100 bytes)"));
  EXPECT_THAT(RgbError("GIF89a"), HasSubstr("GIF"));
  EXPECT_THAT(RgbError(absl::string_view("RIFF\x10\x00\x00\x00WEBPVP8 ", 16)), HasSubstr("WebP"));
  EXPECT_THAT(RgbError("\x01\x02"), HasSubstr("starts with bytes 0102"));
  EXPECT_THAT(MaskError(ReadFile("fixtures/gz.JPEG")), HasSubstr("gzip"));
}

TEST(DecodeTest, ExifOrientationIsNotApplied) {
  for (const char* name : {"fixtures/exif6.jpg", "fixtures/exif3.jpg", "fixtures/two_blocks.jpg"}) {
    const Image image = Rgb(name);
    EXPECT_EQ(image.height, 8) << name;
    EXPECT_EQ(image.width, 16) << name;
    EXPECT_THAT(Pixel(image, 0, 0), Each(50)) << name;
    EXPECT_THAT(Pixel(image, 7, 15), Each(200)) << name;
  }
}

TEST(DecodeTest, MasksGiveStoredValues) {
  EXPECT_THAT(Mask("fixtures/pal_mask.png").pixels, ElementsAre(0, 1, 2, 150));
  EXPECT_THAT(Mask("fixtures/pal2bit_mask.png").pixels, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Mask("fixtures/gray1bit.png").pixels, ElementsAre(0, 1, 0, 1, 1, 0, 0, 1));
  EXPECT_THAT(Mask("fixtures/ade_raw.png").pixels, ElementsAre(0, 1, 150, 255));
  EXPECT_THAT(Rgb("fixtures/pal2bit_mask.png").pixels,
              ElementsAre(0, 0, 0, 128, 0, 0, 0, 128, 0, 128, 128, 0));
  EXPECT_THAT(Pixel(Rgb("fixtures/gray1bit.png"), 0, 1), ElementsAre(255, 255, 255));
}

TEST(DecodeTest, RefusesMasksThatHoldNoClassIndices) {
  EXPECT_THAT(MaskError(ReadFile("fixtures/rgb_mask.png")),
              AllOf(HasSubstr("mask has 3 channels"), HasSubstr("SceneParsing")));
  EXPECT_THAT(MaskError(ReadFile("samples/ade20k_full_rgb_mask.png")), HasSubstr("SceneParsing"));
  EXPECT_THAT(MaskError(ReadFile("samples/rgba.png")), HasSubstr("mask has 4 channels"));
  EXPECT_THAT(MaskError(ReadFile("extra/gray_alpha.png")), HasSubstr("without alpha"));
  EXPECT_THAT(MaskError(ReadFile("samples/gray16.png")), HasSubstr("16 bits"));
  EXPECT_THAT(MaskError(ReadFile("samples/gray.jpg")), HasSubstr("JPEG"));
}

TEST(DecodeTest, CutFilesAreErrors) {
  for (const char* name : {"fixtures/trunc64.jpg", "fixtures/hdr_only.jpg", "samples/truncated.jpg",
                           "samples/no_eoi.jpg", "samples/truncated.png"}) {
    EXPECT_THAT(RgbError(ReadFile(name)), HasSubstr("cut short")) << name;
  }
  const Image control = Rgb("fixtures/full64.jpg");
  for (int by = 0; by < 8; ++by) {
    for (int bx = 0; bx < 8; ++bx) {
      ASSERT_THAT(Pixel(control, 8 * by + 3, 8 * bx + 5), Each(40 + (37 * bx + 91 * by) % 170));
    }
  }
}

TEST(DecodeTest, NoPrefixOfAFileDecodes) {
  for (const char* name : {"samples/rgb_420.jpg", "samples/progressive.jpg", "samples/gray.jpg",
                           "samples/rgb.png", "samples/palette_mask.png"}) {
    const std::string bytes = ReadFile(name);
    // The checksum of PNG's empty last chunk, 4 bytes, is not needed.
    const size_t needed = bytes.size() - (absl::StrContains(name, ".png") ? 4 : 0);
    for (size_t size = 0; size < needed; ++size) {
      ASSERT_THAT(RgbError(absl::string_view(bytes).substr(0, size)), Not("")) << name << size;
    }
    EXPECT_EQ(RgbError(bytes), "") << name;
    EXPECT_EQ(RgbError(bytes + "garbage behind the end"), "") << name;
  }
}

TEST(DecodeTest, DamagedBytesOfPngAreErrors) {
  const std::string bytes = ReadFile("samples/ade20k_mask_gray.png");
  ASSERT_EQ(MaskError(bytes), "");
  for (size_t i = 0; i < bytes.size() - 12; ++i) {  // all but IEND
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THAT(MaskError(damaged), Not("")) << "byte " << i;
  }
  std::string checksum = bytes;
  checksum[bytes.size() - 13] ^= 1;  // the last byte of IDAT's
  EXPECT_THAT(MaskError(checksum), HasSubstr("checksum"));
  EXPECT_THAT(RgbError(ReadFile("samples/bad_crc.png")), HasSubstr("damaged PNG"));
}

TEST(DecodeTest, DamagedEntropyDataOfJpegIsAnError) {
  // A marker in the middle of the scan: libjpeg would fill the rest with gray.
  std::string bytes = ReadFile("samples/rgb_420.jpg");
  bytes[900] = '\xFF';
  bytes[901] = '\xD9';
  EXPECT_THAT(RgbError(bytes), HasSubstr("damaged JPEG"));
}

TEST(DecodeTest, AnyDamagedByteOfJpegEndsInAStatus) {
  for (const char* name : {"samples/rgb_420.jpg", "samples/progressive.jpg", "extra/cmyk.jpg"}) {
    const std::string bytes = ReadFile(name);
    Image image;
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
      // Many a byte is a comment, or another valid code: what counts is that nothing else happens.
      const absl::Status status = DecodeRgb(damaged, &image);
      EXPECT_TRUE(status.ok() || !status.message().empty()) << i;
    }
    ASSERT_EQ(RgbError(bytes), "");
  }
}

TEST(DecodeTest, GrayAndTinyImages) {
  const Image gray = Rgb("fixtures/gray200.jpg");
  EXPECT_EQ(gray.channels, 3);
  EXPECT_THAT(gray.pixels, Each(200));
  EXPECT_THAT(Rgb("fixtures/one_px.jpg").pixels, ElementsAre(77, 77, 77));
  EXPECT_THAT(Rgb("fixtures/one_px.png").pixels, ElementsAre(77, 77, 77));
}

TEST(DecodeTest, ChromaIsUpsampledSmoothly) {
  EXPECT_THAT(Pixel(Rgb("fixtures/ycc.jpg"), 0, 0), ElementsAre(251, 112, 83));
  const Image image = Rgb("fixtures/chroma420.jpg");
  EXPECT_THAT(Pixel(image, 8, 14), ElementsAre(128, 141, 61));
  EXPECT_THAT(Pixel(image, 8, 15), ElementsAre(128, 134, 96));
  EXPECT_THAT(Pixel(image, 8, 16), ElementsAre(128, 120, 167));
  EXPECT_THAT(Pixel(image, 8, 17), ElementsAre(128, 114, 202));
}

// Writes 4-channel or subsampled JPEGs, which EncodeJpeg does not.
std::string WriteJpeg(const Image& image, J_COLOR_SPACE input, J_COLOR_SPACE stored, int h, int v) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &data, &size);
  info.image_height = image.height;
  info.image_width = image.width;
  info.input_components = image.channels;
  info.in_color_space = input;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, stored);
  for (int i = 0; i < info.num_components; ++i) {
    const bool full = i == 0 || i == 3;
    info.comp_info[i].h_samp_factor = full ? h : 1;
    info.comp_info[i].v_samp_factor = full ? v : 1;
  }
  jpeg_set_quality(&info, 100, TRUE);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < image.height; ++y) {
    JSAMPROW row = const_cast<JSAMPROW>(image.row(y));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<char*>(data), size);
  std::free(data);
  return bytes;
}

Image Gradient(int channels) {
  Image image;
  image.Resize(24, 40, channels);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const int values[4] = {40 + 4 * x, 60 + 6 * y, 200 - 2 * x - 2 * y, 100 + 2 * x + 3 * y};
      for (int c = 0; c < channels; ++c) {
        image.row(y)[x * channels + c] = static_cast<uint8_t>(values[c]);
      }
    }
  }
  return image;
}

TEST(DecodeTest, EverySubsamplingAndColourSpace) {
  const Image image = Gradient(3);
  for (const auto& [stored, h, v] : {std::tuple{JCS_YCbCr, 1, 1},
                                     {JCS_YCbCr, 2, 1},
                                     {JCS_YCbCr, 2, 2},
                                     {JCS_YCbCr, 1, 2},
                                     {JCS_YCbCr, 4, 1},
                                     {JCS_RGB, 1, 1}}) {
    Image decoded;
    const absl::Status status = DecodeRgb(WriteJpeg(image, JCS_RGB, stored, h, v), &decoded);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_LE(MaxDifference(decoded, image), 12) << stored << " " << h << "x" << v;
  }
}

TEST(DecodeTest, CmykAndYcckAreInvertedAsAdobeStoresThem) {
  const Image stored = Gradient(4);
  Image expected;
  expected.Resize(stored.height, stored.width, 3);
  for (size_t i = 0; i < expected.pixels.size(); ++i) {
    const int light = stored.pixels[i / 3 * 4 + 3];
    expected.pixels[i] = static_cast<uint8_t>(stored.pixels[i / 3 * 4 + i % 3] * light / 255);
  }
  for (const J_COLOR_SPACE space : {JCS_CMYK, JCS_YCCK}) {
    Image decoded;
    const absl::Status status = DecodeRgb(WriteJpeg(stored, JCS_CMYK, space, 1, 1), &decoded);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_LE(MaxDifference(decoded, expected), 4) << space;
  }
}

TEST(DecodeTest, HugeSizesAreRefusedBeforeMemoryIsTaken) {
  std::string png = ReadFile("samples/rgb.png");
  // Width and height of IHDR; its checksum of the forged header follows.
  png.replace(16, 8, std::string("\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF", 8));
  EXPECT_THAT(RgbError(png), Not(""));
  std::string jpeg = ReadFile("samples/rgb_420.jpg");
  const size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xFF\xDC\xFF\xDC");
  EXPECT_THAT(RgbError(jpeg), HasSubstr("65500x65500: more than"));
}

TEST(DecodeTest, BuffersAreReused) {
  const std::string large = ReadFile("fixtures/full64.jpg");
  const std::string small = ReadFile("samples/rgb_420.jpg");
  Image image;
  ASSERT_TRUE(DecodeRgb(large, &image).ok());
  const uint8_t* memory = image.pixels.data();
  ASSERT_TRUE(DecodeRgb(small, &image).ok());
  EXPECT_EQ(image.pixels.data(), memory);
  EXPECT_EQ(image.width, 37);
}

TEST(DecodeTest, AnErrorLeavesNoTraceInTheThreadsDecoder) {
  const std::string bytes = ReadFile("samples/progressive.jpg");
  const Image expected = Rgb("samples/progressive.jpg");
  for (const char* name : {"fixtures/trunc64.jpg", "fixtures/hdr_only.jpg", "samples/no_eoi.jpg"}) {
    EXPECT_THAT(RgbError(ReadFile(name)), Not(""));
    Image image;
    ASSERT_TRUE(DecodeRgb(bytes, &image).ok());
    EXPECT_EQ(image.pixels, expected.pixels);
  }
}

TEST(DecodeTest, ThreadsDecodeAlike) {
  const std::string bytes = ReadFile("samples/rgb_422.jpg");
  const Image expected = Rgb("samples/rgb_422.jpg");
  std::vector<Image> images(4);
  std::vector<std::thread> threads;
  for (Image& image : images) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        if (!DecodeRgb(bytes, &image).ok()) image.pixels.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Image& image : images) EXPECT_EQ(image.pixels, expected.pixels);
}

TEST(ReadImageInfoTest, ReadsHeadersAlone) {
  const auto info = [](const std::string& name, size_t size) {
    return ReadImageInfo(ReadFile(name).substr(0, size)).value();
  };
  const ImageInfo jpeg = info("samples/rgb_420.jpg", 700);
  EXPECT_EQ(jpeg.format, ImageFormat::kJpeg);
  EXPECT_EQ(jpeg.height, 23);
  EXPECT_EQ(jpeg.width, 37);
  EXPECT_EQ(jpeg.channels, 3);
  EXPECT_EQ(info("samples/gray.jpg", 1000).channels, 1);
  const ImageInfo png = info("samples/palette_mask.png", 33);
  EXPECT_EQ(png.format, ImageFormat::kPng);
  EXPECT_EQ(png.height, 23);
  EXPECT_EQ(png.width, 37);
  EXPECT_EQ(png.channels, 1);
  EXPECT_EQ(info("samples/rgba.png", 33).channels, 4);
  EXPECT_FALSE(ReadImageInfo("hello").ok());
}

}  // namespace
}  // namespace tessera
