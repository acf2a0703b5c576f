#include "data/streaming/sample_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_value.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Payload(const std::string& encoding, const MdsValue& value) {
  return EncodeMds(MakeMdsColumn("c", encoding).value(), value).value();
}

// MosaicML's ImageNet and CIFAR-10: i, x and y.
StreamingConfig Classes() {
  StreamingConfig config;
  config.set_label_column("y");
  return config;
}

TEST(SamplePartsTest, MasksNeedNameImageAndMask) {
  const SampleParts parts{StreamingConfig()};
  EXPECT_EQ(parts.label_kind(), LabelKind::kMask);
  EXPECT_THAT(parts.required(), ElementsAre("x", "y", "uid"));
  Sample sample;
  ASSERT_TRUE(
      parts.Fill({{"uid", "bytes", "a"}, {"x", "jpeg", "J"}, {"y", "png", "P"}}, &sample).ok());
  EXPECT_EQ(sample.name, "a");
  EXPECT_EQ(sample.image.bytes, "J");
  EXPECT_TRUE(sample.image.is_file());
  EXPECT_EQ(sample.mask.bytes, "P");
  EXPECT_THAT(std::string(parts.Fill({{"x", "jpeg", "J"}, {"z", "png", "P"}}, &sample).message()),
              HasSubstr("expected the parts x, y, uid"));
}

TEST(SamplePartsTest, ClassesNeedNoName) {
  EXPECT_THAT(SampleParts(Classes()).required(), ElementsAre("x", "y"));
  StreamingConfig named = Classes();
  named.set_name_column("__key__");
  EXPECT_THAT(SampleParts(named).required(), ElementsAre("x", "y", "__key__"));
}

TEST(SamplePartsTest, LabelsHaveAnyIntegerEncoding) {
  const SampleParts parts(Classes());
  for (const char* const encoding : {"int", "int8", "uint8", "int32", "uint64", "str_int"}) {
    Sample sample;
    const std::string label = std::string(encoding) == "str_int" ? Payload("str_int", MdsText{"42"})
                                                                 : Payload(encoding, int64_t{42});
    const absl::Status status = parts.Fill({{"x", "jpeg", "J"}, {"y", encoding, label}}, &sample);
    ASSERT_TRUE(status.ok()) << encoding << ": " << status;
    EXPECT_EQ(sample.label, 42) << encoding;
  }
  Sample sample;
  ASSERT_TRUE(parts.Fill({{"x", "", "J"}, {"y", "", " 7\n"}}, &sample).ok());
  EXPECT_EQ(sample.label, 7);
  const std::string half = Payload("float32", 0.5);
  EXPECT_THAT(
      std::string(parts.Fill({{"x", "jpeg", "J"}, {"y", "float32", half}}, &sample).message()),
      HasSubstr("column y has the encoding float32; expected a whole number"));
  EXPECT_FALSE(parts.Fill({{"x", "", "J"}, {"y", "", "cat"}}, &sample).ok());
  const std::string large = Payload("uint64", UINT64_MAX);
  EXPECT_FALSE(parts.Fill({{"x", "jpeg", "J"}, {"y", "uint64", large}}, &sample).ok());
}

TEST(SamplePartsTest, PilIsPixels) {
  const SampleParts parts(Classes());
  const std::string label = Payload("int", int64_t{1});
  Sample sample;
  const std::string rgb = Payload("pil", MdsPil{2, 1, "RGB", "abcdef"});
  ASSERT_TRUE(parts.Fill({{"x", "pil", rgb}, {"y", "int", label}}, &sample).ok());
  EXPECT_EQ(sample.image.bytes, "abcdef");
  EXPECT_EQ(sample.image.height, 1);
  EXPECT_EQ(sample.image.width, 2);
  EXPECT_EQ(sample.image.channels, 3);
  const std::string gray = Payload("pil", MdsPil{2, 1, "L", "ab"});
  ASSERT_TRUE(parts.Fill({{"x", "pil", gray}, {"y", "int", label}}, &sample).ok());
  EXPECT_EQ(sample.image.channels, 1);
  const std::string palette = Payload("pil", MdsPil{2, 1, "P", "ab"});
  EXPECT_THAT(
      std::string(parts.Fill({{"x", "pil", palette}, {"y", "int", label}}, &sample).message()),
      HasSubstr("mode P; expected RGB or L"));
}

}  // namespace
}  // namespace tessera
