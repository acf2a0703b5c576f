#include "tools/download/http_download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "tests/servers/fault_server.h"
#include "tools/download/part_file.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kSize = 5'000'000;

class HttpDownloadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(std::getenv("TEST_TMPDIR"), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_ + "/served");
    contents_.resize(kSize);
    for (uint64_t i = 0; i < kSize; ++i) contents_[i] = static_cast<char>(i * 31 + i / 257);
    Serve(contents_);
  }

  void Serve(const std::string& contents) const {
    ASSERT_EQ(WriteFile(folder_ + "/served/file", contents), absl::OkStatus());
  }

  // A run of the tool, that has the part of those before it. `steps` are the faults of the file.
  absl::Status Run(const std::string& steps, HttpDownload what = {}) {
    const FaultServer server(folder_ + "/served", absl::StrCat("{\"/file\": [", steps, "]}"));
    what.url = absl::StrCat(server.Address(), "/file");
    what.limits.first_backoff = absl::Milliseconds(1);
    // The port differs each time; the tool would meet the same address.
    absl::StatusOr<PartFile> part = PartFile::Open(Part(), "http://same/file");
    if (!part.ok()) return part.status();
    counters_ = {};
    const absl::Status status = DownloadOverHttp(
        what, *part, [](uint64_t, uint64_t) {}, counters_);
    ranges_.clear();
    conditions_.clear();
    for (const FaultServer::Request& request : server.Requests()) {
      const auto range = request.headers.find("range");
      ranges_.push_back(range == request.headers.end() ? "" : range->second);
      const auto condition = request.headers.find("if-range");
      conditions_.push_back(condition == request.headers.end() ? "" : condition->second);
    }
    return status;
  }

  std::string Part() const { return folder_ + "/part"; }
  bool IsWhole() const { return ReadFile(Part()).value() == contents_; }

  static HttpDownload Once() { return {.limits = {.attempts = 1}}; }

  std::string folder_;
  std::string contents_;
  HttpDownloadCounters counters_;
  std::vector<std::string> ranges_;      // of the last run's requests
  std::vector<std::string> conditions_;  // their If-Range
};

TEST_F(HttpDownloadTest, GoesOnWhereTheStreamBroke) {
  ASSERT_EQ(Run(R"({"etag": "\"v\"", "stop": 2000000},
                   {"etag": "\"v\"", "stop": 1000000, "how": "reset"}, {"etag": "\"v\""})"),
            absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  ASSERT_EQ(ranges_.size(), 3u);
  EXPECT_EQ(ranges_[0], "");
  EXPECT_EQ(ranges_[1], "bytes=2000000-4999999");
  EXPECT_THAT(conditions_, ElementsAre("", "\"v\"", "\"v\""));
  EXPECT_EQ(counters_.fetched, kSize);  // none twice
}

TEST_F(HttpDownloadTest, GoesOnInTheNextRun) {
  const absl::Status broken = Run(R"({"stop": 2000000})", Once());
  EXPECT_TRUE(absl::IsDataLoss(broken)) << broken;
  ASSERT_EQ(Run(""), absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  EXPECT_THAT(ranges_, ElementsAre("bytes=2000000-4999999"));
  EXPECT_EQ(counters_.resumed_at, 2000000u);
  ASSERT_EQ(Run(""), absl::OkStatus());
  EXPECT_THAT(ranges_, ElementsAre());  // all is there
}

TEST_F(HttpDownloadTest, AnotherVersionStartsAgain) {
  ASSERT_FALSE(Run(R"({"etag": "\"v1\"", "stop": 2000000})", Once()).ok());
  contents_[1000] ^= 1;
  Serve(contents_);
  ASSERT_EQ(Run(R"({"etag": "\"v2\"", "times": -1})"), absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  // The server doesn't know If-Range, and sends the rest of the new version first.
  EXPECT_THAT(ranges_, ElementsAre("bytes=2000000-4999999", ""));
  EXPECT_EQ(conditions_[0], "\"v1\"");
  EXPECT_EQ(counters_.resumed_at, 0u);
}

TEST_F(HttpDownloadTest, AShorterFileStartsAgain) {
  ASSERT_FALSE(Run(R"({"stop": 2000000})", Once()).ok());
  contents_.resize(1000000);
  Serve(contents_);
  ASSERT_EQ(Run(""), absl::OkStatus());
  EXPECT_TRUE(IsWhole());
}

TEST_F(HttpDownloadTest, AServerThatIgnoresRangesStartsAgain) {
  ASSERT_FALSE(Run(R"({"stop": 2000000})", Once()).ok());
  ASSERT_EQ(Run(R"({"ignore_range": true})"), absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  EXPECT_THAT(ranges_, ElementsAre("bytes=2000000-4999999"));
  EXPECT_EQ(counters_.fetched, kSize);
}

TEST_F(HttpDownloadTest, AServerThatIgnoresRangesAndBreaksIsGivenUp) {
  const absl::Status status =
      Run(R"({"ignore_range": true, "stop": 2000000, "times": -1})", {.limits = {.attempts = 3}});
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("3 attempts in "));
  EXPECT_EQ(ranges_.size(), 3u);
}

TEST_F(HttpDownloadTest, WhoeverMovesOnIsNotGivenUp) {
  ASSERT_EQ(Run(R"({"stop": 1200000, "times": 4})", {.limits = {.attempts = 2}}), absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  EXPECT_EQ(counters_.fetched, kSize);
}

TEST_F(HttpDownloadTest, OutlastsABusyServer) {
  ASSERT_EQ(Run(R"({"stop": 2000000}, {"status": 503, "times": 3}, {"stop": 0, "how": "reset"})"),
            absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  EXPECT_EQ(counters_.fetched, kSize);
}

TEST_F(HttpDownloadTest, AnswersWithoutALengthAreTakenWhole) {
  ASSERT_EQ(Run(R"({"chunked": true, "stop": 2000000}, {"chunked": true})"), absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  EXPECT_THAT(ranges_, ElementsAre("", ""));  // nobody knows what the rest is
  ASSERT_EQ(Run(""), absl::OkStatus());
  EXPECT_THAT(ranges_, ElementsAre());
}

TEST_F(HttpDownloadTest, TheExpectedSizeStandsInForALength) {
  HttpDownload what = {.expected_size = kSize};
  ASSERT_EQ(Run(R"({"no_length": true, "stop": 2000000})", what), absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  EXPECT_THAT(ranges_, ElementsAre("", "bytes=2000000-4999999"));
}

TEST_F(HttpDownloadTest, AnotherSizeIsAnErrorAtOnce) {
  const absl::Status status = Run("", {.expected_size = kSize + 1});
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the server's file has 5000000 bytes, expected 5000001"));
  EXPECT_EQ(ranges_.size(), 1u);
}

TEST_F(HttpDownloadTest, AMissingFileIsAnErrorAtOnce) {
  const absl::Status status = Run(R"({"status": 404, "times": -1})");
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/file: HTTP 404"));
  EXPECT_EQ(ranges_.size(), 1u);
}

TEST_F(HttpDownloadTest, AStreamThatStandsStillIsTakenUpAgain) {
  ASSERT_EQ(Run(R"({"stop": 2000000, "how": "stall"})", {.stall_timeout = absl::Seconds(1)}),
            absl::OkStatus());
  EXPECT_TRUE(IsWhole());
  EXPECT_THAT(ranges_, ElementsAre("", "bytes=2000000-4999999"));
}

TEST_F(HttpDownloadTest, AFullDiskIsAnErrorAtOnce) {
  fs::create_symlink("/dev/full", Part());
  const absl::Status status = Run("");
  EXPECT_TRUE(absl::IsInternal(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("part: No space left on device"));
  EXPECT_EQ(ranges_.size(), 1u);
}

TEST_F(HttpDownloadTest, BytesWithoutAFittingNoteAreDropped) {
  for (const char* const note : {"", "no json", R"({"url": 7})",
                                 R"({"url": "http://other/file", "size": 5000000, "version": ""})",
                                 R"({"url": "http://same/file", "size": 3, "version": ""})"}) {
    ASSERT_EQ(WriteFile(Part(), "other bytes"), absl::OkStatus());
    ASSERT_EQ(WriteFile(Part() + ".json", note), absl::OkStatus());
    ASSERT_EQ(Run(""), absl::OkStatus());
    EXPECT_TRUE(IsWhole());
    EXPECT_THAT(ranges_, ElementsAre(""));
    fs::remove(Part());
  }
}

TEST_F(HttpDownloadTest, WithoutAVersionTheHashDecides) {
  const std::string note = R"({"url": "http://same/file", "size": 5000000, "version": ""})";
  for (const bool has_hash : {false, true}) {
    ASSERT_EQ(WriteFile(Part(), contents_.substr(0, 2000000)), absl::OkStatus());
    ASSERT_EQ(WriteFile(Part() + ".json", note), absl::OkStatus());
    ASSERT_EQ(
        Run(R"({"etag": "", "times": -1})", {.has_hash = has_hash, .limits = {.attempts = 1}}),
        absl::OkStatus());
    EXPECT_TRUE(IsWhole());
    EXPECT_THAT(ranges_, ElementsAre(has_hash ? "bytes=2000000-4999999" : ""));
    EXPECT_EQ(conditions_[0], "");
    fs::remove(Part());
  }
}

TEST(ShownUrlTest, HasNoSecrets) {
  EXPECT_EQ(ShownUrl("http://host:8/a/b.zip"), "http://host:8/a/b.zip");
  EXPECT_EQ(ShownUrl("https://me:secret@host/a@b.zip?token=secret"), "https://host/a@b.zip");
  EXPECT_EQ(ShownUrl("https://host?a=b"), "https://host");
  EXPECT_EQ(ShownUrl("folder/file.zip"), "folder/file.zip");
}

}  // namespace
}  // namespace tessera
