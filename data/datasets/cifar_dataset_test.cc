#include "data/datasets/cifar_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/write_file.h"
#include "data/image/decode.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CifarDatasetTest : public ::testing::Test {
 protected:
  CifarDatasetTest()
      : root_(std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    config_.set_root(root_.string());
  }

  void Write(const std::string& name, const std::string& contents) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    ASSERT_TRUE(WriteFile((root_ / name).string(), contents).ok());
  }

  // A record whose labels are these bytes and whose planes are filled with 10, 20 and 30.
  static std::string Record(const std::string& labels) {
    return labels + std::string(1024, 10) + std::string(1024, 20) + std::string(1024, 30);
  }

  const std::filesystem::path root_;
  CifarConfig config_;
};

TEST_F(CifarDatasetTest, ReadsFiveFilesInOrder) {
  for (int i = 1; i <= 5; ++i) {
    Write("cifar-10-batches-bin/data_batch_" + std::to_string(i) + ".bin",
          Record(std::string(1, static_cast<char>(i))));
  }
  Write("cifar-10-batches-bin/test_batch.bin", Record("\x09"));
  Write("cifar-10-batches-bin/batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  const auto train = OpenCifarDataset(config_, true);
  ASSERT_TRUE(train.ok()) << train.status();
  ASSERT_EQ((*train)->size(), 5);
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ((*train)->Get(i)->label, i + 1);
  EXPECT_EQ((*train)->class_names()[9], "j");
  Image image;
  ASSERT_TRUE(DecodeRgb((*train)->Get(3)->image, &image).ok());
  EXPECT_EQ(image.height, 32);
  EXPECT_THAT(std::vector<int>(image.pixels.begin(), image.pixels.begin() + 3),
              ElementsAre(10, 20, 30));
  const auto test = OpenCifarDataset(config_, false);
  ASSERT_TRUE(test.ok()) << test.status();
  ASSERT_EQ((*test)->size(), 1);
  EXPECT_EQ((*test)->Get(0)->label, 9);
  EXPECT_EQ((*test)->Get(0)->name, "test_00000");
}

TEST_F(CifarDatasetTest, EveryFileMustBeThere) {
  for (int i = 1; i <= 4; ++i) {
    Write("data_batch_" + std::to_string(i) + ".bin", Record("\x01"));
  }
  EXPECT_THAT(std::string(OpenCifarDataset(config_, true).status().message()),
              HasSubstr("data_batch_5.bin"));
  EXPECT_THAT(std::string(OpenCifarDataset(config_, false).status().message()),
              HasSubstr("test_batch.bin"));
}

TEST_F(CifarDatasetTest, ReadsEitherLabelOfCifar100) {
  Write("train.bin", Record("\x07\x2A"));
  Write("test.bin", Record("\x13\x63"));
  EXPECT_EQ((*OpenCifarDataset(config_, true))->Get(0)->label, 42);
  config_.set_coarse_labels(true);
  EXPECT_EQ((*OpenCifarDataset(config_, true))->Get(0)->label, 7);
  EXPECT_EQ((*OpenCifarDataset(config_, false))->Get(0)->label, 19);
  EXPECT_TRUE((*OpenCifarDataset(config_, false))->class_names().empty());
}

TEST_F(CifarDatasetTest, SaysWhatIsWrong) {
  const auto message = [this] {
    return std::string(OpenCifarDataset(config_, true).status().message());
  };
  EXPECT_THAT(message(), HasSubstr("no binary version of CIFAR"));
  Write("cifar-10-batches-py/data_batch_1", "x");
  EXPECT_THAT(message(), HasSubstr("the Python version, which is there, is not read"));
  Write("train.bin", Record("\x07\x2A") + "x");
  EXPECT_THAT(message(), HasSubstr("train.bin has 3075 bytes"));
  Write("train.bin", Record("\x07\x2A"));
  Write("fine_label_names.txt", "apple\n");
  EXPECT_THAT(message(), HasSubstr("has 1 names of classes, expected 100"));
}

}  // namespace
}  // namespace tessera
