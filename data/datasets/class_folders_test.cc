#include "data/datasets/class_folders.h"

#include <glog/logging.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WarningSink : public google::LogSink {
 public:
  WarningSink() { google::AddLogSink(this); }
  ~WarningSink() override { google::RemoveLogSink(this); }
  void send(google::LogSeverity severity, const char*, const char*, int,
            const google::LogMessageTime&, const char* message, size_t length) override {
    if (severity == google::GLOG_WARNING) text.append(message, length);
  }
  std::string text;
};

class ClassFoldersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(std::getenv("TEST_TMPDIR")) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(root_);
  }

  std::string MakeFolders(const std::vector<std::string>& names) const {
    for (const std::string& name : names) std::filesystem::create_directories(root_ / "set" / name);
    return (root_ / "set").string();
  }
  std::string MakeList(const std::string& text) const {
    std::ofstream(root_ / "classes.txt") << text;
    return (root_ / "classes.txt").string();
  }

  std::filesystem::path root_;
};

TEST_F(ClassFoldersTest, LabelsFollowTheSortedNames) {
  const std::string folder = MakeFolders({"n02", "n01", "n10", ".cache"});
  std::ofstream(root_ / "set" / "README") << "no class";
  const WarningSink warnings;
  EXPECT_THAT(ListClassFolders(folder).value(), ElementsAre("n01", "n02", "n10"));
  EXPECT_EQ(warnings.text, "");
}

TEST_F(ClassFoldersTest, NumbersSortAsTextWithAWarning) {
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) names.push_back(std::to_string(i));
  const std::string folder = MakeFolders(names);
  const WarningSink warnings;
  const std::vector<std::string> classes = ListClassFolders(folder).value();
  EXPECT_EQ(classes[2], "10");
  EXPECT_EQ(classes[4], "2");
  EXPECT_THAT(warnings.text, AllOf(HasSubstr("sort as text"), HasSubstr("folder 9 is class 11")));
}

TEST_F(ClassFoldersTest, AListGivesTheOrder) {
  const std::string folder = MakeFolders({"0", "1", "2", "10"});
  const WarningSink warnings;
  EXPECT_THAT(ListClassFolders(folder, MakeList("0\n1\r\n2\n\n10")).value(),
              ElementsAre("0", "1", "2", "10"));
  EXPECT_EQ(warnings.text, "");
  EXPECT_THAT(
      std::string(ListClassFolders(folder, MakeList("0\n1\n3\n10\n10\n")).status().message()),
      AllOf(HasSubstr("classes.txt"), HasSubstr("only in the list 2 (10, 3)"),
            HasSubstr("only folders 1 (2)")));
}

TEST_F(ClassFoldersTest, SplitsMustHaveTheSameClasses) {
  EXPECT_TRUE(CheckSameClasses({"a", "b"}, {"a", "b"}).ok());
  EXPECT_THAT(std::string(CheckSameClasses({"a", "b"}, {"b", "c"}).message()),
              AllOf(HasSubstr("only in training 1 (a)"), HasSubstr("only in evaluation 1 (c)")));
}

TEST_F(ClassFoldersTest, FolderWithoutClassesIsAnError) {
  EXPECT_THAT(std::string(ListClassFolders(MakeFolders({""})).status().message()),
              HasSubstr("no folders"));
  EXPECT_THAT(std::string(ListClassFolders("/nowhere").status().message()),
              HasSubstr("cannot list /nowhere"));
}

}  // namespace
}  // namespace tessera
