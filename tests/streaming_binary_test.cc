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
