#include "data/formats/idx/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/formats/compression/compression.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Bytes(std::initializer_list<int> values) {
  return std::string(values.begin(), values.end());
}

// 2 images of 1 x 3.
const std::string kImages =
    Bytes({0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255});

TEST(IdxTest, ReadsDimensionsFirstByteFirst) {
  const IdxArray array = ParseIdx(kImages).value();
  EXPECT_THAT(array.dims, ElementsAre(2, 1, 3));
  EXPECT_EQ(array.values, Bytes({1, 2, 3, 4, 5, 255}));
}

TEST(IdxTest, ReadsGzip) {
  const std::string zip = Codec::Parse("gz").value().Compress(kImages).value();
  EXPECT_EQ(ParseIdx(zip)->values, ParseIdx(kImages)->values);
  EXPECT_FALSE(ParseIdx(zip.substr(0, zip.size() - 9)).ok());
  EXPECT_FALSE(ParseIdx(zip.substr(0, 10)).ok());
}

TEST(IdxTest, SaysWhatIsWrong) {
  const auto message = [](const std::string& bytes) {
    return std::string(ParseIdx(bytes).status().message());
  };
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_THAT(message(kImages.substr(0, kImages.size() - 1)),
              HasSubstr("truncated: 21 bytes, expected 22 for 2 x 1 x 3"));
  EXPECT_THAT(message(kImages.substr(0, 9)), HasSubstr("its header alone has 16"));
  EXPECT_THAT(message(kImages + "x"), HasSubstr("too long: 23 bytes, expected 22"));
  EXPECT_THAT(message("GIF89a"), HasSubstr("starts with bytes 47494638"));
  EXPECT_THAT(message(Bytes({0, 0, 13, 1, 0, 0, 0, 0})), HasSubstr("type 13"));
  EXPECT_THAT(message(Bytes({0, 0, 8, 0})), HasSubstr("no dimensions"));
  // 1 written with its low byte first, twice.
  EXPECT_THAT(message(Bytes({0, 0, 8, 2, 1, 0, 0, 0, 1, 0, 0, 0})), HasSubstr("byte order"));
  // 2051, the number at the start of MNIST's images, the wrong way round.
  EXPECT_THAT(message(Bytes({3, 8, 0, 0})), HasSubstr("03080000"));
}

}  // namespace
}  // namespace tessera
