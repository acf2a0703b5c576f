#include "configs/explain_field.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Explained(const std::string& path) {
  const absl::StatusOr<std::string> text = ExplainField(path);
  return text.ok() ? *text : std::string(text.status().message());
}

TEST(ExplainFieldTest, SaysTypeDefaultAndComment) {
  EXPECT_THAT(Explained("data.ignore_index"),
              StartsWith("data.ignore_index: int32, default 255\n  Label of pixels that count "));
}

TEST(ExplainFieldTest, ListsTheFieldsOfAMessage) {
  const std::string text = Explained("data");
  EXPECT_THAT(text, StartsWith("data: DataConfig { ... }\n  Which samples are read"));
  EXPECT_THAT(text, HasSubstr("\n  folder: FolderConfig { ... }, a choice of dataset\n    Image"));
  EXPECT_THAT(text, HasSubstr("\n  class_names: list of string\n    One name a class"));
}

TEST(ExplainFieldTest, ListsTheValuesOfAnEnum) {
  EXPECT_THAT(
      Explained("data.bad_samples"),
      StartsWith("data.bad_samples: BadSamplePolicy, default STOP\n  STOP\n    End the run"));
}

TEST(ExplainFieldTest, DotIsTheWholeExperiment) {
  EXPECT_THAT(Explained("."), HasSubstr("\nseed: uint64, default 17\n  Everything random"));
}

TEST(ExplainFieldTest, WrongPathIsRefusedWithTheNearestName) {
  EXPECT_EQ(Explained("data.ignor_index"),
            "\"data.ignor_index\": found \"ignor_index\", expected a field of tessera.DataConfig; "
            "did you mean \"ignore_index\"?");
  EXPECT_EQ(Explained("seed.x"), "\"seed.x\": found \".x\" behind seed, which has no fields");
}

}  // namespace
}  // namespace tessera
