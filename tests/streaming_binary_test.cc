// Runs //data:streaming as a user does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/run_binary.h"
#include "tests/servers/fault_server.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kBinary[] = "data/streaming/streaming";
constexpr char kSet[] = "data/formats/mds/testdata/c_multi_shard";

std::string Path(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

TEST(StreamingBinaryTest, ReadsEachSampleOnceThroughFaultsAndCountsThem) {
  const FaultServer server(kSet, R"({"/shard.00000.mds": [{"status": 503}, {"stop": 100}],
                                     "/shard.00001.mds": [{"how": "reset", "stop": 10}]})");
  const std::vector<std::string> arguments = {"--remote=" + server.Address(),
                                              "--local=" + Path("cache"), "--raw", "--json"};
  const RunResult first = RunBinary(kBinary, arguments);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const nlohmann::json report = nlohmann::json::parse(first.out);
  EXPECT_EQ(report["samples"], report["expected_samples"]);
  EXPECT_EQ(report["retries"], 3);
  EXPECT_GT(report["bytes_fetched"], 0);

  const RunResult again = RunBinary(kBinary, arguments);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out)["requests"], 0) << "all is in the cache";
}

struct Fault {
  const char* name;
  const char* step;  // of the first request for a shard
};

class StoreFault : public ::testing::TestWithParam<Fault> {};

TEST_P(StoreFault, LosesNoSampleOfS3) {
  const std::string name = GetParam().name;
  const std::string served = Path("served_" + name);
  fs::create_directories(served);
  fs::copy(kSet, served + "/bucket", fs::copy_options::recursive);
  const FaultServer server(
      served, std::string(R"({"/bucket/shard.00000.mds": [)") + GetParam().step + "]}");
  setenv("S3_ENDPOINT_URL", server.Address().c_str(), 1);
  setenv("AWS_ACCESS_KEY_ID", "any", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "any", 1);
  const RunResult run = RunBinary(
      kBinary, {"--remote=s3://bucket", "--local=" + Path("cache_" + name), "--raw", "--json",
                "data.streaming.download_timeout=2", "data.streaming.validate_hash=sha1"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json report = nlohmann::json::parse(run.out);
  EXPECT_GT(report["samples"], 0);
  EXPECT_EQ(report["samples"], report["expected_samples"]);
}

INSTANTIATE_TEST_SUITE_P(
    All, StoreFault,
    ::testing::Values(
        Fault{"ShortBody", R"({"stop": 100})"}, Fault{"IgnoredRange", R"({"ignore_range": true})"},
        Fault{"OtherRegion", R"({"status": 301, "headers": {"x-amz-bucket-region": "eu-west-3"}})"},
        Fault{"RangeNotYetThere", R"({"status": 416, "code": "InvalidRange"})"},
        Fault{"TooMany", R"({"status": 429, "headers": {"Retry-After": "1"}})"},
        Fault{"SlowDown", R"({"status": 503, "code": "SlowDown", "times": 3})"},
        Fault{"Reset", R"({"stop": 100, "how": "reset"})"},
        Fault{"Stall", R"({"stop": 100, "how": "stall"})"},
        Fault{"ChangedEtag", R"({"etag": "\"old\""})"}, Fault{"OtherSize", R"({"size": 10})"},
        Fault{"ExpiredToken", R"({"status": 400, "code": "ExpiredToken"})"}),
    [](const auto& info) { return info.param.name; });

TEST(StreamingBinaryTest, SaysWhichObjectIsDeniedOrMissing) {
  const FaultServer server(kSet, R"({"/shard.00000.mds": [{"status": 403, "times": -1}],
                                     "/index.json": [{}, {"status": 404}]})");
  const RunResult denied =
      RunBinary(kBinary, {"--remote=" + server.Address(), "--local=" + Path("denied"), "--raw"});
  EXPECT_EQ(denied.exit_code, 1);
  EXPECT_THAT(denied.err, HasSubstr("/shard.00000.mds: HTTP 403"));
  const RunResult missing =
      RunBinary(kBinary, {"--remote=" + server.Address(), "--local=" + Path("missing"), "--raw"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("/index.json"));
}

TEST(StreamingBinaryTest, PrintsTheOrderOfEachRankWithoutShards) {
  const std::string folder = Path("index_alone");
  fs::create_directories(folder);
  fs::copy(std::string(kSet) + "/index.json", folder);
  std::multiset<int> seen;
  for (const char* const rank : {"0", "1"}) {
    const RunResult run =
        RunBinary(kBinary, {"--local=" + folder, "--print_order", "--epoch=1", "--world=2",
                            std::string("--rank=") + rank, "train_batch_size=8"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::istringstream ids(run.out);
    for (int id; ids >> id;) seen.insert(id);
  }
  const std::set<int> different(seen.begin(), seen.end());
  EXPECT_EQ(*different.rbegin() + 1, static_cast<int>(different.size())) << "every sample";
  EXPECT_LE(seen.size() - different.size(), 1u) << "repeats, at most ranks - 1";
}

TEST(StreamingBinaryTest, VerifyNamesTheShardThatIsDamaged) {
  const std::string folder = Path("damaged");
  fs::copy(kSet, folder, fs::copy_options::recursive);
  EXPECT_EQ(RunBinary(kBinary, {"--local=" + folder, "--verify"}).exit_code, 0);
  fs::resize_file(folder + "/shard.00001.mds", 100);
  const RunResult run = RunBinary(kBinary, {"--local=" + folder, "--verify"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("BAD"));
  EXPECT_THAT(run.out, HasSubstr("shard.00001.mds"));
}

TEST(StreamingBinaryTest, SaysWhatIsMissingInOneLine) {
  const RunResult run = RunBinary(kBinary, {"--local=" + Path("nowhere"), "--raw"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("nowhere"));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

}  // namespace
}  // namespace tessera
