#include "data/storage/arrow_store.h"

#include <arrow/filesystem/localfs.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "data/storage/store_conformance.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

TEST(ArrowStoreTest, ReadsWhatItWrites) {
  for (const bool renames : {false, true}) {
    const std::string root =
        absl::StrCat(std::getenv("TEST_TMPDIR"), "/", renames ? "renames" : "writes");
    std::filesystem::create_directories(root + "/folder/below");
    const std::shared_ptr<Store> store = MakeArrowStore(
        "test://there", std::make_shared<arrow::fs::LocalFileSystem>(), root, renames);
    ExpectWrites(*store);
    ExpectReads(*store);
  }
}

TEST(ArrowStoreTest, LeavesNothingOfAFailedWrite) {
  const std::string root = absl::StrCat(std::getenv("TEST_TMPDIR"), "/failed");
  std::filesystem::create_directories(root + "/taken/below");
  const std::shared_ptr<Store> store = MakeArrowStore(
      "test://there", std::make_shared<arrow::fs::LocalFileSystem>(), root, /*renames=*/true);
  const absl::string_view piece = "x";
  EXPECT_FALSE(store->Write("taken", {&piece, 1}).ok());  // a folder has the name
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root), {}), 1);
}

TEST(AzureStoreTest, SaysWhatItNeeds) {
  unsetenv("AZURE_ACCOUNT_NAME");
  const absl::Status status = OpenAzureStore("az://container/folder").status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("AZURE_ACCOUNT_NAME"));
}

TEST(AzureStoreTest, TakesItsAccountFromTheAddressOrTheEnvironment) {
  setenv("AZURE_ACCOUNT_ACCESS_KEY", "a2V5", 1);
  const auto store = OpenAzureStore("abfs://container@account.dfs.core.windows.net/folder/");
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->Uri("k"), "abfs://container@account.dfs.core.windows.net/folder/k");
  setenv("AZURE_ACCOUNT_NAME", "account", 1);
  EXPECT_TRUE(OpenAzureStore("az://container").ok());
}

TEST(HdfsStoreTest, SaysWhereHadoopIsLookedFor) {
  const absl::Status status = OpenHdfsStore("hdfs://localhost:1/folder").status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("hdfs://localhost:1/folder: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("HADOOP_HOME"));
  EXPECT_TRUE(absl::IsInvalidArgument(OpenHdfsStore("hdfs:///folder").status()));
}

}  // namespace
}  // namespace tessera
