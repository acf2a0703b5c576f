#include "data/storage/open_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "data/storage/store_conformance.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

std::string NewFolder() {
  static int serial = 0;
  return absl::StrCat(std::getenv("TEST_TMPDIR"), "/folder ", serial++);
}

std::shared_ptr<Store> Open(const std::string& uri) {
  absl::StatusOr<std::shared_ptr<Store>> store = OpenStore(uri, absl::Seconds(10));
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

absl::Status ErrorOf(const std::string& uri) { return OpenStore(uri, absl::Seconds(1)).status(); }

TEST(OpenStoreTest, WritesAndReadsAFolder) {
  const std::string folder = NewFolder();
  for (const std::string& uri : {folder, absl::StrCat(folder, "/"), absl::StrCat("file://", folder),
                                 absl::StrCat("file://localhost", folder)}) {
    SCOPED_TRACE(uri);
    const std::shared_ptr<Store> store = Open(uri);
    ExpectWrites(*store);
    ExpectReads(*store);
    EXPECT_EQ(store->Uri("a/b"), absl::StrCat(folder, "/a/b"));
    EXPECT_EQ(store->LocalPath("a#b"), absl::StrCat(folder, "/a#b"));
    EXPECT_EQ(store->LocalPath(""), folder);
    std::filesystem::remove_all(folder);
  }
}

TEST(OpenStoreTest, ALocalFileThatChangesIsNoticed) {
  const std::shared_ptr<Store> store = Open(NewFolder());
  const absl::string_view first = "first", other = "other";
  ASSERT_EQ(store->Write("k", {&first, 1}), absl::OkStatus());
  std::string version;
  char out[2];
  ASSERT_EQ(store->ReadRange("k", 5, 0, out, &version), absl::OkStatus());
  ASSERT_EQ(store->Write("k", {&other, 1}), absl::OkStatus());
  EXPECT_TRUE(absl::IsFailedPrecondition(store->ReadRange("k", 5, 2, out, &version)));
}

TEST(OpenStoreTest, AFolderIsNoObject) {
  const std::string folder = NewFolder();
  std::filesystem::create_directories(folder + "/k");
  EXPECT_TRUE(absl::IsInvalidArgument(Open(folder)->Read("k").status()));
}

TEST(OpenStoreTest, TheRootIsAFolder) {
  EXPECT_EQ(Open("/")->LocalPath("etc"), "/etc");
  EXPECT_EQ(Open("file:///")->LocalPath("etc"), "/etc");
}

TEST(OpenStoreTest, ListsTheKnownSchemesForAnUnknownOne) {
  const absl::Status status = ErrorOf("oci://bucket/prefix");
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("oci://bucket/prefix"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("s3://"));
}

TEST(OpenStoreTest, RefusesWhatNamesNoPlace) {
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf("file://otherhost/path")));
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf("hf://models/org/name")));
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf("hf://datasets/org")));
}

}  // namespace
}  // namespace tessera
