#include "data/formats/cifar/cifar_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// R counts up from 0 by pixel, modulo 256; G is 20 and B is 30 everywhere.
std::string Planes() {
  std::string planes;
  for (int i = 0; i < 1024; ++i) planes.push_back(static_cast<char>(i % 256));
  return planes + std::string(1024, 20) + std::string(1024, 30);
}

std::vector<int> PixelAt(const std::string& pixels, int y, int x) {
  std::vector<int> rgb;
  for (int c = 0; c < 3; ++c) rgb.push_back(static_cast<uint8_t>(pixels[(32 * y + x) * 3 + c]));
  return rgb;
}

TEST(CifarRecordsTest, Cifar100HasTwoLabels) {
  const std::string record = "\x07\x2A" + Planes();
  std::string pixels;
  std::vector<int64_t> labels;
  ASSERT_TRUE(AppendCifarRecords(CifarKind::kCifar100, record, &pixels, &labels).ok());
  ASSERT_TRUE(AppendCifarRecords(CifarKind::kCifar100Coarse, record, &pixels, &labels).ok());
  EXPECT_THAT(labels, ElementsAre(42, 7));
  ASSERT_EQ(pixels.size(), 2 * 3072u);
  EXPECT_THAT(PixelAt(pixels, 0, 5), ElementsAre(5, 20, 30));
  EXPECT_THAT(PixelAt(pixels, 1, 0), ElementsAre(32, 20, 30));
}

TEST(CifarRecordsTest, Cifar10HasOne) {
  const std::string records = "\x09" + Planes() + std::string(1, '\0') + Planes();
  std::string pixels;
  std::vector<int64_t> labels;
  ASSERT_TRUE(AppendCifarRecords(CifarKind::kCifar10, records, &pixels, &labels).ok());
  EXPECT_THAT(labels, ElementsAre(9, 0));
  EXPECT_THAT(PixelAt(pixels, 0, 5), ElementsAre(5, 20, 30));
  EXPECT_THAT(PixelAt(pixels, 33, 0), ElementsAre(32, 20, 30));  // row 1 of the second
}

TEST(CifarRecordsTest, RefusesOtherSizesAndLabels) {
  std::string pixels;
  std::vector<int64_t> labels;
  const auto message = [&](CifarKind kind, const std::string& file) {
    return std::string(AppendCifarRecords(kind, file, &pixels, &labels).message());
  };
  const std::string fine = "\x07\x2A" + Planes();
  EXPECT_THAT(message(CifarKind::kCifar10, fine),
              HasSubstr("has 3074 bytes, expected a multiple of 3073"));
  EXPECT_THAT(message(CifarKind::kCifar100, fine.substr(1)),
              HasSubstr("has 3073 bytes, expected a multiple of 3074"));
  EXPECT_THAT(message(CifarKind::kCifar10, ""), HasSubstr("0 bytes"));
  EXPECT_THAT(message(CifarKind::kCifar10, "\x0A" + Planes()),
              HasSubstr("record 0 has the label 10, expected 0 to 9"));
  EXPECT_THAT(message(CifarKind::kCifar100, fine + "\x13\x64" + Planes()),
              HasSubstr("record 1 has the fine label 100, expected 0 to 99"));
  EXPECT_THAT(message(CifarKind::kCifar100, "\x14\x63" + Planes()),
              HasSubstr("coarse label 20, expected 0 to 19"));
}

}  // namespace
}  // namespace tessera
