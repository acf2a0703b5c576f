#include "data/formats/mds/mds_value.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "data/formats/mds/mds_schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

MdsColumn Column(const std::string& encoding) {
  const auto column = MakeMdsColumn("c", encoding);
  EXPECT_TRUE(column.ok()) << column.status();
  return column.ok() ? *column : MdsColumn{};
}

// The payload in hex, or the error.
std::string Encoded(const std::string& encoding, const MdsValue& value) {
  const auto payload = EncodeMds(Column(encoding), value);
  return payload.ok() ? absl::BytesToHexString(*payload) : std::string(payload.status().message());
}

// The value as text, or the error.
std::string Decoded(const std::string& encoding, const std::string& payload) {
  const auto value = DecodeMds(Column(encoding), payload);
  return value.ok() ? ToText(*value) : std::string(value.status().message());
}

std::string DecodedHex(const std::string& encoding, const std::string& hex) {
  return Decoded(encoding, absl::HexStringToBytes(hex));
}

TEST(MdsEncodingTest, SizesAreThoseOfPython) {
  EXPECT_EQ(Column("int").size, 8u);
  EXPECT_EQ(Column("uint8").size, 1u);
  EXPECT_EQ(Column("float16").size, 2u);
  EXPECT_EQ(Column("ndarray").size, 0u);
  EXPECT_EQ(Column("ndarray:float64").size, 0u);
  EXPECT_EQ(Column("ndarray:uint8:2,3").size, 6u);
  EXPECT_EQ(Column("ndarray:float64:7").size, 56u);
}

TEST(MdsEncodingTest, WhatIsNotKnownIsNamed) {
  for (const char* encoding : {"", "jpg", "Int", "ndarray:", "ndarray:bool", "ndarray:uint8:",
                               "ndarray:uint8:0", "ndarray:uint8:2,", "ndarray:uint8:-1",
                               "ndarray:uint8:65536,65536", "ndarray::2", "int:4", "list[int]"}) {
    EXPECT_THAT(std::string(MakeMdsColumn("c", encoding).status().message()),
                AllOf(HasSubstr("column c"), HasSubstr(absl::StrCat("\"", encoding, "\""))));
  }
  EXPECT_THAT(std::string(MakeMdsColumn("c", "pkl").status().message()), HasSubstr("runs code"));
}

TEST(MdsValueTest, NumbersAreLittleEndian) {
  EXPECT_EQ(Encoded("int", int64_t{-2}), "feffffffffffffff");
  EXPECT_EQ(Encoded("uint16", uint64_t{258}), "0201");
  EXPECT_EQ(Encoded("int8", int64_t{-128}), "80");
  EXPECT_EQ(Encoded("uint64", uint64_t{UINT64_MAX}), "ffffffffffffffff");
  EXPECT_EQ(Encoded("float16", 1.5), "003e");
  EXPECT_EQ(Encoded("float32", 0.1), "cdcccc3d");
  EXPECT_EQ(Encoded("float64", int64_t{-1}), "000000000000f0bf");
  EXPECT_EQ(DecodedHex("uint32", "ffffffff"), "4294967295");
  EXPECT_EQ(DecodedHex("int16", "ff7f"), "32767");
  EXPECT_EQ(DecodedHex("int", "0000000000000080"), "-9223372036854775808");
  EXPECT_EQ(DecodedHex("float16", "007c"), "inf");
  EXPECT_EQ(DecodedHex("float16", "0100"), "5.960464477539063e-08");
  EXPECT_EQ(DecodedHex("float64", "9a9999999999b93f"), "0.1");
}

TEST(MdsValueTest, NumberThatDoesNotFitIsAnError) {
  EXPECT_THAT(Encoded("uint8", int64_t{300}),
              AllOf(HasSubstr("column c (uint8)"), HasSubstr("300"), HasSubstr("0 to 255")));
  EXPECT_THAT(Encoded("uint8", int64_t{-1}), HasSubstr("-1"));
  EXPECT_THAT(Encoded("int8", int64_t{-129}), HasSubstr("-128 to 127"));
  EXPECT_THAT(Encoded("int8", int64_t{128}), HasSubstr("-128 to 127"));
  EXPECT_THAT(Encoded("int", uint64_t{1} << 63), HasSubstr("9223372036854775808"));
  EXPECT_THAT(Encoded("uint64", int64_t{-1}), HasSubstr("0 to 18446744073709551615"));
  EXPECT_THAT(Encoded("float16", 65520.0), HasSubstr("does not fit"));
  EXPECT_THAT(Encoded("float32", 1e39), HasSubstr("does not fit"));
  EXPECT_THAT(Encoded("int", 1.0), HasSubstr("expected a number of type int64"));
  EXPECT_EQ(Encoded("float16", 65504.0), "ff7b");
  EXPECT_EQ(Encoded("float32", std::numeric_limits<double>::infinity()), "0000807f");
}

TEST(MdsValueTest, PayloadOfTheWrongSizeIsAnError) {
  EXPECT_THAT(Decoded("int", "four"),
              AllOf(HasSubstr("column c (int)"), HasSubstr("4 bytes"), HasSubstr("expected 8")));
  EXPECT_THAT(Decoded("ndarray:uint8:2,3", "12345"), HasSubstr("expected 6"));
}

TEST(MdsValueTest, TextIsChecked) {
  EXPECT_EQ(Decoded("str", "a\"\n\xc3\xa9"), "\"a\\\"\\n\xc3\xa9\"");
  EXPECT_EQ(Decoded("str", ""), "\"\"");
  for (const char* text :
       {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x80"}) {
    EXPECT_THAT(Decoded("str", text), HasSubstr("expected UTF-8"));
  }
  for (const char* text : {"0", "-12", "100000000000000000000000000000000000000000"}) {
    EXPECT_THAT(Decoded("str_int", text), HasSubstr(text));
    EXPECT_THAT(Decoded("str_float", text), HasSubstr(text));
  }
  for (const char* text : {"", "-", "1.0", "1_0", "0x1", " 1"}) {
    EXPECT_THAT(Decoded("str_int", text), HasSubstr("expected a whole number")) << text;
  }
  for (const char* text : {"1e-07", "-inf", "nan", "1.5", "1e+16"}) {
    EXPECT_EQ(Decoded("str_float", text), absl::StrCat("\"", text, "\""));
  }
  for (const char* text : {"", ".", "e5", "1e", "1e+", "infinite", "1.5.2", "0x1p3"}) {
    EXPECT_THAT(Decoded("str_float", text), HasSubstr("expected a number")) << text;
  }
  for (const char* text : {"3.1400", "-1E+5", "Infinity", "-sNaN12", "NaN", "0E-10"}) {
    EXPECT_EQ(Decoded("str_decimal", text), absl::StrCat("\"", text, "\""));
  }
  for (const char* text : {"nan", "NaNx", "1,5", "s"}) {
    EXPECT_THAT(Decoded("str_decimal", text), HasSubstr("expected a decimal")) << text;
  }
  EXPECT_THAT(Encoded("str_int", MdsText{"x"}), HasSubstr("expected a whole number"));
}

TEST(MdsValueTest, JsonMayHoldPythonsConstants) {
  for (const char* text : {"null", "[NaN, Infinity, -Infinity]", "{\"NaN\": NaN}", "\"a \\\" NaN\"",
                           "{\"a\\\\\": 1}"}) {
    EXPECT_THAT(Decoded("json", text), Not(HasSubstr("expected"))) << text;
  }
  for (const char* text : {"", "nan", "[1,]", "{'a': 1}", "1NaN", "-NaN", "1Infinity", "NaNNaN",
                           "[NaN", "\"NaN", "[\"\xff\"]"}) {
    EXPECT_THAT(Decoded("json", text), HasSubstr("expected JSON")) << text;
  }
}

TEST(MdsValueTest, ArraysCarryWhatTheirEncodingLeavesOpen) {
  const std::string six = "abcdef";
  const MdsArray array = {MdsDtype::kUint8, {2, 3}, six};
  EXPECT_EQ(Encoded("ndarray", array), "08080203616263646566");
  EXPECT_EQ(Encoded("ndarray:uint8", array), "080203616263646566");
  EXPECT_EQ(Encoded("ndarray:uint8:2,3", array), "616263646566");
  EXPECT_EQ(DecodedHex("ndarray", "08080203616263646566"), "uint8 [2, 3] <6 bytes 616263646566>");
  // Dimensions take the smallest integers that hold the largest.
  const std::string many(65536, 'x');
  EXPECT_EQ(
      Encoded("ndarray", MdsArray{MdsDtype::kUint8, {1, 255}, many.substr(0, 255)}).substr(0, 8),
      "080801ff");
  EXPECT_EQ(
      Encoded("ndarray", MdsArray{MdsDtype::kUint8, {1, 256}, many.substr(0, 256)}).substr(0, 12),
      "080901000001");
  EXPECT_EQ(Encoded("ndarray", MdsArray{MdsDtype::kUint8, {65536}, many}).substr(0, 12),
            "080600000100");
  // Wider ones are read, too.
  EXPECT_EQ(DecodedHex("ndarray:int16", "0701000000000000002a00"), "int16 [1] <2 bytes 2a00>");
}

TEST(MdsValueTest, ArraysThatCannotBeAreErrors) {
  const std::string four = "abcd";
  const auto encoded = [&](std::vector<uint64_t> dims, MdsDtype dtype = MdsDtype::kUint8) {
    return Encoded("ndarray", MdsArray{dtype, std::move(dims), four});
  };
  EXPECT_THAT(encoded({}), AllOf(HasSubstr("column c (ndarray)"), HasSubstr("no dimension")));
  EXPECT_THAT(encoded({4, 0}), AllOf(HasSubstr("[4, 0]"), HasSubstr("no elements")));
  EXPECT_THAT(encoded(std::vector<uint64_t>(64, 1)), HasSubstr("63 at most"));
  EXPECT_THAT(encoded({5}), AllOf(HasSubstr("4 bytes"), HasSubstr("expected 5")));
  EXPECT_THAT(encoded({4}, MdsDtype::kInt16), HasSubstr("expected 8"));
  EXPECT_THAT(encoded({uint64_t{1} << 32, uint64_t{1} << 32}), HasSubstr("4 GiB"));
  EXPECT_THAT(Encoded("ndarray:int8", MdsArray{MdsDtype::kUint8, {4}, four}),
              AllOf(HasSubstr("uint8"), HasSubstr("expected int8")));
  EXPECT_THAT(Encoded("ndarray:uint8:2,2", MdsArray{MdsDtype::kUint8, {4}, four}),
              AllOf(HasSubstr("[4]"), HasSubstr("expected [2, 2]")));
  EXPECT_THAT(DecodedHex("ndarray", "0800"), HasSubstr("no dimension"));
  EXPECT_THAT(DecodedHex("ndarray", "080400"), HasSubstr("no elements"));
  EXPECT_THAT(DecodedHex("ndarray", "07040161"), HasSubstr("code 7"));
  EXPECT_THAT(DecodedHex("ndarray", "0808ffff61"), HasSubstr("expected 65025"));
  EXPECT_THAT(DecodedHex("ndarray", "080bffffffffffffffffffffffffffffffff61"), HasSubstr("4 GiB"));
  for (const char* hex : {"", "08", "0808", "080801", "0807010000000000"}) {
    EXPECT_THAT(DecodedHex("ndarray", hex), HasSubstr("cut short")) << hex;
  }
}

TEST(MdsValueTest, ImagesHaveTheirPixels) {
  const MdsPil image = {3, 2, "RGB", "0123456789abcdefgh"};
  const std::string hex = Encoded("pil", image);
  EXPECT_EQ(hex.substr(0, 30), "030000000200000003000000524742");
  EXPECT_EQ(DecodedHex("pil", hex), "RGB 3 x 2 <18 bytes 30313233343536373839616263646566...>");
  EXPECT_EQ(Encoded("pil", MdsPil{9, 1, "1", "ab"}).substr(24), "316162");
  EXPECT_THAT(Encoded("pil", MdsPil{9, 1, "1", "a"}), HasSubstr("expected 2 a row"));
  EXPECT_THAT(Encoded("pil", MdsPil{3, 2, "RGBA", "0123456789abcdefgh"}),
              AllOf(HasSubstr("18 bytes"), HasSubstr("expected 12 a row")));
  EXPECT_THAT(Encoded("pil", MdsPil{1, 1, "XYZ", "123"}), HasSubstr("\"XYZ\""));
  EXPECT_THAT(Encoded("pil", MdsPil{UINT32_MAX, UINT32_MAX, "RGBA", "123"}), HasSubstr("expected"));
  for (size_t size = 0; size < hex.size(); size += 2) {
    EXPECT_THAT(DecodedHex("pil", hex.substr(0, size)), HasSubstr("column c (pil)")) << size;
  }
}

TEST(MdsValueTest, ListsHaveTheirItems) {
  EXPECT_EQ(Encoded("jpeg_array", MdsList{{"ab", ""}}), "0200000002000000000000006162");
  EXPECT_EQ(Encoded("list[png]", MdsList{{"ab"}}), "0000000001000000020000006162");
  EXPECT_EQ(Encoded("list[png]", MdsList{}), "0000000000000000");
  EXPECT_EQ(DecodedHex("list[jpeg]", "0000000001000000020000006162"), "[<2 bytes 6162>]");
  EXPECT_THAT(Encoded("jpegarray", MdsList{}), HasSubstr("empty"));
  EXPECT_THAT(DecodedHex("jpeg_array", "00000000"), HasSubstr("empty"));
  EXPECT_THAT(DecodedHex("list[jpeg]", "00000000010000000200000061"), HasSubstr("1 are left"));
  EXPECT_THAT(DecodedHex("list[jpeg]", "000000000100000001000000616263"),
              HasSubstr("2 bytes follow"));
  EXPECT_THAT(DecodedHex("list[jpeg]", "00000000ffffffff00000000"), HasSubstr("4294967295 items"));
  EXPECT_THAT(DecodedHex("list[jpeg]", "00000000"), HasSubstr("too few"));
  EXPECT_THAT(DecodedHex("list[pil]", "00000000010000000100000061"), HasSubstr("item 0"));
}

TEST(MdsValueTest, ValueOfAnotherKindIsAnError) {
  EXPECT_THAT(Encoded("str", MdsBytes{"ab"}),
              AllOf(HasSubstr("<2 bytes 6162>"), HasSubstr("expected text")));
  EXPECT_THAT(Encoded("bytes", MdsText{"ab"}), HasSubstr("expected bytes"));
  EXPECT_THAT(Encoded("ndarray", int64_t{3}), HasSubstr("expected an array"));
  EXPECT_THAT(Encoded("pil", int64_t{3}), HasSubstr("expected an image"));
  EXPECT_THAT(Encoded("list[jpeg]", int64_t{3}), HasSubstr("expected a list"));
}

TEST(MdsValueTest, LongValuesAreCutShortInText) {
  EXPECT_EQ(Decoded("bytes", std::string(5000, 'a')),
            absl::StrCat("<5000 bytes ", absl::BytesToHexString(std::string(16, 'a')), "...>"));
  EXPECT_EQ(Decoded("str", std::string(5000, 'a')),
            absl::StrCat("\"", std::string(100, 'a'), "\"... (5000 bytes)"));
}

}  // namespace
}  // namespace tessera
