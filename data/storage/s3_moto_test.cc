// Against a server of S3 that is not ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "data/storage/open_store.h"
#include "data/storage/store_conformance.h"
#include "tests/servers/moto_server.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<Store> Open(const MotoServer& server, const std::string& uri) {
  setenv("S3_ENDPOINT_URL", server.Address().c_str(), 1);
  absl::StatusOr<std::shared_ptr<Store>> store = OpenStore(uri, absl::Seconds(20));
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

void SetKey(const char* key, const char* secret) {
  setenv("AWS_ACCESS_KEY_ID", key, 1);
  setenv("AWS_SECRET_ACCESS_KEY", secret, 1);
}

TEST(S3MotoTest, ReadsWhatItWrites) {
  const MotoServer server;
  SetKey("any", "any");
  for (const char* const uri : {"s3://bucket", "s3://bucket/a folder/with+odd%name"}) {
    const std::shared_ptr<Store> store = Open(server, uri);
    ExpectWrites(*store);
    ExpectReads(*store);
  }
  const absl::Status status = Open(server, "s3://no-such-bucket")->Read("key").status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("NoSuchBucket"));
}

TEST(S3MotoTest, SignsAsTheServerExpects) {
  const MotoServer server(MotoServer::Signatures::kChecked);
  SetKey("test-key", "test-secret");
  const std::shared_ptr<Store> store = Open(server, "s3://bucket/folder");
  ExpectWrites(*store);
  ExpectReads(*store);
  SetKey("test-key", "wrong-secret");
  const absl::Status status = store->Read("plain").status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("SignatureDoesNotMatch"));
}

}  // namespace
}  // namespace tessera
