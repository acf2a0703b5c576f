#include "data/formats/webdataset/integer_field.h"

#include "gtest/gtest.h"

namespace tessera {
namespace {

TEST(IntegerFieldTest, KnowsTheExtensionsOfNumbers) {
  for (const char* const extension :
       {"cls", "cls2", "class", "count", "index", "inx", "id", "left.cls"}) {
    EXPECT_TRUE(IsIntegerExtension(extension)) << extension;
  }
  for (const char* const extension : {"", "jpg", "cls.jpg", "xcls", "txt", "json"}) {
    EXPECT_FALSE(IsIntegerExtension(extension)) << extension;
  }
}

TEST(IntegerFieldTest, ReadsNumbersAsPythonsIntDoes) {
  EXPECT_EQ(*DecodeInteger("7"), 7);
  EXPECT_EQ(*DecodeInteger("-7\n"), -7);
  EXPECT_EQ(*DecodeInteger(" +0012 "), 12);
  EXPECT_EQ(*DecodeInteger("9223372036854775807"), INT64_MAX);
}

TEST(IntegerFieldTest, SaysWhatElseItFound) {
  EXPECT_EQ(DecodeInteger("a\x01").status().message(),
            "found \"a\\x01\", expected a whole number of 64 bits");
  for (const char* const bad : {"", " ", "1.0", "1 2", "0x1", "9223372036854775808"}) {
    EXPECT_FALSE(DecodeInteger(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace tessera
