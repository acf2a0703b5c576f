#include "data/formats/coco/coco_labels.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "data/formats/coco/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::string_view kImages = R"({"id": 5, "file_name": "a", "height": 4, "width": 6})";
constexpr absl::string_view kCategories = R"({"id": 7, "name": "car"}, {"id": 2, "name": "cat"})";

// A rectangle of whole pixels.
std::string Box(int id, int category, int left, int top, int right, int bottom, int crowd = 0) {
  return absl::StrCat(R"({"id": )", id, R"(, "image_id": 5, "category_id": )", category,
                      R"(, "iscrowd": )", crowd, R"(, "segmentation": [[)", left, ",", top, ",",
                      right, ",", top, ",", right, ",", bottom, ",", left, ",", bottom, "]]}");
}

CocoAnnotations Load(absl::string_view text) {
  absl::StatusOr<CocoAnnotations> annotations = LoadText(text);
  EXPECT_TRUE(annotations.ok()) << annotations.status();
  return *std::move(annotations);
}

// Rows of the mask of the only image; 9 stands for kCocoIgnore.
std::vector<std::string> MaskOf(absl::string_view annotations) {
  Image mask;
  const absl::Status status =
      MakeCocoMask(Load(CocoJson(kImages, kCategories, annotations)), 0, {}, &mask);
  EXPECT_TRUE(status.ok()) << status;
  std::vector<std::string> rows(mask.height);
  for (int y = 0; y < mask.height; ++y) {
    for (int x = 0; x < mask.width; ++x) {
      const uint8_t value = mask.row(y)[x];
      rows[y].push_back(static_cast<char>('0' + (value == kCocoIgnore ? 9 : value)));
    }
  }
  return rows;
}

TEST(CocoLabelsTest, MasksAndBoxesArePythons) {
  const CocoAnnotations annotations =
      Load(*ReadFile("data/formats/coco/testdata/instances_small.json"));
  const auto golden =
      nlohmann::json::parse(*ReadFile("data/formats/coco/testdata/golden_labels.json"))["images"];
  ASSERT_EQ(golden.size(), annotations.images().size());
  Image mask;
  for (size_t i = 0; i < golden.size(); ++i) {
    ASSERT_EQ(annotations.images()[i].id, golden[i]["id"]);
    const CocoSize picture = {golden[i]["height"], golden[i]["width"]};
    const absl::Status status = MakeCocoMask(annotations, i, picture, &mask);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(mask.height, picture.height);
    EXPECT_EQ(mask.width, picture.width);
    EXPECT_EQ(mask.channels, 1);
    std::vector<uint8_t> expected;
    for (const auto& row : golden[i]["mask"]) {
      for (const auto& value : row) expected.push_back(value);
    }
    EXPECT_EQ(mask.pixels, expected) << "image " << golden[i]["id"];

    const auto boxes = MakeCocoBoxes(annotations, i, picture);
    ASSERT_TRUE(boxes.ok()) << boxes.status();
    EXPECT_EQ(boxes->sizes, golden[i]["sizes"].get<std::vector<float>>());
    EXPECT_EQ(boxes->labels, golden[i]["labels"].get<std::vector<int64_t>>());
  }
}

TEST(CocoLabelsTest, SmallerInstancesAreOnTop) {
  const std::string large = Box(1, 7, 0, 0, 5, 3), small = Box(2, 2, 1, 1, 3, 2);
  const auto expected = ElementsAre("222220", "211220", "222220", "000000");
  EXPECT_THAT(MaskOf(large + "," + small), expected);
  EXPECT_THAT(MaskOf(small + "," + large), expected);
}

TEST(CocoLabelsTest, OfEqualAreasTheLaterIsOnTop) {
  const std::string a = Box(1, 7, 0, 0, 2, 1), b = Box(2, 2, 1, 0, 3, 1);
  EXPECT_THAT(MaskOf(a + "," + b), ElementsAre("211000", "000000", "000000", "000000"));
  EXPECT_THAT(MaskOf(b + "," + a), ElementsAre("221000", "000000", "000000", "000000"));
}

TEST(CocoLabelsTest, CrowdsAreIgnoredWhateverElseIsThere) {
  const std::string crowd = Box(1, 7, 0, 0, 4, 4, 1), small = Box(2, 2, 3, 1, 5, 2);
  const auto expected = ElementsAre("999900", "999910", "999900", "999900");
  EXPECT_THAT(MaskOf(crowd + "," + small), expected);
  EXPECT_THAT(MaskOf(small + "," + crowd), expected);
}

TEST(CocoLabelsTest, NoAnnotationIsBackground) {
  EXPECT_THAT(MaskOf(""), ElementsAre("000000", "000000", "000000", "000000"));
}

TEST(CocoLabelsTest, SizeComesFromTheFileOrThePicture) {
  const CocoImage known = {.id = 41, .height = 4, .width = 6}, unknown = {.id = 42};
  EXPECT_EQ(FindCocoSize(known, {})->height, 4);
  EXPECT_EQ(FindCocoSize(known, {4, 6})->width, 6);
  EXPECT_EQ(FindCocoSize(unknown, {8, 9})->height, 8);
  EXPECT_THAT(std::string(FindCocoSize(unknown, {}).status().message()),
              HasSubstr("the size of image 42 is not known"));
  EXPECT_THAT(std::string(FindCocoSize(known, {6, 4}).status().message()),
              HasSubstr("image 41 is 6x4 pixels in the annotations, its picture is 4x6"));
}

TEST(CocoLabelsTest, AnUnknownSizeIsAnError) {
  const CocoAnnotations annotations =
      Load(CocoJson(R"({"id": 5, "file_name": "a", "width": -1})", kCategories, ""));
  Image mask;
  EXPECT_THAT(std::string(MakeCocoMask(annotations, 0, {}, &mask).message()),
              HasSubstr("the size of image 5 is not known"));
  EXPECT_THAT(std::string(MakeCocoBoxes(annotations, 0, {}).status().message()),
              HasSubstr("the size of image 5 is not known"));
}

TEST(CocoLabelsTest, RunsOfAnotherSizeAreAnError) {
  const CocoAnnotations annotations = Load(CocoJson(kImages, kCategories,
                                                    R"({"id": 3, "image_id": 5, "category_id": 7,
                        "segmentation": {"size": [6, 4], "counts": [24]}})"));
  Image mask;
  EXPECT_THAT(std::string(MakeCocoMask(annotations, 0, {}, &mask).message()),
              HasSubstr("annotation 3: its runs are of 4x6 pixels, the image has 6x4"));
}

TEST(CocoLabelsTest, MasksHoldAtMost254Classes) {
  std::string categories;
  Image mask;
  for (int id = 1; id <= 255; ++id) {
    absl::StrAppend(&categories, id == 1 ? "" : ",", R"({"name": "c", "id": )", id, "}");
    if (id < 254) continue;
    const CocoAnnotations annotations = Load(CocoJson(kImages, categories, Box(1, id, 0, 0, 1, 1)));
    const absl::Status status = MakeCocoMask(annotations, 0, {}, &mask);
    EXPECT_EQ(status.ok(), id == 254) << status;
    EXPECT_EQ(mask.pixels[0], 254);
    EXPECT_EQ(MakeCocoBoxes(annotations, 0, {}).ok(), true);
  }
}

}  // namespace
}  // namespace tessera
