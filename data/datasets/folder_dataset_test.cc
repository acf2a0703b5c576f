#include "data/datasets/folder_dataset.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FolderDatasetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(std::getenv("TEST_TMPDIR")) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  void Write(const std::string& name, const std::string& contents = "x") const {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << contents;
  }

  FolderConfig Config(bool skip_unpaired = false) const {
    FolderConfig config;
    config.set_root(root_.string());
    config.set_skip_unpaired(skip_unpaired);
    return config;
  }

  std::filesystem::path root_;
};

TEST_F(FolderDatasetTest, PairsByNameNeverByPosition) {
  for (const char* name : {"a.jpg", "b.jpg", "c.jpg", "._a.jpg", "Thumbs.db"}) {
    Write(std::string("images/training/") + name, name);
  }
  for (const char* name : {"a.png", "c.png", "d.png"}) {
    Write(std::string("annotations/training/") + name, name);
  }
  const auto refused = OpenFolderDataset(Config(), "training");
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("1 images without a mask (b)"),
                    HasSubstr("1 masks without an image (d)"), HasSubstr("skip_unpaired")));

  const auto dataset = OpenFolderDataset(Config(/*skip_unpaired=*/true), "training");
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  ASSERT_EQ((*dataset)->size(), 2);
  for (const auto& [index, name] : {std::pair(0, "a"), std::pair(1, "c")}) {
    const Sample sample = *(*dataset)->Get(index);
    EXPECT_EQ(sample.name, name);
    EXPECT_EQ(sample.image.bytes, std::string(name) + ".jpg");
    EXPECT_EQ(sample.mask.bytes, std::string(name) + ".png");
  }
}

TEST_F(FolderDatasetTest, FoldersAndMaskSuffixCanBeNamed) {
  Write("train2017/a.jpg", "image");
  Write("stuff/train2017/a_labelTrainIds.png", "mask");
  Write("stuff/train2017/a.png", "another mask");
  FolderConfig config = Config();
  config.set_images_folder(".");
  config.set_masks_folder("stuff");
  config.set_mask_suffix("_labelTrainIds");
  const auto dataset = OpenFolderDataset(config, "train2017");
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  ASSERT_EQ((*dataset)->size(), 1);
  EXPECT_EQ((*dataset)->Get(0)->image.bytes, "image");
  EXPECT_EQ((*dataset)->Get(0)->mask.bytes, "mask");
}

TEST_F(FolderDatasetTest, EachSplitHasItsOwnFiles) {
  for (const char* name : {"a", "b", "c"}) {
    Write(std::string("images/training/") + name + ".jpg", "train");
    Write(std::string("annotations/training/") + name + ".png");
  }
  for (const char* name : {"d", "e"}) {
    Write(std::string("images/validation/") + name + ".jpg", "val");
    Write(std::string("annotations/validation/") + name + ".png");
  }
  const auto train = *OpenFolderDataset(Config(), "training");
  const auto val = *OpenFolderDataset(Config(), "validation");
  EXPECT_EQ(train->size(), 3);
  EXPECT_EQ(val->size(), 2);
  EXPECT_EQ(train->Get(2)->image.bytes, "train");
  EXPECT_EQ(val->Get(0)->image.bytes, "val");
}

TEST_F(FolderDatasetTest, MissingSplitIsAnErrorAndNoOtherSplitIsTaken) {
  Write("images/training/a.jpg");
  Write("annotations/training/a.png");
  const auto missing = OpenFolderDataset(Config(), "validation");
  EXPECT_THAT(std::string(missing.status().message()),
              AllOf(HasSubstr("images/validation"), HasSubstr("training")));
  FolderConfig nowhere;
  EXPECT_THAT(std::string(OpenFolderDataset(nowhere, "x").status().message()),
              HasSubstr("data.folder.root"));
}

TEST_F(FolderDatasetTest, TwoImagesOfOneNameAreRefused) {
  Write("images/training/a.jpg");
  Write("images/training/a.png");
  Write("annotations/training/a.png");
  EXPECT_THAT(std::string(OpenFolderDataset(Config(), "training").status().message()),
              HasSubstr("two files of the same name"));
}

TEST_F(FolderDatasetTest, FileThatDisappearsIsNamed) {
  Write("images/training/a.jpg");
  Write("annotations/training/a.png");
  const auto dataset = *OpenFolderDataset(Config(), "training");
  std::filesystem::remove(root_ / "images/training/a.jpg");
  EXPECT_THAT(std::string(dataset->Get(0).status().message()), HasSubstr("a.jpg: No such file"));
}

}  // namespace
}  // namespace tessera
