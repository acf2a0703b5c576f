#include "tools/download/extract_zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "tools/download/test_zip.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExtractZipTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(std::getenv("TEST_TMPDIR"), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(Path("out"));
  }

  std::string Path(absl::string_view name) const { return absl::StrCat(folder_, "/", name); }

  absl::Status Extract() const {
    return ExtractZip({.zip = Path("zip"),
                       .top = "top",
                       .folder = Path("out"),
                       .path_of = [](absl::string_view path) { return std::string(path); }},
                      [](int64_t) {});
  }

  absl::Status Extract(const std::vector<TestZipEntry>& entries) const {
    WriteTestZip(Path("zip"), entries);
    return Extract();
  }

  // All files of the test, but for the zip.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (!entry.is_directory()) files.push_back(fs::relative(entry.path(), folder_).string());
    }
    std::erase(files, "zip");
    std::sort(files.begin(), files.end());
    return files;
  }

  std::string folder_;
};

TEST_F(ExtractZipTest, WritesFilesAndFolders) {
  const std::string large(300000, 'x');
  WriteTestZip(Path("zip"), {{"top/", "", TestZipEntry::kFolder},
                             {"top/a/b/c", large},
                             {"top/empty", ""},
                             {"top/folder/", "", TestZipEntry::kFolder}});
  std::vector<int64_t> done;
  ASSERT_EQ(
      ExtractZip({.zip = Path("zip"),
                  .top = "top",
                  .folder = Path("out"),
                  .path_of = [](absl::string_view path) { return absl::StrCat("in/", path); }},
                 [&](int64_t files) { done.push_back(files); }),
      absl::OkStatus());
  EXPECT_THAT(Files(), ElementsAre("out/in/a/b/c", "out/in/empty"));
  EXPECT_EQ(ReadFile(Path("out/in/a/b/c")).value(), large);
  EXPECT_TRUE(fs::is_directory(Path("out/in/folder")));
  EXPECT_EQ(done.back(), 2);
}

// Names that lead out of the folder, or to another place in it than they seem to.
class HostileName : public ExtractZipTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(HostileName, IsRefused) {
  const std::string name = absl::StartsWith(GetParam(), "/") ? Path("evil") : GetParam();
  const absl::Status status = Extract({{"top/good", "good"}, {name, "evil"}});
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("entry \"", name, "\"")));
  EXPECT_THAT(Files(), ElementsAre("out/good"));
}

INSTANTIATE_TEST_SUITE_P(All, HostileName,
                         ::testing::Values("../evil", "top/../../evil", "top/..", "/evil", "evil",
                                           "topmost/evil", "top/./evil", "top//evil", "top/a/../b",
                                           "top", "top/good"));

TEST_F(ExtractZipTest, LinksAreRefused) {
  const absl::Status status =
      Extract({{"top/link", folder_, TestZipEntry::kLink}, {"top/link/evil", "evil"}});
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("entry \"top/link\": found a link or a special file"));
  EXPECT_THAT(Files(), ElementsAre());
}

TEST_F(ExtractZipTest, ACutZipIsNamedWithItsLastEntry) {
  const std::string large(100000, 'x');
  WriteTestZip(Path("zip"), {{"top/a", large}, {"top/b", Path("b")}, {"top/c", "c"}});
  const std::string whole = ReadFile(Path("zip")).value();
  for (const auto& [cut, last] :
       {std::pair(whole.find("top/b") + 30, "top/b"), std::pair(whole.rfind("top/c") - 10, "top/c"),
        std::pair(whole.size() - 1, "top/c")}) {
    ASSERT_EQ(WriteFile(Path("zip"), whole.substr(0, cut)), absl::OkStatus());
    const absl::Status status = Extract();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("no directory of a zip"), HasSubstr(last)));
    EXPECT_THAT(Files(), ElementsAre());
  }
}

TEST_F(ExtractZipTest, DamageIsNamedWithItsEntry) {
  const std::string contents = "some text that is stored or compressed";
  WriteTestZip(Path("zip"), {{"top/a", "a"}, {"top/b", contents}});
  std::string damaged = ReadFile(Path("zip")).value();
  damaged[damaged.find("top/b") + 25] ^= 0x20;  // in its contents
  ASSERT_EQ(WriteFile(Path("zip"), damaged), absl::OkStatus());
  const absl::Status status = Extract();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("entry \"top/b\": "));
}

TEST_F(ExtractZipTest, WhatIsNoZipIsSaid) {
  for (const std::string contents : {"", "<html>Sign in to the network</html>"}) {
    ASSERT_EQ(WriteFile(Path("zip"), contents), absl::OkStatus());
    const absl::Status status = Extract();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("zip: found no zip"));
  }
}

TEST_F(ExtractZipTest, AFolderThatCannotBeWrittenIsSaid) {
  ASSERT_EQ(WriteFile(Path("out/a"), "in the way"), absl::OkStatus());
  const absl::Status status = Extract({{"top/a/b", "b"}});
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("entry \"top/a/b\": cannot write "));
}

}  // namespace
}  // namespace tessera
