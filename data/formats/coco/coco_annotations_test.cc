#include "data/formats/coco/coco_annotations.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "data/formats/coco/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::string_view kImage = R"({"id": 5, "file_name": "a.jpg", "height": 5, "width": 7})";
constexpr absl::string_view kCategory = R"({"id": 3, "name": "car"})";

// Of the image and category above, and the text of more keys.
std::string Annotation(absl::string_view keys) {
  return absl::StrCat(R"({"image_id": 5, "category_id": 3, )", keys, R"(, "id": 17})");
}

absl::StatusOr<CocoAnnotations> LoadOne(absl::string_view keys) {
  return LoadText(CocoJson(kImage, kCategory, Annotation(keys)));
}

std::string ErrorOf(const absl::StatusOr<CocoAnnotations>& annotations) {
  EXPECT_EQ(annotations.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(annotations.status().message());
}

std::string ErrorOfOne(absl::string_view keys) { return ErrorOf(LoadOne(keys)); }

TEST(CocoAnnotationsTest, LoadsAFile) {
  const auto loaded = CocoAnnotations::Load("data/formats/coco/testdata/instances_small.json");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->categories().size(), 3);
  EXPECT_EQ(loaded->categories()[0].name, "car");
  EXPECT_EQ(loaded->categories()[1].id, 44);
  EXPECT_EQ(loaded->categories()[2].name, "toothbrush");

  ASSERT_EQ(loaded->images().size(), 3);
  EXPECT_EQ(loaded->images()[0].file_name, "a/\xc3\xa9.jpg");
  EXPECT_EQ(loaded->images()[0].height, 0);
  EXPECT_EQ(loaded->images()[0].width, 0);
  EXPECT_EQ(loaded->images()[1].id, 13);
  EXPECT_TRUE(loaded->annotations(1).empty());
  EXPECT_EQ(loaded->images()[2].id, 700);
  EXPECT_EQ(loaded->images()[2].height, 24);
  EXPECT_EQ(loaded->images()[2].width, 32);

  std::vector<int64_t> ids;
  for (const CocoAnnotation& annotation : loaded->annotations()) ids.push_back(annotation.id);
  EXPECT_THAT(ids, ElementsAre(30, 29, 31, 32, 33, 34, 35));
  EXPECT_EQ(loaded->omissions().no_segmentation, 1);
  EXPECT_EQ(loaded->omissions().no_box, 2);

  const CocoAnnotation& crowd = loaded->annotations(2)[2];
  EXPECT_EQ(crowd.image, 2);
  EXPECT_EQ(crowd.category, 0);
  EXPECT_TRUE(crowd.is_crowd);
  EXPECT_TRUE(crowd.has_box);
  EXPECT_THAT(crowd.box, ElementsAre(10, 0, 3, 10));
  EXPECT_THAT(loaded->Segmentation(crowd).runs->counts(),
              ElementsAre(240, 10, 14, 10, 14, 10, 470));
  EXPECT_THAT(loaded->Segmentation(loaded->annotations(0)[1]).runs->counts(),
              ElementsAre(6, 3, 2, 3, 2, 3, 16));
  EXPECT_THAT(loaded->Segmentation(loaded->annotations(2)[1]).polygons,
              ElementsAre(ElementsAre(4.0, 5.0, 12.0, 5.0, 8.0, 17.37),
                          ElementsAre(15.1, 6.2, 26.9, 6.2, 26.9, 9.7, 15.1, 9.7)));
  EXPECT_TRUE(loaded->Segmentation(loaded->annotations(2)[3]).empty());
}

// COCO has 80 categories with ids from 1 to 90.
std::string CocoCategories() {
  const std::set<int> absent = {12, 26, 29, 30, 45, 66, 68, 69, 71, 83};
  std::string categories;
  for (int id = 90; id >= 1; --id) {
    if (absent.count(id) > 0) continue;
    absl::StrAppend(&categories, categories.empty() ? "" : ",", "{\"id\":", id, ",\"name\":\"c", id,
                    "\"}");
  }
  return categories;
}

std::string OfCategory(int id) {
  return absl::StrCat(R"({"id": )", 1000 + id, R"(, "image_id": 5, "category_id": )", id, "}");
}

TEST(CocoAnnotationsTest, LabelsOfCocoAreContiguous) {
  std::string annotations = OfCategory(1);
  for (const int id : {11, 13, 27, 44, 46, 90}) {
    absl::StrAppend(&annotations, ",", OfCategory(id));
  }
  const auto loaded = LoadText(CocoJson(kImage, CocoCategories(), annotations));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->categories().size(), 80);
  EXPECT_EQ(loaded->categories()[79].name, "c90");
  std::vector<int> labels;
  for (const CocoAnnotation& annotation : loaded->annotations()) {
    labels.push_back(annotation.category);
  }
  EXPECT_THAT(labels, ElementsAre(0, 10, 11, 24, 39, 40, 79));

  EXPECT_THAT(ErrorOf(LoadText(CocoJson(kImage, CocoCategories(), OfCategory(12)))),
              HasSubstr("annotations.json: annotation 1012 is of category 12, which is not"));
}

TEST(CocoAnnotationsTest, WhatIsMissingHasItsMeaning) {
  const auto loaded = LoadText(CocoJson(
      R"({"id": 1, "file_name": "1"}, {"id": 2, "file_name": "2", "height": 9, "width": -1},
         {"id": 3, "file_name": "3", "height": null, "width": 9},
         {"id": 5, "file_name": "5", "height": 9.0, "width": 8})",
      kCategory,
      absl::StrCat(Annotation(R"("segmentation": [])"), ",",
                   Annotation(R"("segmentation": [[]], "bbox": null, "iscrowd": null)"), ",",
                   Annotation(R"("segmentation": null, "bbox": [], "iscrowd": true)"), ",",
                   Annotation(R"("bbox": [1, 2, 3, 4.5], "area": [[{}]], "x": {"bbox": [1]})"))));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  for (const size_t image : {0, 1, 2}) {
    EXPECT_EQ(loaded->images()[image].height, 0);
    EXPECT_EQ(loaded->images()[image].width, 0);
    EXPECT_TRUE(loaded->annotations(image).empty());
  }
  EXPECT_EQ(loaded->images()[3].height, 9);
  EXPECT_EQ(loaded->omissions().no_segmentation, 4);
  EXPECT_EQ(loaded->omissions().no_box, 3);
  ASSERT_EQ(loaded->annotations(3).size(), 4);
  EXPECT_FALSE(loaded->annotations(3)[0].is_crowd);
  EXPECT_FALSE(loaded->annotations(3)[1].is_crowd);
  EXPECT_TRUE(loaded->annotations(3)[2].is_crowd);
  EXPECT_THAT(loaded->annotations(3)[3].box, ElementsAre(1, 2, 3, 4.5));
}

TEST(CocoAnnotationsTest, EmptyListsAreAFile) {
  const auto loaded = LoadText(CocoJson("", "", ""));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(loaded->images().empty());
  EXPECT_TRUE(loaded->annotations().empty());
}

TEST(CocoAnnotationsTest, IdsMustFit) {
  const std::string image(kImage), category(kCategory), other = R"({"id": 6, "file_name": "b"})";
  EXPECT_THAT(ErrorOf(LoadText(CocoJson(image + "," + other + "," + image, category, ""))),
              HasSubstr("annotations.json: two of its images have the id 5"));
  EXPECT_THAT(ErrorOf(LoadText(CocoJson(image, category + "," + category, ""))),
              HasSubstr("two of its categories have the id 3"));
  EXPECT_THAT(ErrorOf(LoadText(CocoJson(other, category, Annotation(R"("bbox": [])")))),
              HasSubstr("annotation 17 is of image 5, which is not among the images"));
}

TEST(CocoAnnotationsTest, ErrorsNameTheObject) {
  const auto image = [](absl::string_view text) {
    return ErrorOf(LoadText(CocoJson(text, kCategory, "")));
  };
  EXPECT_THAT(image(R"({"file_name": "a"})"), HasSubstr("image number 0 has no id"));
  EXPECT_THAT(image(R"({"id": 8})"), HasSubstr("image 8 has no file_name"));
  EXPECT_THAT(image(R"({"id": "8", "file_name": "a"})"),
              HasSubstr("image number 0: its id is not an integer"));
  EXPECT_THAT(image(R"({"file_name": 5, "id": 8})"), HasSubstr("image 8: its file_name is not a"));
  EXPECT_THAT(image(R"({"id": 8, "file_name": "a", "width": "7"})"),
              HasSubstr("image 8: its width is not an integer"));
  EXPECT_THAT(image(R"({"id": 8, "file_name": "a", "width": 7.5})"),
              HasSubstr("image 8: its width"));
  EXPECT_THAT(
      image(R"({"id": 8, "file_name": "a", "width": 9223372036854775807, "height": 4294967296})"),
      HasSubstr("image 8 has 9223372036854775807x4294967296 pixels"));
  EXPECT_THAT(image("5"), HasSubstr("images holds something else than objects"));
  EXPECT_THAT(image("[]"), HasSubstr("images holds something else than objects"));
  EXPECT_THAT(ErrorOf(LoadText(CocoJson(kImage, R"({"id": 1})", ""))),
              HasSubstr("category 1 has no name"));

  const auto annotation = [](absl::string_view text) {
    return ErrorOf(LoadText(CocoJson(kImage, kCategory, text)));
  };
  EXPECT_THAT(annotation(R"({"image_id": 5, "category_id": 3})"),
              HasSubstr("annotation number 0: it has no id"));
  EXPECT_THAT(annotation(R"({"id": 4, "category_id": 3})"),
              HasSubstr("annotation 4: it has no image_id"));
  EXPECT_THAT(annotation(R"({"id": 4, "image_id": 5})"),
              HasSubstr("annotation 4: it has no category_id"));
  EXPECT_THAT(annotation(R"({"id": 4, "image_id": 18446744073709551615, "category_id": 3})"),
              HasSubstr("annotation 4: its image_id is not an integer"));
}

TEST(CocoAnnotationsTest, BadValuesAreErrors) {
  EXPECT_THAT(ErrorOfOne(R"("bbox": [1, 2, 3])"),
              HasSubstr("annotation 17: its bbox has 3 numbers"));
  EXPECT_THAT(ErrorOfOne(R"("bbox": [1, 2, 3, 1e200])"),
              HasSubstr("its bbox has the number 1e+200"));
  EXPECT_THAT(ErrorOfOne(R"("bbox": [1, 2, "3", 4])"), HasSubstr("not only numbers"));
  EXPECT_THAT(ErrorOfOne(R"("bbox": {"x": 1})"), HasSubstr("its bbox is not a list"));
  EXPECT_THAT(ErrorOfOne(R"("bbox": 4)"), HasSubstr("its bbox is not a list"));
  EXPECT_THAT(ErrorOfOne(R"("bbox": [[1, 2, 3, 4]])"), HasSubstr("a list too deep"));
  EXPECT_THAT(ErrorOfOne(R"("iscrowd": 2)"), HasSubstr("its iscrowd is neither 0 nor 1"));
  EXPECT_THAT(ErrorOfOne(R"("iscrowd": "1")"), HasSubstr("its iscrowd is neither 0 nor 1"));

  EXPECT_THAT(ErrorOfOne(R"("segmentation": "x")"), HasSubstr("neither a list nor an object"));
  EXPECT_THAT(ErrorOfOne(R"("segmentation": [1, 2, 3, 4, 5, 6])"), HasSubstr("lists themselves"));
  EXPECT_THAT(ErrorOfOne(R"("segmentation": [{"counts": []}])"), HasSubstr("an object within"));
  EXPECT_THAT(ErrorOfOne(R"("segmentation": [[[1, 2, 3, 4, 5, 6]]])"), HasSubstr("too deep"));
  EXPECT_THAT(ErrorOfOne(R"("segmentation": [[1, 2, 3, 4]])"), HasSubstr("a polygon of 4 numbers"));
  EXPECT_THAT(ErrorOfOne(R"("segmentation": [[1, 2, 3, 4, 5, 6], []])"), HasSubstr("of 0 numbers"));
  EXPECT_THAT(ErrorOfOne(R"("segmentation": [[1, 2, 3, 4, 5, null]])"),
              HasSubstr("not only numbers"));
  EXPECT_THAT(ErrorOfOne(R"("segmentation": [[1, 2, 3, 4, 5, 1e7]])"),
              HasSubstr("a polygon with the coordinate 1e+07"));
}

TEST(CocoAnnotationsTest, BadRunsAreErrors) {
  const auto error = [](absl::string_view runs) {
    return ErrorOfOne(absl::StrCat("\"segmentation\": {", runs, "}"));
  };
  EXPECT_THAT(error(""), HasSubstr("annotation 17: expected runs with size"));
  EXPECT_THAT(error(R"("counts": [35])"), HasSubstr("expected runs with size"));
  EXPECT_THAT(error(R"("size": [5, 7])"), HasSubstr("expected runs with size"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": 35)"), HasSubstr("expected runs with size"));
  EXPECT_THAT(error(R"("size": [5], "counts": [5])"), HasSubstr("expected runs with size"));
  EXPECT_THAT(error(R"("size": [0, 7], "counts": [0])"), HasSubstr("runs of 7x0 pixels"));
  EXPECT_THAT(error(R"("size": [5, 4294967303], "counts": [35])"),
              HasSubstr("runs of 4294967303x5 pixels"));
  EXPECT_THAT(error(R"("size": [65536, 65536], "counts": [4294967296])"),
              HasSubstr("a mask of 65536x65536"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": [30])"), HasSubstr("the runs have 30 pixels"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": [36])"), HasSubstr("run 0 has length 36"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": [36, -1])"), HasSubstr("run 0 has length 36"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": [34.5])"), HasSubstr("not only integers"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": [[35]])"), HasSubstr("too deep"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": "!")"), HasSubstr("character 0"));
  EXPECT_THAT(error(R"("size": [5, 7], "counts": "")"), HasSubstr("the runs have 0 pixels"));
}

TEST(CocoAnnotationsTest, OtherFilesAreErrors) {
  EXPECT_THAT(ErrorOf(LoadText("[]")), HasSubstr("expected an object with the lists images,"));
  EXPECT_THAT(ErrorOf(LoadText("17")), HasSubstr("expected an object with the lists images,"));
  EXPECT_THAT(ErrorOf(LoadText(R"({"images": [], "annotations": []})")),
              HasSubstr("expected an object with the lists images, annotations and categories"));
  EXPECT_THAT(ErrorOf(LoadText(R"({"images": [], "annotations": 5, "categories": []})")),
              HasSubstr("expected an object with the lists"));

  const auto none = CocoAnnotations::Load(testing::TempDir() + "none.json");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.status().message()),
              AllOf(HasSubstr("none.json"), HasSubstr("No such file")));
  const auto folder = CocoAnnotations::Load(testing::TempDir());
  EXPECT_EQ(folder.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(folder.status().message()), HasSubstr("directory"));
}

TEST(CocoAnnotationsTest, MalformedTextIsAnErrorWithItsByte) {
  const auto error = [](absl::string_view text) {
    const absl::Status status = LoadText(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << text;
    return std::string(status.message());
  };
  EXPECT_THAT(error(""), HasSubstr("annotations.json: not JSON at byte 0"));
  EXPECT_THAT(error(R"({"images": [}])"), HasSubstr("at byte 12"));
  EXPECT_THAT(error(R"({"images": [],)"), HasSubstr("at byte 14"));
  EXPECT_THAT(error(R"({"info": NaN})"), HasSubstr("at byte 9"));
  EXPECT_THAT(error(std::string(300'000, ' ') + "x"), HasSubstr("at byte 300000"));
  EXPECT_THAT(error(CocoJson("", "", "") + "}"), HasSubstr("at byte"));
  EXPECT_THAT(error(R"({"info": 1e999})"), HasSubstr("at byte"));
  // Depth costs no stack.
  EXPECT_THAT(error(R"({"info": )" + std::string(1'000'000, '[')), HasSubstr("at byte 1000009"));
}

TEST(CocoAnnotationsTest, EveryCutIsAnError) {
  std::string text = *ReadFile("data/formats/coco/testdata/instances_small.json");
  while (text.back() != '}') text.pop_back();
  while (!text.empty()) {
    text.pop_back();
    EXPECT_EQ(LoadText(text).status().code(), absl::StatusCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace tessera
