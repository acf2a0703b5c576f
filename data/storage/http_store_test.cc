#include "data/storage/http_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/str_cat.h"
#include "data/storage/fetcher.h"
#include "data/storage/no_wait_clock.h"
#include "data/storage/store_conformance.h"
#include "data/storage/store_error.h"
#include "tests/servers/fault_server.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(20);

// A folder that holds OddObjects().
const std::string& Folder() {
  static const auto* const folder = [] {
    auto* path = new std::string(absl::StrCat(std::getenv("TEST_TMPDIR"), "/served"));
    WriteOddObjects(*path);
    return path;
  }();
  return *folder;
}

// A server whose faults are those of one object, "large", and a store over it.
struct Faulty {
  explicit Faulty(const std::string& steps, absl::Duration timeout = kTimeout)
      : server(Folder(), absl::StrCat("{\"/large\": [", steps, "]}")),
        store(OpenHttpStore(server.Address(), timeout)) {}

  // The object, in ranges of 100000 bytes.
  absl::StatusOr<std::string> Fetch(int attempts) {
    NoWaitClock clock;
    const Fetcher fetcher(store,
                          {.attempts = attempts, .range_bytes = 100000, .parallel_ranges = 2},
                          &counters, &clock);
    std::FILE* file = std::tmpfile();
    const absl::Status status = fetcher.Fetch("large", contents.size(), fileno(file));
    std::string fetched(contents.size() + 1, '\0');
    std::rewind(file);
    fetched.resize(std::fread(fetched.data(), 1, fetched.size(), file));
    std::fclose(file);
    if (!status.ok()) return status;
    return fetched;
  }

  const std::string contents = OddObjects().at("large");
  FetchCounters counters;
  FaultServer server;
  std::shared_ptr<Store> store;
};

TEST(HttpStoreTest, ReadsWhatIsServed) {
  const FaultServer server(Folder());
  ExpectReads(*OpenHttpStore(absl::StrCat(server.Address(), "/"), kTimeout));
}

TEST(HttpStoreTest, KeepsItsConnection) {
  const FaultServer server(Folder());
  const std::shared_ptr<Store> store = OpenHttpStore(server.Address(), kTimeout);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(store->Read("plain").ok());
  std::set<int> ports;
  for (const FaultServer::Request& request : server.Requests()) ports.insert(request.client_port);
  EXPECT_EQ(server.Requests().size(), 5);
  EXPECT_EQ(ports.size(), 1);
}

TEST(HttpStoreTest, AsksForTheBytesAsTheyAre) {
  const FaultServer server(Folder());
  const std::shared_ptr<Store> store = OpenHttpStore(server.Address(), kTimeout);
  std::string version, out(10, '\0');
  ASSERT_EQ(store->ReadRange("a#b?c=d&e", 101, 20, absl::MakeSpan(out), &version),
            absl::OkStatus());
  const FaultServer::Request request = server.Requests().at(0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/a%23b%3Fc%3Dd%26e");
  EXPECT_EQ(request.headers.at("range"), "bytes=20-29");
  EXPECT_EQ(request.headers.at("accept-encoding"), "identity");
  EXPECT_EQ(request.headers.count("authorization"), 0);
}

TEST(HttpStoreTest, CannotBeWrittenTo) {
  const absl::string_view piece = "x";
  EXPECT_TRUE(absl::IsInvalidArgument(
      OpenHttpStore("http://127.0.0.1:1/", kTimeout)->Write("k", {&piece, 1})));
}

TEST(HttpStoreTest, KeepsPasswordsOutOfMessages) {
  EXPECT_EQ(OpenHttpStore("https://me:secret@host:8/set/", kTimeout)->Uri("k"),
            "https://host:8/set/k");
}

TEST(HttpStoreTest, AHostThatDoesNotAnswerMayComeBack) {
  int port = 0;
  {
    const ServerProcess gone({"tests/servers/fault_server.py", "--folder", Folder()});
    port = gone.port();
  }
  const absl::Status status =
      OpenHttpStore(absl::StrCat("http://127.0.0.1:", port), kTimeout)->Read("k").status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

// Faults that pass: the object is whole in the end.
struct Passing {
  const char* name;
  const char* steps;
  int64_t retries;
};

class PassingFault : public ::testing::TestWithParam<Passing> {};

TEST_P(PassingFault, IsOutlasted) {
  Faulty faulty(GetParam().steps);
  const absl::StatusOr<std::string> fetched = faulty.Fetch(/*attempts=*/5);
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_TRUE(*fetched == faulty.contents);
  EXPECT_EQ(faulty.counters.retries, GetParam().retries);
}

INSTANTIATE_TEST_SUITE_P(
    All, PassingFault,
    ::testing::Values(Passing{"ShortBody", R"({"stop": 1000, "times": 3})", 3},
                      Passing{"ResetMidBody", R"({"stop": 50000, "how": "reset", "times": 3})", 3},
                      Passing{"NoAnswer", R"({"status": 200, "stop": 0, "how": "reset"})", 1},
                      Passing{"SlowDown", R"({"status": 503, "code": "SlowDown", "times": 4})", 4},
                      Passing{"TooMany", R"({"status": 429, "headers": {"Retry-After": "7"}})", 1},
                      Passing{"ServerError", R"({"status": 500}, {"status": 502}, {"status": 504})",
                              3},
                      Passing{"ExpiredToken", R"({"status": 400, "code": "ExpiredToken"})", 1},
                      Passing{"IgnoredRanges", R"({"ignore_range": true, "times": -1})", 0},
                      Passing{"NoLength", R"({"no_length": true, "times": -1})", 0},
                      Passing{"NoLengthShort", R"({"no_length": true, "stop": 99999})", 1},
                      Passing{"Chunked", R"({"chunked": true, "times": -1})", 0},
                      Passing{"ChunkedShort", R"({"chunked": true, "stop": 99999})", 1},
                      Passing{"SmallerOnce", R"({"size": 299999})", 1},
                      Passing{"LargerOnce", R"({"size": 300001})", 1},
                      Passing{"NotYetThere", R"({"status": 416, "code": "InvalidRange"})", 1},
                      Passing{"ChangesOnce", R"({"etag": "\"old\""})", 1}),
    [](const auto& info) { return info.param.name; });

// Faults that last: a clear error of the right code.
struct Lasting {
  const char* name;
  const char* step;
  absl::StatusCode code;
  const char* message;
};

class LastingFault : public ::testing::TestWithParam<Lasting> {};

TEST_P(LastingFault, IsSaid) {
  Faulty faulty(GetParam().step);
  const absl::Status status = faulty.Fetch(/*attempts=*/2).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
  EXPECT_THAT(std::string(status.message()), HasSubstr(faulty.store->Uri("large")));
}

INSTANTIATE_TEST_SUITE_P(
    All, LastingFault,
    ::testing::Values(
        Lasting{"Forbidden", R"({"status": 403, "code": "AccessDenied", "times": -1})",
                absl::StatusCode::kPermissionDenied, "no permission, or no such object"},
        Lasting{"Missing", R"({"status": 404, "code": "NoSuchKey", "times": -1})",
                absl::StatusCode::kNotFound, "HTTP 404: NoSuchKey"},
        Lasting{"OtherRegion",
                R"({"status": 301, "code": "PermanentRedirect",
                    "headers": {"x-amz-bucket-region": "eu-west-3"}, "times": -1})",
                absl::StatusCode::kInvalidArgument, "the bucket is in region eu-west-3"},
        Lasting{"Compressed", R"({"gzip": true, "times": -1})", absl::StatusCode::kInvalidArgument,
                "Content-Encoding \"gzip\""},
        Lasting{"Expired", R"({"status": 400, "code": "ExpiredToken", "times": -1})",
                absl::StatusCode::kUnauthenticated, "2 attempts in 0, the last: HTTP 400"},
        Lasting{"Smaller", R"({"size": 250000, "times": -1})", absl::StatusCode::kDataLoss,
                "has 250000 bytes, expected 300000"},
        Lasting{"Larger", R"({"size": 300001, "times": -1})", absl::StatusCode::kDataLoss,
                "has 300001 bytes, expected 300000"},
        Lasting{"LargerWithoutLength",
                R"({"size": 300001, "no_length": true, "ignore_range": true, "times": -1})",
                absl::StatusCode::kDataLoss, "more bytes came than the expected 300000"},
        Lasting{"Busy", R"({"status": 503, "code": "SlowDown", "times": -1})",
                absl::StatusCode::kResourceExhausted, "HTTP 503: SlowDown"},
        Lasting{"NoSuchLocation",
                R"({"status": 302, "headers": {"Location": "ftp://127.0.0.1/x"}, "times": -1})",
                absl::StatusCode::kInvalidArgument, "rotocol"}),
    [](const auto& info) { return info.param.name; });

TEST(HttpStoreTest, GivesUpOnAServerThatStalls) {
  Faulty faulty(R"({"stop": 1000, "how": "stall"})", absl::Milliseconds(300));
  std::string version, out(faulty.contents.size(), '\0');
  const absl::Status status =
      faulty.store->ReadRange("large", out.size(), 0, absl::MakeSpan(out), &version);
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
}

TEST(HttpStoreTest, PassesOnHowLongToWait) {
  Faulty faulty(R"({"status": 503, "headers": {"Retry-After": "7"}})");
  EXPECT_EQ(RetryAfter(faulty.store->Read("large").status()), absl::Seconds(7));
}

TEST(HttpStoreTest, NoticesAChangeBetweenRanges) {
  Faulty faulty(R"({"etag": "\"v1\""}, {"etag": "\"v2\""})");
  std::string version, out(10, '\0');
  ASSERT_EQ(faulty.store->ReadRange("large", 300000, 0, absl::MakeSpan(out), &version),
            absl::OkStatus());
  EXPECT_EQ(version, "\"v1\"");
  EXPECT_TRUE(absl::IsFailedPrecondition(
      faulty.store->ReadRange("large", 300000, 10, absl::MakeSpan(out), &version)));
}

TEST(HttpStoreTest, FollowsRedirects) {
  Faulty faulty(R"({"status": 302, "headers": {"Location": "/plain"}})");
  EXPECT_EQ(*faulty.store->Read("large"), OddObjects().at("plain"));
}

TEST(HuggingFaceStoreTest, ReadsADataSetsFiles) {
  const std::string folder = absl::StrCat(std::getenv("TEST_TMPDIR"), "/hub");
  const std::string files = folder + "/datasets/org/name/resolve/";
  std::filesystem::create_directories(files + "main/train");
  std::filesystem::create_directories(files + "v1.0");
  std::ofstream(files + "main/train/k") << "of main";
  std::ofstream(files + "v1.0/k") << "of v1.0";
  const FaultServer server(folder, R"({"/datasets/org/name/resolve/main/train/gated":
      [{"status": 401, "headers": {"X-Error-Message": "Access is restricted"}}]})");
  setenv("HF_ENDPOINT", server.Address().c_str(), 1);
  setenv("HF_TOKEN", "hf_test", 1);

  const auto store = OpenHuggingFaceStore("hf://datasets/org/name/train", kTimeout);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ((*store)->Uri("k"), "hf://datasets/org/name/train/k");
  EXPECT_EQ(*(*store)->Read("k"), "of main");
  EXPECT_EQ(server.Requests().at(0).headers.at("authorization"), "Bearer hf_test");
  EXPECT_EQ(*(*OpenHuggingFaceStore("hf://datasets/org/name@v1.0/", kTimeout))->Read("k"),
            "of v1.0");
  const absl::Status gated = (*store)->Read("gated").status();
  EXPECT_TRUE(absl::IsUnauthenticated(gated));
  EXPECT_THAT(std::string(gated.message()), HasSubstr("Access is restricted"));
}

TEST(HuggingFaceStoreTest, SendsItsTokenToItsOwnHostAlone) {
  const std::string folder = absl::StrCat(std::getenv("TEST_TMPDIR"), "/elsewhere");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/blob") << "contents";
  const FaultServer elsewhere(folder);
  const FaultServer hub(folder,
                        absl::StrCat(R"({"/datasets/o/n/resolve/main/k": [{"status": 302, "headers":
                {"Location": ")",
                                     elsewhere.Address(), R"(/blob"}}]})"));
  setenv("HF_ENDPOINT", hub.Address().c_str(), 1);
  setenv("HF_TOKEN", "hf_test", 1);
  EXPECT_EQ(*(*OpenHuggingFaceStore("hf://datasets/o/n", kTimeout))->Read("k"), "contents");
  EXPECT_EQ(hub.Requests().at(0).headers.count("authorization"), 1);
  EXPECT_EQ(elsewhere.Requests().at(0).headers.count("authorization"), 0);
}

}  // namespace
}  // namespace tessera
