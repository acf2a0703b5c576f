#include "data/streaming/streaming_set.h"

#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "data/formats/hash/hash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kSets[] = "data/formats/mds/testdata/";

// A copy of one of the sets that the Python package wrote, in a folder of its own.
std::string Copy(const std::string& set, const std::string& name) {
  const std::string to = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
  fs::remove_all(to);
  fs::create_directories(fs::path(to).parent_path());
  fs::copy(absl::StrCat(kSets, set), to, fs::copy_options::recursive);
  return to;
}

std::string NewFolder(const std::string& name) {
  const std::string folder = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
  fs::remove_all(folder);
  return folder;
}

absl::StatusOr<std::shared_ptr<const StreamingSet>> Open(const std::string& text,
                                                         const std::string& split = "") {
  StreamingConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return StreamingSet::Open(config, split);
}

std::string Local(const std::string& folder) { return absl::StrCat("local: '", folder, "' "); }
std::string Remote(const std::string& folder) { return absl::StrCat("remote: '", folder, "' "); }

// The payloads of all samples.
absl::StatusOr<std::vector<std::vector<std::string>>> ReadAll(const StreamingSet& set) {
  std::vector<std::vector<std::string>> all;
  Record record;
  for (int64_t i = 0; i < set.size(); ++i) {
    if (const absl::Status status = set.Get(i, &record); !status.ok()) return status;
    std::vector<std::string>& sample = all.emplace_back();
    for (const Part& part : record.parts) sample.emplace_back(part.value);
  }
  return all;
}

std::string ErrorOf(const absl::StatusOr<std::shared_ptr<const StreamingSet>>& set) {
  if (!set.ok()) return std::string(set.status().message());
  return std::string(ReadAll(**set).status().message());
}

TEST(StreamingSetTest, CompressedSetsHoldWhatPlainOnesDo) {
  const auto plain = ReadAll(**Open(Local(absl::StrCat(kSets, "a_plain")))).value();
  EXPECT_FALSE(plain.empty());
  const std::string zipped = Copy("b_zstd_hashes", "zipped");
  EXPECT_EQ(ReadAll(**Open(Local(zipped))).value(), plain);
  EXPECT_TRUE(fs::exists(zipped + "/shard.00000.mds.zstd")) << "the only copy";
}

TEST(StreamingSetTest, FetchesThroughTheCache) {
  const std::string remote = Copy("b_zstd_hashes", "store");
  const std::string cache = NewFolder("cache");
  const std::string config = Remote(remote) + Local(cache) + "validate_hash: 'sha1'";
  const auto plain = ReadAll(**Open(Local(absl::StrCat(kSets, "a_plain")))).value();
  {
    const auto set = Open(config).value();
    EXPECT_EQ(ReadAll(*set).value(), plain);
    EXPECT_EQ(set->CacheUse().misses, static_cast<int64_t>(set->num_shards()));
    int64_t bytes = static_cast<int64_t>(fs::file_size(remote + "/index.json"));
    for (size_t i = 0; i < set->num_shards(); ++i) {
      bytes += static_cast<int64_t>(set->file(i).zip->bytes);
    }
    EXPECT_EQ(set->fetch_counters().bytes, bytes);
    EXPECT_FALSE(fs::exists(cache + "/shard.00000.mds.zstd")) << "not kept unless asked for";
  }
  fs::remove_all(remote);
  const auto again = Open(config).value();
  EXPECT_EQ(ReadAll(*again).value(), plain) << "all is in the cache";
  EXPECT_EQ(again->CacheUse().misses, 0);
  EXPECT_EQ(again->fetch_counters().requests, 0);
}

TEST(StreamingSetTest, ReadsAFolderOfThisMachineWhereItIs) {
  const std::string remote = Copy("c_multi_shard", "in_place");
  for (const std::string& uri : {remote, remote + "/", "file://" + remote}) {
    const auto set = Open(Remote(uri));
    ASSERT_TRUE(set.ok()) << set.status();
    EXPECT_TRUE(ReadAll(**set).ok());
    EXPECT_FALSE((*set)->fetches());
  }
}

TEST(StreamingSetTest, SplitsAreFolders) {
  const std::string sets = absl::StrCat(kSets, "h_splits");
  EXPECT_EQ(ReadAll(**Open(Local(sets), "train")).value(),
            ReadAll(**Open(Local(sets + "/train"))).value());
  EXPECT_THAT(ErrorOf(Open(Local(sets), "test")),
              AllOf(HasSubstr("h_splits/test"), HasSubstr("is not an MDS data set")));
}

TEST(StreamingSetTest, ReadsMergedIndexes) {
  EXPECT_TRUE(ReadAll(**Open(Local(absl::StrCat(kSets, "d_merged")))).ok());
}

TEST(StreamingSetTest, StreamsFollowEachOther) {
  const std::string one = absl::StrCat(kSets, "a_plain"), two = absl::StrCat(kSets, "g_single");
  const auto set =
      Open(absl::StrCat("streams { ", Local(one), "} streams { ", Local(two), "}")).value();
  auto want = ReadAll(**Open(Local(one))).value();
  const auto more = ReadAll(**Open(Local(two))).value();
  want.insert(want.end(), more.begin(), more.end());
  EXPECT_EQ(ReadAll(*set).value(), want);
  EXPECT_EQ(set->shard_samples().size(), 2u);
}

TEST(StreamingSetTest, NamesWhatIsMissing) {
  EXPECT_THAT(ErrorOf(Open("")), HasSubstr("neither remote nor local is set"));
  EXPECT_THAT(ErrorOf(Open("local: '/no/such'")), HasSubstr("/no/such"));
  EXPECT_THAT(ErrorOf(Open(Local(absl::StrCat(kSets, "g_empty_dataset")))),
              HasSubstr("has no samples"));
  EXPECT_THAT(ErrorOf(Open("remote: 'ftp://host/set'")), HasSubstr("ftp://host/set"));
  EXPECT_THAT(ErrorOf(Open("local: 'a' streams { local: 'b' }")), HasSubstr("one or the other"));
  EXPECT_THAT(ErrorOf(Open("streams { local: 'a' } streams { local: './a/' }")),
              HasSubstr("two streams have the folder"));
  EXPECT_THAT(ErrorOf(Open(Local(absl::StrCat(kSets, "a_plain")) + "cache_limit: 'lots'")),
              HasSubstr("data.streaming.cache_limit"));
}

// F1: a missing shard must not end an epoch early.
TEST(StreamingSetTest, AMissingShardIsAnErrorAtItsSample) {
  const std::string remote = Copy("c_multi_shard", "gap");
  fs::remove(remote + "/shard.00001.mds");
  for (const std::string& config :
       {Local(remote), Remote(remote) + Local(NewFolder("gap_cache"))}) {
    const auto set = Open(config).value();
    EXPECT_THAT(ErrorOf(set), HasSubstr("shard.00001.mds"));
    Record record;
    EXPECT_TRUE(set->Get(0, &record).ok());
  }
}

TEST(StreamingSetTest, VerifyComparesTheHashesOfTheIndex) {
  const std::string folder = Copy("c_multi_shard", "flipped");
  const std::string path = folder + "/shard.00002.mds";
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-1, std::ios::end);
    const char last = static_cast<char>(file.get() ^ 1);
    file.seekp(-1, std::ios::end);
    file.put(last);
  }
  const auto set = Open(Local(folder)).value();
  for (size_t shard = 0; shard < set->num_shards(); ++shard) {
    EXPECT_EQ(set->Verify(shard).ok(), shard != 2) << shard;
  }
  EXPECT_THAT(std::string(set->Verify(2).message()), AllOf(HasSubstr(path), HasSubstr("sha1")));
}

TEST(StreamingSetTest, VerifyFindsDamage) {
  const std::string folder = Copy("c_multi_shard", "damaged");
  const std::string path = folder + "/shard.00001.mds";
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);
    file.write("\xff\xff\xff\x7f", 4);  // an offset beyond the end
  }
  const auto set = Open(Local(folder)).value();
  for (size_t shard = 0; shard < set->num_shards(); ++shard) {
    EXPECT_EQ(set->Verify(shard).ok(), shard != 1) << shard;
  }
  EXPECT_THAT(std::string(set->Verify(1).message()), HasSubstr(path));
  EXPECT_THAT(ErrorOf(set), HasSubstr(path)) << "reading is safe, too";
}

// Of the files in a cache's folder.
uint64_t BytesIn(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != ".tessera.lock") bytes += entry.file_size();
  }
  return bytes;
}

TEST(StreamingSetTest, TheIndexCountsTowardsTheLimit) {
  const std::string remote = Copy("b_zstd_hashes", "counted"), cache = NewFolder("counted_cache");
  const uint64_t largest = 7768 + 2334;  // with its compressed form
  const uint64_t least = largest + fs::file_size(remote + "/index.json");
  const std::string config = Remote(remote) + Local(cache);
  EXPECT_THAT(ErrorOf(Open(absl::StrCat(config, "cache_limit: '", least - 1, "b'"))),
              HasSubstr(absl::StrCat("the least that works is ", least)));
  const auto set = Open(absl::StrCat(config, "cache_limit: '", least, "b'")).value();
  for (int64_t i = 0; i < set->size(); ++i) {
    Record record;  // one that is kept pins its shard, and there's room for one alone
    ASSERT_TRUE(set->Get(i, &record).ok());
    ASSERT_LE(BytesIn(cache), least);
  }
  EXPECT_EQ(set->CacheUse().bytes_on_disk, BytesIn(cache));
}

TEST(StreamingSetTest, RefusesALimitThatHoldsNoShard) {
  const std::string remote = Copy("c_multi_shard", "limited");
  EXPECT_THAT(
      ErrorOf(Open(Remote(remote) + Local(NewFolder("limited_cache")) + "cache_limit: '100b'")),
      HasSubstr("limit"));
}

}  // namespace
}  // namespace tessera
