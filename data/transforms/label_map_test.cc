#include "data/transforms/label_map.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int> Labels(const LabelMapOptions& options, const std::vector<uint8_t>& raw) {
  std::vector<uint8_t> labels(raw.size());
  const absl::Status status = LabelMap::Create(options).value().Apply(raw, labels.data());
  EXPECT_TRUE(status.ok()) << status;
  return {labels.begin(), labels.end()};
}

std::string Error(const LabelMapOptions& options, const std::vector<uint8_t>& raw) {
  std::vector<uint8_t> labels(raw.size());
  return std::string(LabelMap::Create(options).value().Apply(raw, labels.data()).message());
}

const LabelMapOptions kAde20k = {.num_classes = 150, .reduce_zero_label = true};

TEST(LabelMapTest, ReducesZeroLabelIn8Bits) {
  EXPECT_THAT(Labels(kAde20k, {0x00, 0x01, 0x02, 0x96, 0xFF}),
              ElementsAre(0xFF, 0x00, 0x01, 0x95, 0xFF));
}

TEST(LabelMapTest, KeepsLabelsOtherwise) {
  EXPECT_THAT(Labels({.num_classes = 11}, {0, 1, 10, 255}), ElementsAre(0, 1, 10, 255));
  EXPECT_THAT(Labels({.num_classes = 3, .ignore_index = 7}, {0, 2, 7}), ElementsAre(0, 2, 7));
}

TEST(LabelMapTest, ZeroBecomesTheConfiguredIgnoreIndex) {
  EXPECT_THAT(
      Labels({.num_classes = 3, .reduce_zero_label = true, .ignore_index = 200}, {0, 1, 3, 255}),
      ElementsAre(200, 0, 2, 200));
}

TEST(LabelMapTest, SubsetMapsShiftedLabels) {
  const LabelMapOptions options = {
      .num_classes = 2, .reduce_zero_label = true, .subset = {255, 0, 1}};
  EXPECT_THAT(Labels(options, {0, 1, 2, 3}), ElementsAre(255, 255, 0, 1));
}

TEST(LabelMapTest, OutOfRangeNamesRawValueCountAndRange) {
  EXPECT_THAT(Error(kAde20k, {0, 151, 150, 1}),
              AllOf(HasSubstr("mask value 151 in 1 pixel is out of range"),
                    HasSubstr("classes are 1 to 150, 0 and 255 are ignored")));
  EXPECT_THAT(Error({.num_classes = 2}, {0, 1, 2, 9, 9, 2, 2}),
              AllOf(HasSubstr("mask value 2 in 3 pixels (and 2 pixels with others)"),
                    HasSubstr("classes are 0 to 1, 255 is ignored")));
}

TEST(LabelMapTest, WorksInPlace) {
  std::vector<uint8_t> labels = {0, 1, 150};
  ASSERT_TRUE(LabelMap::Create(kAde20k).value().Apply(labels, labels.data()).ok());
  EXPECT_THAT(labels, ElementsAre(255, 0, 149));
}

TEST(LabelMapTest, RawIsTheInverse) {
  const LabelMap ade20k = LabelMap::Create(kAde20k).value();
  EXPECT_EQ(ade20k.Raw(0), 1);
  EXPECT_EQ(ade20k.Raw(149), 150);
  EXPECT_EQ(ade20k.Raw(255), 0);
  const LabelMap plain = LabelMap::Create({.num_classes = 5}).value();
  EXPECT_EQ(plain.Raw(0), 0);
  EXPECT_EQ(plain.Raw(4), 4);
  EXPECT_EQ(plain.Raw(255), 255);
}

TEST(LabelMapTest, RefusesOptionsThatContradict8Bits) {
  EXPECT_FALSE(LabelMap::Create({.num_classes = 0}).ok());
  EXPECT_FALSE(LabelMap::Create({.num_classes = 257}).ok());
  EXPECT_FALSE(LabelMap::Create({.num_classes = 255, .reduce_zero_label = true}).ok());
  EXPECT_FALSE(LabelMap::Create({.num_classes = 2, .ignore_index = -1}).ok());
  EXPECT_FALSE(LabelMap::Create({.num_classes = 2, .ignore_index = 256}).ok());
  EXPECT_FALSE(LabelMap::Create({.num_classes = 2, .subset = {0, 2}}).ok());
  EXPECT_TRUE(LabelMap::Create({.num_classes = 256}).ok());
}

}  // namespace
}  // namespace tessera
