#include "tests/servers/moto_server.h"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tessera {
namespace {

struct Answer {
  long status = 0;
  std::string contents = {};
};

size_t Append(char* data, size_t size, size_t count, void* contents) {
  static_cast<std::string*>(contents)->append(data, size * count);
  return size * count;
}

// A request that curl signs. Puts `contents` where they are given, and gets where they are not.
Answer Send(const MotoServer& server, const char* user, const char* contents = nullptr) {
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  const std::string url = server.Address() + "/bucket/key";
  // Not curl's own type, that of a form: moto would take the contents for one.
  curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/octet-stream");
  // S3 wants this in each signed request; curl does not add it to all.
  headers = curl_slist_append(headers, "x-amz-content-sha256: UNSIGNED-PAYLOAD");
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> owned(headers, curl_slist_free_all);
  Answer answer;
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, 20L);
  curl_easy_setopt(curl.get(), CURLOPT_AWS_SIGV4, "aws:amz:us-east-1:s3");
  curl_easy_setopt(curl.get(), CURLOPT_USERPWD, user);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, Append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer.contents);
  if (contents != nullptr) {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, contents);
    curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, "PUT");
  }
  const CURLcode code = curl_easy_perform(curl.get());
  EXPECT_EQ(code, CURLE_OK) << curl_easy_strerror(code);
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

TEST(MotoServerTest, TakesAnyCredentials) {
  const MotoServer server;
  EXPECT_EQ(Send(server, "any:any", "hello").status, 200);
  const Answer answer = Send(server, "other:other");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.contents, "hello");
}

TEST(MotoServerTest, ChecksSignatures) {
  const MotoServer server(MotoServer::Signatures::kChecked);
  EXPECT_EQ(Send(server, "test-key:test-secret", "hello").status, 200);
  EXPECT_EQ(Send(server, "test-key:test-secret").contents, "hello");
  const Answer wrong = Send(server, "test-key:wrong-secret");
  EXPECT_EQ(wrong.status, 403);
  EXPECT_NE(wrong.contents.find("SignatureDoesNotMatch"), std::string::npos) << wrong.contents;
  EXPECT_EQ(Send(server, "no-key:test-secret").status, 403);
}

}  // namespace
}  // namespace tessera
