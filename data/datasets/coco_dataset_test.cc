#include "data/datasets/coco_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/write_file.h"
#include "data/image/decode.h"
#include "data/image/encode.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CocoDatasetTest : public ::testing::Test {
 protected:
  CocoDatasetTest()
      : root_(std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    config_.set_root(root_.string());
  }

  void Write(const std::string& name, const std::string& contents) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    ASSERT_TRUE(WriteFile((root_ / name).string(), contents).ok());
  }

  static std::string Jpeg(int height, int width) {
    Image image;
    image.Resize(height, width, 3);
    return EncodeJpeg(image, 90).value();
  }

  const std::filesystem::path root_;
  CocoConfig config_;
};

// One image with a square of category 13, one without annotations, whose size the file lacks.
constexpr char kAnnotations[] = R"({
  "categories": [{"id": 90, "name": "brush"}, {"id": 13, "name": "sign"}],
  "images": [{"id": 2, "file_name": "2.jpg", "height": 6, "width": 8},
             {"id": 5, "file_name": "5.jpg", "width": -1}],
  "annotations": [{"id": 1, "image_id": 2, "category_id": 13, "bbox": [2, 1, 3, 4],
                   "segmentation": [[2, 1, 5, 1, 5, 5, 2, 5]]}]})";

TEST_F(CocoDatasetTest, DrawsMasksAndKeepsImagesWithoutAnnotations) {
  Write("annotations/instances_train2017.json", kAnnotations);
  Write("train2017/2.jpg", Jpeg(6, 8));
  Write("train2017/5.jpg", Jpeg(3, 4));
  const auto dataset = OpenCocoDataset(config_, /*train=*/true);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  ASSERT_EQ((*dataset)->size(), 2);
  EXPECT_THAT((*dataset)->class_names(), ElementsAre("sign", "brush"));
  Image mask;
  const Sample first = *(*dataset)->Get(0);
  EXPECT_EQ(first.name, "2");
  ASSERT_TRUE(DecodeMask(first.mask, &mask).ok());
  ASSERT_EQ(mask.height, 6);
  ASSERT_EQ(mask.width, 8);
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 8; ++x) {
      EXPECT_EQ(mask.row(y)[x], y >= 1 && y < 5 && x >= 2 && x < 5 ? 1 : 0) << y << " " << x;
    }
  }
  ASSERT_TRUE(DecodeMask((*dataset)->Get(1)->mask, &mask).ok());
  EXPECT_EQ(mask.height, 3);
  EXPECT_EQ(mask.width, 4);
  EXPECT_THAT(mask.pixels, ::testing::Each(0));
}

TEST_F(CocoDatasetTest, SaysWhatIsMissing) {
  EXPECT_THAT(std::string(OpenCocoDataset(config_, false).status().message()),
              HasSubstr("annotations/instances_val2017.json"));
  Write("annotations/instances_val2017.json", kAnnotations);
  Write("val2017/5.jpg", "not a picture");
  const auto dataset = OpenCocoDataset(config_, false).value();
  EXPECT_THAT(std::string(dataset->Get(0).status().message()), HasSubstr("val2017/2.jpg"));
  EXPECT_THAT(std::string(dataset->Get(1).status().message()), HasSubstr("image 5"));
}

}  // namespace
}  // namespace tessera
