#include "data/detect_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/write_file.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_writer.h"
#include "data/formats/webdataset/web_writer.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

class DetectSetTest : public ::testing::Test {
 protected:
  DetectSetTest()
      : root_(std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(root_);
  }

  void Write(const std::string& name) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    ASSERT_TRUE(WriteFile((root_ / name).string(), "x").ok());
  }

  // One sample of these columns.
  void WriteMds(const std::string& folder, const std::string& label_encoding,
                const std::string& label) const {
    const std::string path = (root_ / folder).string();
    std::filesystem::create_directories(path);
    MdsWriter writer = MdsWriter::Create(path, {MakeMdsColumn("x", "jpeg").value(),
                                                MakeMdsColumn("y", label_encoding).value()})
                           .value();
    ASSERT_TRUE(writer.Write({"image", label}).ok());
    ASSERT_TRUE(writer.Finish().ok());
  }

  DataConfig Detect() const {
    const absl::StatusOr<DataConfig> config = DetectSet(root_.string());
    EXPECT_TRUE(config.ok()) << config.status();
    return config.value_or(DataConfig());
  }

  const std::filesystem::path root_;
};

TEST_F(DetectSetTest, KnowsImagesWithMasks) {
  Write("images/train/a.jpg");
  Write("annotations/train/a.png");
  Write("images/validation/a.jpg");
  Write("annotations/validation/a.png");
  const DataConfig config = Detect();
  EXPECT_EQ(config.folder().root(), root_.string());
  EXPECT_EQ(config.folder().train_split(), "train");
  EXPECT_EQ(config.folder().eval_split(), "validation");
}

TEST_F(DetectSetTest, KnowsFoldersOfClasses) {
  Write("train/cat/a.jpg");
  Write("test/cat/a.jpg");
  const DataConfig config = Detect();
  EXPECT_EQ(config.class_folders().train_split(), "train");
  EXPECT_EQ(config.class_folders().eval_split(), "test");
}

TEST_F(DetectSetTest, KnowsTheFilesOfCifarMnistAndCoco) {
  Write("a/cifar-100-binary/test.bin");
  Write("b/t10k-images.idx3-ubyte.gz");
  Write("c/annotations/instances_val2017.json");
  EXPECT_TRUE(DetectSet((root_ / "a").string())->has_cifar());
  EXPECT_TRUE(DetectSet((root_ / "b").string())->has_mnist());
  EXPECT_TRUE(DetectSet((root_ / "c").string())->has_coco());
}

TEST_F(DetectSetTest, KnowsMdsWithItsSplitsAndColumns) {
  WriteMds("train", "int", EncodeMdsInt(3));
  const DataConfig config = Detect();
  EXPECT_EQ(config.streaming().local(), root_.string());
  EXPECT_EQ(config.streaming().format(), StreamingConfig::MDS);
  EXPECT_EQ(config.streaming().train_split(), "train");
  EXPECT_EQ(config.streaming().label_column(), "y");
  EXPECT_FALSE(config.streaming().has_name_column());
}

TEST_F(DetectSetTest, KnowsMdsWithoutSplits) {
  WriteMds(".", "png", "mask");
  const DataConfig config = Detect();
  EXPECT_EQ(config.streaming().train_split(), "");
  EXPECT_EQ(config.streaming().eval_split(), "");
  EXPECT_EQ(config.streaming().mask_column(), "y");
  EXPECT_EQ(config.streaming().label_column(), "");
}

TEST_F(DetectSetTest, KnowsTarsWithoutAnIndex) {
  const std::string path = (root_ / "val").string();
  std::filesystem::create_directories(path);
  WebDatasetWriter writer = WebDatasetWriter::Create(path, {.sample_limit = 1}).value();
  for (const char* const key : {"a", "b"}) {
    const TarField fields[] = {{"jpg", "image"}, {"cls", "3"}};
    ASSERT_TRUE(writer.Write(key, fields).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  const DataConfig config = Detect();
  EXPECT_EQ(config.streaming().format(), StreamingConfig::WEBDATASET);
  EXPECT_EQ(config.streaming().shards(), "shard-000000.tar::shard-000001.tar");
  EXPECT_EQ(config.streaming().eval_split(), "val");
  EXPECT_EQ(config.streaming().image_column(), "jpg");
  EXPECT_EQ(config.streaming().label_column(), "cls");
  EXPECT_EQ(config.streaming().name_column(), "__key__");
}

TEST_F(DetectSetTest, SaysWhatItLookedFor) {
  Write("notes.txt");
  EXPECT_THAT(std::string(DetectSet(root_.string()).status().message()),
              HasSubstr("holds no set that is known; looked for images/SPLIT"));
  EXPECT_THAT(std::string(DetectSet((root_ / "missing").string()).status().message()),
              HasSubstr("no folder"));
}

}  // namespace
}  // namespace tessera
