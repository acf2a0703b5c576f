#include "data/storage/sigv4.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

// The examples of AWS's documentation ("Authenticating Requests: Using the Authorization Header").
const AwsCredentials kCredentials = {.access_key = "AKIAIOSFODNN7EXAMPLE",
                                     .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
constexpr char kHost[] = "examplebucket.s3.amazonaws.com";
constexpr char kScope[] = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";

std::vector<std::string> Sign(const SigV4Request& request, const AwsCredentials& credentials) {
  return SignV4(request, credentials, "us-east-1",
                absl::FromCivil(absl::CivilDay(2013, 5, 24), absl::UTCTimeZone()));
}

TEST(SigV4Test, SignsAGet) {
  const std::vector<std::string> headers = Sign({.method = "GET",
                                                 .host = kHost,
                                                 .path = "/test.txt",
                                                 .payload_sha256 = Sha256Hex({}),
                                                 .headers = {{"range", "bytes=0-9"}}},
                                                kCredentials);
  EXPECT_EQ(
      headers,
      std::vector<std::string>(
          {"range: bytes=0-9",
           "x-amz-content-sha256: "
           "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
           "x-amz-date: 20130524T000000Z",
           absl::StrCat("Authorization: AWS4-HMAC-SHA256 Credential=", kScope,
                        ",SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature="
                        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")}));
}

TEST(SigV4Test, SignsAPut) {
  const absl::string_view pieces[] = {"Welcome to ", "Amazon S3."};
  const std::vector<std::string> headers =
      Sign({.method = "PUT",
            .host = kHost,
            .path = "/test%24file.text",
            .payload_sha256 = Sha256Hex(pieces),
            .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                        {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}},
           kCredentials);
  EXPECT_EQ(headers.back(),
            absl::StrCat("Authorization: AWS4-HMAC-SHA256 Credential=", kScope,
                         ",SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;"
                         "x-amz-storage-class,Signature="
                         "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(SigV4Test, SignsTheSessionTokenToo) {
  AwsCredentials credentials = kCredentials;
  credentials.session_token = "token";
  const std::vector<std::string> headers = Sign(
      {.method = "GET", .host = kHost, .path = "/", .payload_sha256 = Sha256Hex({})}, credentials);
  EXPECT_EQ(std::count(headers.begin(), headers.end(), "x-amz-security-token: token"), 1);
  EXPECT_NE(headers.back().find(";x-amz-security-token,"), std::string::npos) << headers.back();
}

}  // namespace
}  // namespace tessera
