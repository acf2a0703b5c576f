#include "data/formats/coco/coco_mask.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/read_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Polygons = std::vector<std::vector<double>>;

nlohmann::json Golden(const char* list) {
  return nlohmann::json::parse(*ReadFile("data/formats/coco/testdata/golden_masks.json"))[list];
}

// Rows of '0' and '1'.
std::vector<std::string> Rows(const CocoMask& mask) {
  std::vector<uint8_t> pixels(static_cast<size_t>(mask.height()) * mask.width(), '0');
  EXPECT_TRUE(mask.Paint('1', absl::MakeSpan(pixels)).ok());
  std::vector<std::string> rows;
  for (int y = 0; y < mask.height(); ++y) {
    const auto row = pixels.begin() + static_cast<ptrdiff_t>(y) * mask.width();
    rows.emplace_back(row, row + mask.width());
  }
  return rows;
}

std::string ErrorOf(const absl::StatusOr<CocoMask>& mask) {
  EXPECT_EQ(mask.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(mask.status().message());
}

TEST(CocoMaskTest, PolygonsArePycocotools) {
  int compared = 0;
  for (const auto& golden : Golden("polygons")) {
    const auto mask = CocoMask::FromPolygons(golden["polygons"].get<Polygons>(), golden["height"],
                                             golden["width"]);
    ASSERT_TRUE(mask.ok()) << mask.status() << golden;
    EXPECT_EQ(mask->ToString(), golden["text"]) << golden;
    EXPECT_EQ(mask->area(), golden["area"]) << golden;
    const auto again = CocoMask::FromString(mask->ToString(), mask->height(), mask->width());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, *mask);
    ++compared;
  }
  EXPECT_EQ(compared, 112);
}

TEST(CocoMaskTest, RunsArePycocotools) {
  int compared = 0;
  for (const auto& golden : Golden("runs")) {
    const int height = golden["height"], width = golden["width"];
    const auto counts = golden["counts"].get<std::vector<int64_t>>();
    const auto mask = CocoMask::FromCounts(counts, height, width);
    ASSERT_TRUE(mask.ok()) << mask.status() << golden;
    EXPECT_EQ(mask->ToString(), golden["text"]) << golden;
    EXPECT_EQ(mask->area(), golden["area"]) << golden;
    EXPECT_EQ(Rows(*mask), golden["rows"].get<std::vector<std::string>>()) << golden;
    const auto again = CocoMask::FromString(golden["text"].get<std::string>(), height, width);
    ASSERT_TRUE(again.ok()) << again.status() << golden;
    EXPECT_EQ(*again, *mask);
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

TEST(CocoMaskTest, PaintsRowsAndLeavesTheRest) {
  const auto mask = CocoMask::FromPolygons(Polygons{{1, 0, 3, 0, 3, 2, 1, 2}}, 3, 4);
  ASSERT_TRUE(mask.ok()) << mask.status();
  EXPECT_THAT(mask->counts(), ElementsAre(3, 2, 1, 2, 4));
  EXPECT_THAT(Rows(*mask), ElementsAre("0110", "0110", "0000"));
}

TEST(CocoMaskTest, AnImageOfAnotherSizeIsAnError) {
  const auto mask = CocoMask::FromCounts(std::vector<int64_t>{0, 6}, 2, 3);
  ASSERT_TRUE(mask.ok()) << mask.status();
  for (const size_t size : {0, 5, 7}) {
    std::vector<uint8_t> pixels(size, 9);
    EXPECT_FALSE(mask->Paint(1, absl::MakeSpan(pixels)).ok());
    EXPECT_EQ(pixels, std::vector<uint8_t>(size, 9));
  }
}

TEST(CocoMaskTest, PolygonsThatAreNoneAreErrors) {
  const auto error = [](const std::vector<double>& polygon) {
    return ErrorOf(CocoMask::FromPolygons(Polygons{{0, 0, 4, 0, 4, 4}, polygon}, 5, 7));
  };
  EXPECT_THAT(error({}), HasSubstr("0 numbers"));
  EXPECT_THAT(error({1, 1, 3, 3}), HasSubstr("4 numbers"));  // pycocotools: a box
  EXPECT_THAT(error({0, 0, 4, 0, 4, 4, 2}), HasSubstr("7 numbers"));
  EXPECT_THAT(error({0, 0, 4, 0, 4, std::nan("")}), HasSubstr("nan"));
  EXPECT_THAT(error({0, 0, 4, 0, 4, std::numeric_limits<double>::infinity()}), HasSubstr("inf"));
  EXPECT_THAT(error({0, 0, 4, 0, -1.1e6, 4}), HasSubstr("-1.1e+06"));
  EXPECT_THAT(error({0, 0, 4, 0, 1e300, 4}), HasSubstr("1e+300"));
  EXPECT_THAT(ErrorOf(CocoMask::FromPolygons(Polygons{}, 5, 7)), HasSubstr("no polygon"));
}

TEST(CocoMaskTest, SizesThatAreNoneAreErrors) {
  const Polygons polygons = {{0, 0, 4, 0, 4, 4}};
  const std::vector<std::pair<int, int>> sizes = {
      {0, 5}, {5, 0}, {-1, 5}, {-2, -3}, {1 << 15, 1 << 14}, {2147483647, 2147483647}};
  for (const auto& [height, width] : sizes) {
    EXPECT_THAT(ErrorOf(CocoMask::FromPolygons(polygons, height, width)), HasSubstr("a mask of"));
    EXPECT_THAT(ErrorOf(CocoMask::FromCounts({}, height, width)), HasSubstr("a mask of"));
    EXPECT_THAT(ErrorOf(CocoMask::FromString("", height, width)), HasSubstr("a mask of"));
  }
}

TEST(CocoMaskTest, CountsThatAreNoneAreErrors) {
  const auto error = [](const std::vector<int64_t>& counts) {
    return ErrorOf(CocoMask::FromCounts(counts, 2, 3));
  };
  EXPECT_THAT(error({}), HasSubstr("the runs have 0 pixels, expected 3x2 = 6"));
  EXPECT_THAT(error({5}), HasSubstr("the runs have 5 pixels"));
  EXPECT_THAT(error({5, 2}), HasSubstr("run 1 has length 2 where 1 of 3x2 pixels are left"));
  EXPECT_THAT(error({7, -1}), HasSubstr("run 0 has length 7"));
  EXPECT_THAT(error({6, -1, 1}), HasSubstr("run 1 has length -1"));
  EXPECT_THAT(error({1, INT64_MAX, INT64_MAX}), HasSubstr("run 1 has length 9223372036854775807"));
}

TEST(CocoMaskTest, TextThatIsNoneIsAnError) {
  const auto error = [](absl::string_view text) {
    return ErrorOf(CocoMask::FromString(text, 2, 3));
  };
  EXPECT_THAT(error(""), HasSubstr("the runs have 0 pixels"));
  EXPECT_THAT(error("5"), HasSubstr("the runs have 5 pixels"));
  EXPECT_THAT(error("7"), HasSubstr("run 0 has length 7"));
  EXPECT_THAT(error("O"), HasSubstr("run 0 has length -1"));
  EXPECT_THAT(error("6P"), HasSubstr("character 2: the text ends within a number"));
  EXPECT_THAT(error("1 "), HasSubstr("character 1: expected a character"));
  EXPECT_THAT(error("1\xff"), HasSubstr("character 1: expected a character"));
  EXPECT_THAT(error("1p"), HasSubstr("character 1: expected a character"));
  EXPECT_THAT(error("ooooooo0"), HasSubstr("more than 6 digits"));
  // 2^28 pixels, then as many more by differences.
  EXPECT_THAT(error("PPPPP80000"), HasSubstr("run 0 has length 268435456"));
}

}  // namespace
}  // namespace tessera
