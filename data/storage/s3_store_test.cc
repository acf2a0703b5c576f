#include "data/storage/s3_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "data/storage/fetcher.h"
#include "data/storage/no_wait_clock.h"
#include "data/storage/open_store.h"
#include "data/storage/store_conformance.h"
#include "tests/servers/fault_server.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(20);

// A folder that holds OddObjects() as the bucket "bucket".
const std::string& Folder() {
  static const auto* const folder = [] {
    auto* path = new std::string(absl::StrCat(std::getenv("TEST_TMPDIR"), "/served"));
    WriteOddObjects(*path + "/bucket");
    return path;
  }();
  return *folder;
}

class S3StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* const name :
         {"S3_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN",
          "AWS_REGION", "AWS_DEFAULT_REGION", "S3_CANNED_ACL", "AWS_PROFILE",
          "MOSAICML_STREAMING_AWS_REQUESTER_PAYS", "GCS_KEY", "GCS_SECRET",
          "STORAGE_EMULATOR_HOST"}) {
      unsetenv(name);
    }
    setenv("AWS_ACCESS_KEY_ID", "AKIATEST", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("AWS_CONFIG_FILE", "/none", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/none", 1);
  }

  static std::shared_ptr<Store> Open(const FaultServer& server,
                                     const std::string& uri = "s3://bucket") {
    setenv("S3_ENDPOINT_URL", server.Address().c_str(), 1);
    absl::StatusOr<std::shared_ptr<Store>> store = OpenStore(uri, kTimeout);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
};

TEST_F(S3StoreTest, ReadsWhatIsServed) {
  const FaultServer server(Folder());
  ExpectReads(*Open(server));
}

TEST_F(S3StoreTest, SignsItsRequests) {
  const FaultServer server(Folder());
  setenv("AWS_SESSION_TOKEN", "token", 1);
  setenv("AWS_DEFAULT_REGION", "eu-west-3", 1);
  ASSERT_TRUE(Open(server, "s3://bucket/folder/")->Read("below/it").ok());
  const FaultServer::Request request = server.Requests().at(0);
  EXPECT_EQ(request.path, "/bucket/folder/below/it");
  EXPECT_EQ(request.headers.at("x-amz-security-token"), "token");
  EXPECT_THAT(request.headers.at("authorization"), HasSubstr("Credential=AKIATEST/"));
  EXPECT_THAT(request.headers.at("authorization"), HasSubstr("/eu-west-3/s3/aws4_request,"));
  EXPECT_THAT(request.headers.at("authorization"),
              HasSubstr("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token"));
}

TEST_F(S3StoreTest, AsksForARangeWithoutHead) {
  const FaultServer server(Folder());
  std::string version, out(10, '\0');
  ASSERT_EQ(Open(server)->ReadRange("large", 300000, 20, absl::MakeSpan(out), &version),
            absl::OkStatus());
  ASSERT_EQ(server.Requests().size(), 1);
  EXPECT_EQ(server.Requests()[0].method, "GET");
  EXPECT_EQ(server.Requests()[0].headers.at("range"), "bytes=20-29");
}

TEST_F(S3StoreTest, GoesUnsignedWithoutCredentials) {
  unsetenv("AWS_ACCESS_KEY_ID");
  unsetenv("AWS_SECRET_ACCESS_KEY");
  const FaultServer server(Folder(),
                           R"({"/bucket/private": [{"status": 403, "code": "AccessDenied"}]})");
  const std::shared_ptr<Store> store = Open(server);
  EXPECT_EQ(*store->Read("plain"), OddObjects().at("plain"));
  EXPECT_EQ(server.Requests().at(0).headers.count("authorization"), 0);
  const absl::Status status = store->Read("private").status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("without credentials"));
}

TEST_F(S3StoreTest, ReadsTheProfilesCredentialsAgainWhenTheyExpire) {
  unsetenv("AWS_ACCESS_KEY_ID");
  unsetenv("AWS_SECRET_ACCESS_KEY");
  const std::string file = absl::StrCat(std::getenv("TEST_TMPDIR"), "/credentials");
  setenv("AWS_SHARED_CREDENTIALS_FILE", file.c_str(), 1);
  const auto write = [&](const char* key) {
    std::ofstream(file) << "[default]\naws_access_key_id = " << key
                        << "\naws_secret_access_key = s\naws_session_token = t-" << key << "\n";
  };
  write("OLD");
  const FaultServer server(Folder(),
                           R"({"/bucket/large": [{"status": 400, "code": "ExpiredToken"}]})");
  const std::shared_ptr<Store> store = Open(server);
  ASSERT_TRUE(store->Read("plain").ok());
  write("NEW");
  EXPECT_TRUE(absl::IsUnauthenticated(store->Read("large").status()));
  EXPECT_TRUE(store->Read("large").ok());
  const std::vector<FaultServer::Request> requests = server.Requests();
  EXPECT_THAT(requests.at(1).headers.at("authorization"), HasSubstr("Credential=OLD/"));
  EXPECT_THAT(requests.at(2).headers.at("authorization"), HasSubstr("Credential=NEW/"));
  EXPECT_EQ(requests.at(2).headers.at("x-amz-security-token"), "t-NEW");
}

TEST_F(S3StoreTest, TakesOverTheBucketsRegion) {
  const FaultServer server(Folder(),
                           R"({"/bucket/plain": [{"status": 301, "code": "PermanentRedirect",
                                       "headers": {"x-amz-bucket-region": "eu-west-3"}}]})");
  const std::shared_ptr<Store> store = Open(server);
  EXPECT_EQ(*store->Read("plain"), OddObjects().at("plain"));
  ASSERT_TRUE(store->Read("large").ok());
  const std::vector<FaultServer::Request> requests = server.Requests();
  ASSERT_EQ(requests.size(), 3);
  EXPECT_THAT(requests[0].headers.at("authorization"), HasSubstr("/us-east-1/"));
  EXPECT_THAT(requests[1].headers.at("authorization"), HasSubstr("/eu-west-3/"));
  EXPECT_THAT(requests[2].headers.at("authorization"), HasSubstr("/eu-west-3/"));
}

TEST_F(S3StoreTest, SaysWhichRegionWhereTakingItOverDoesNotHelp) {
  const FaultServer server(
      Folder(), R"({"/bucket/plain": [{"status": 301, "code": "PermanentRedirect", "times": -1,
                                       "headers": {"x-amz-bucket-region": "eu-west-3"}}]})");
  const absl::Status status = Open(server)->Read("plain").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("s3://bucket/plain: "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("the bucket is in region eu-west-3"));
}

TEST_F(S3StoreTest, PaysForTheBucketsThatAskForIt) {
  setenv("MOSAICML_STREAMING_AWS_REQUESTER_PAYS", "other,bucket", 1);
  const FaultServer server(Folder());
  ASSERT_TRUE(Open(server)->Read("plain").ok());
  const FaultServer::Request request = server.Requests().at(0);
  EXPECT_EQ(request.headers.at("x-amz-request-payer"), "requester");
  EXPECT_THAT(request.headers.at("authorization"), HasSubstr(";x-amz-request-payer,"));
}

TEST_F(S3StoreTest, OutlastsFaultsThatPass) {
  const FaultServer server(Folder(), R"({"/bucket/large": [
      {"status": 503, "code": "SlowDown", "times": 3}, {"stop": 1000},
      {"stop": 50000, "how": "reset"}, {"size": 299999}, {"etag": "\"old\""},
      {"status": 400, "code": "RequestTimeout"}, {"status": 500, "code": "InternalError"}]})");
  NoWaitClock clock;
  FetchCounters counters;
  const Fetcher fetcher(Open(server), {.attempts = 12, .range_bytes = 100000, .parallel_ranges = 2},
                        &counters, &clock);
  std::FILE* file = std::tmpfile();
  ASSERT_EQ(fetcher.Fetch("large", 300000, fileno(file)), absl::OkStatus());
  std::string fetched(300000, '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(fetched.data(), 1, fetched.size(), file), fetched.size());
  std::fclose(file);
  EXPECT_TRUE(fetched == OddObjects().at("large"));
  EXPECT_GE(counters.retries, 8);
}

TEST_F(S3StoreTest, RefusesAnUnclearAddressOrServer) {
  for (const char* const uri : {"s3://", "s3:///key", "s3://bucket:80/key"}) {
    const absl::Status status = OpenStore(uri, kTimeout).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("expected s3://BUCKET"));
  }
  for (const char* const server : {"127.0.0.1:9000", "ftp://host", "http://host/path"}) {
    setenv("S3_ENDPOINT_URL", server, 1);
    const absl::Status status = OpenStore("s3://bucket", kTimeout).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(server));
  }
}

TEST_F(S3StoreTest, ReadsGoogleStorageByItsHmacKeys) {
  const FaultServer server(Folder());
  setenv("STORAGE_EMULATOR_HOST", server.Address().c_str(), 1);
  setenv("GCS_KEY", "GOOG1", 1);
  EXPECT_THAT(std::string(OpenStore("gs://bucket", kTimeout).status().message()),
              HasSubstr("GCS_SECRET"));
  setenv("GCS_SECRET", "secret", 1);
  const absl::StatusOr<std::shared_ptr<Store>> store = OpenStore("gs://bucket/folder", kTimeout);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->Uri("k"), "gs://bucket/folder/k");
  ASSERT_TRUE((*store)->Read("below/it").ok());
  EXPECT_THAT(server.Requests().at(0).headers.at("authorization"), HasSubstr("Credential=GOOG1/"));
}

}  // namespace
}  // namespace tessera
