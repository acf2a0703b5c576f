#include "data/datasets/class_folder_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/write_file.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ClassFolderDatasetTest : public ::testing::Test {
 protected:
  ClassFolderDatasetTest()
      : root_(std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    config_.set_root(root_.string());
  }

  void Write(const std::string& name) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    ASSERT_TRUE(WriteFile((root_ / name).string(), "contents of " + name).ok());
  }

  const std::filesystem::path root_;
  ClassFoldersConfig config_;
};

TEST_F(ClassFolderDatasetTest, LabelsFollowTheNamesOfTheFolders) {
  for (const char* name : {"n02/b.JPEG", "n02/a.jpg", "n01/z.png", "n10/c.JPEG"}) {
    Write(std::string("train/") + name);
    Write(std::string("val/") + name);
  }
  Write("train/n01/._z.png");
  Write("train/n01/Thumbs.db");
  const auto dataset = OpenClassFolderDataset(config_, /*train=*/true);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ((*dataset)->label_kind(), LabelKind::kClass);
  EXPECT_THAT((*dataset)->class_names(), ElementsAre("n01", "n02", "n10"));
  std::vector<std::string> names;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < (*dataset)->size(); ++i) {
    const Sample sample = *(*dataset)->Get(i);
    names.emplace_back(sample.name);
    labels.push_back(sample.label);
    EXPECT_THAT(std::string(sample.image.bytes), HasSubstr("contents of train/" + names.back()));
  }
  EXPECT_THAT(names, ElementsAre("n01/z", "n02/a", "n02/b", "n10/c"));
  EXPECT_THAT(labels, ElementsAre(0, 1, 1, 2));
}

TEST_F(ClassFolderDatasetTest, SplitsHaveTheSameClasses) {
  Write("train/a/1.png");
  Write("train/b/1.png");
  Write("val/a/1.png");
  EXPECT_THAT(std::string(OpenClassFolderDataset(config_, true).status().message()),
              HasSubstr("only in training 1 (b)"));
  EXPECT_THAT(std::string(OpenClassFolderDataset(config_, false).status().message()),
              HasSubstr("only in training 1 (b)"));
}

TEST_F(ClassFolderDatasetTest, AMissingSplitAndAnEmptyClassAreErrors) {
  Write("train/a/1.png");
  Write("train/b/notes.txt");
  EXPECT_THAT(std::string(OpenClassFolderDataset(config_, true).status().message()),
              HasSubstr("train/b holds no image"));
  EXPECT_THAT(std::string(OpenClassFolderDataset(config_, false).status().message()),
              HasSubstr("val"));
}

}  // namespace
}  // namespace tessera
