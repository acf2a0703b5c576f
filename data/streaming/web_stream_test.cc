#include "data/streaming/web_stream.h"

#include <google/protobuf/text_format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "data/formats/compression/compression.h"
#include "data/formats/webdataset/web_writer.h"
#include "data/streaming/streaming_set.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Lines = std::vector<std::string>;

std::string NewFolder(const std::string& name) {
  const std::string folder = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

// Shards 0.tar, 1.tar, ... of two samples each, with the keys "PREFIX0", "PREFIX1", ...
void WriteShards(const std::string& folder, int shards, const std::string& prefix = "k") {
  auto writer = WebDatasetWriter::Create(folder, {.pattern = "%d.tar", .sample_limit = 2});
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (int i = 0; i < 2 * shards; ++i) {
    const std::string key = absl::StrCat(prefix, i), value = absl::StrCat(i);
    const std::vector<TarField> fields = {{"cls", value}, {"txt", key}};
    ASSERT_TRUE(writer->Write(key, fields).ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
}

absl::StatusOr<std::shared_ptr<const StreamingSet>> Open(const std::string& text) {
  StreamingConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("format: WEBDATASET " + text, &config));
  return StreamingSet::Open(config, "");
}

std::string Local(const std::string& folder) { return absl::StrCat("local: '", folder, "' "); }
std::string Remote(const std::string& folder) { return absl::StrCat("remote: '", folder, "' "); }
std::string Shards(const std::string& list) { return absl::StrCat("shards: '", list, "' "); }

// The samples as "EXTENSION=VALUE ...".
absl::StatusOr<Lines> ReadAll(const StreamingSet& set) {
  Lines lines;
  Record record;
  for (int64_t i = 0; i < set.size(); ++i) {
    if (const absl::Status status = set.Get(i, &record); !status.ok()) return status;
    std::string& line = lines.emplace_back();
    for (const Part& part : record.parts) {
      absl::StrAppend(&line, line.empty() ? "" : " ", part.name, "=", part.value);
    }
  }
  return lines;
}

Lines ReadAll(const std::string& config) {
  const auto set = Open(config);
  EXPECT_TRUE(set.ok()) << set.status();
  if (!set.ok()) return {};
  absl::StatusOr<Lines> lines = ReadAll(**set);
  EXPECT_TRUE(lines.ok()) << lines.status();
  return lines.ok() ? *std::move(lines) : Lines();
}

std::string ErrorOf(const std::string& config) {
  const auto set = Open(config);
  return std::string(set.ok() ? ReadAll(**set).status().message() : set.status().message());
}

Lines Samples(int begin, int end, const std::string& prefix = "k") {
  Lines lines;
  for (int i = begin; i < end; ++i) {
    lines.push_back(absl::StrCat("__key__=", prefix, i, " cls=", i, " txt=", prefix, i));
  }
  return lines;
}

std::set<std::string> Names(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != ".tessera.lock") names.insert(entry.path().filename());
  }
  return names;
}

// Changes whenever a file is written anew.
ino_t Inode(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_ino;
}

void Compress(const std::string& path, const std::string& codec) {
  const std::string zip = *Codec::Parse(codec)->Compress(*ReadFile(path));
  ASSERT_TRUE(WriteFile(absl::StrCat(path, ".", codec), zip).ok());
  fs::remove(path);
}

// Damages the header of the second sample's first file. Each sample takes four blocks.
void Damage(const std::string& path) {
  std::string tar = *ReadFile(path);
  tar[2048] ^= 1;
  ASSERT_TRUE(WriteFile(path, tar).ok());
}

TEST(WebStreamTest, ReadsAFolder) {
  const std::string folder = NewFolder("folder");
  WriteShards(folder, 3);
  const auto set = Open(Local(folder) + Shards("{0..2}.tar")).value();
  EXPECT_EQ(set->size(), 6);
  EXPECT_THAT(set->shard_samples(), ElementsAre(ElementsAre(2, 2, 2)));
  EXPECT_EQ(ReadAll(*set).value(), Samples(0, 6));
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(set->Verify(i).ok()) << set->Verify(i);
  EXPECT_EQ(ReadAll(Local(folder) + Shards("2.tar::0.tar")).front(), Samples(4, 5).front());
}

TEST(WebStreamTest, FetchesThroughTheCacheAndNeedsNoStoreLater) {
  const std::string remote = NewFolder("remote"), cache = NewFolder("cache");
  WriteShards(remote, 3);
  const std::string config = Remote(remote) + Local(cache) + Shards("{0..2}.tar");
  EXPECT_EQ(ReadAll(config), Samples(0, 6));
  EXPECT_EQ(Names(remote), (std::set<std::string>{"0.tar", "1.tar", "2.tar"}));
  fs::remove_all(remote);
  const auto again = Open(config).value();
  EXPECT_EQ(ReadAll(*again).value(), Samples(0, 6));
  EXPECT_EQ(again->fetch_counters().requests, 0);
}

TEST(WebStreamTest, ShardsThatWereEvictedAreNotFetchedToBeCounted) {
  const std::string remote = NewFolder("limited"), cache = NewFolder("limited_cache");
  WriteShards(remote, 4);
  const std::string config =
      Remote(remote) + Local(cache) + Shards("{0..3}.tar") + "cache_limit: '25000b'";
  EXPECT_EQ(ReadAll(config), Samples(0, 8));
  const auto again = Open(config).value();
  EXPECT_EQ(again->fetch_counters().bytes, 0);
  EXPECT_LE(again->CacheUse().bytes_on_disk, 25000u);
  EXPECT_EQ(ReadAll(*again).value(), Samples(0, 8));
}

TEST(WebStreamTest, AnIndexIsKeptUntilTheTarChanges) {
  const std::string folder = NewFolder("kept");
  WriteShards(folder, 2);
  const std::string config = Local(folder) + Shards("{0..1}.tar");
  EXPECT_EQ(ReadAll(config), Samples(0, 4));
  const std::string first = folder + "/.0.tar.tessera.index";
  const std::string second = folder + "/.1.tar.tessera.index";
  const ino_t first_inode = Inode(first), second_inode = Inode(second);
  fs::create_hard_link(first, first + ".old");  // keep the inodes from being used again
  fs::create_hard_link(second, second + ".old");
  EXPECT_EQ(ReadAll(config), Samples(0, 4));
  EXPECT_EQ(Inode(first), first_inode);

  const std::string changed = NewFolder("changed");
  WriteShards(changed, 1, "other");
  fs::copy(changed + "/0.tar", folder + "/0.tar", fs::copy_options::overwrite_existing);
  fs::last_write_time(folder + "/0.tar",
                      fs::last_write_time(folder + "/1.tar") + std::chrono::seconds(1));
  Lines expected = Samples(0, 2, "other");
  for (const std::string& line : Samples(2, 4)) expected.push_back(line);
  EXPECT_EQ(ReadAll(config), expected);
  EXPECT_NE(Inode(first), first_inode);
  EXPECT_EQ(Inode(second), second_inode);
}

TEST(WebStreamTest, ADamagedIndexIsBuiltAgain) {
  const std::string folder = NewFolder("bad_index");
  WriteShards(folder, 1);
  const std::string config = Local(folder) + Shards("0.tar");
  EXPECT_EQ(ReadAll(config), Samples(0, 2));
  ASSERT_TRUE(WriteFile(folder + "/.0.tar.tessera.index", "TesseraTarIndex1 what?").ok());
  EXPECT_EQ(ReadAll(config), Samples(0, 2));
}

TEST(WebStreamTest, AStoresTarThatChangedIsFetchedAndIndexedAnew) {
  const std::string remote = NewFolder("changing"), cache = NewFolder("changing_cache");
  WriteShards(remote, 1);
  const std::string config = Remote(remote) + Local(cache) + Shards("0.tar");
  EXPECT_EQ(ReadAll(config), Samples(0, 2));
  fs::remove(cache + "/0.tar");  // as if evicted
  auto writer = WebDatasetWriter::Create(remote, {.pattern = "%d.tar"});
  const std::string big(20'000, 'x');
  ASSERT_TRUE(writer->Write("big", std::vector<TarField>{{"txt", big}}).ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_THAT(ReadAll(config), ElementsAre("__key__=big txt=" + big));
}

TEST(WebStreamTest, AnotherTarOfTheSameSizeIsAnError) {
  const std::string remote = NewFolder("swapped"), cache = NewFolder("swapped_cache");
  WriteShards(remote, 1);
  const std::string config = Remote(remote) + Local(cache) + Shards("0.tar");
  EXPECT_EQ(ReadAll(config), Samples(0, 2));
  auto writer = WebDatasetWriter::Create(cache, {.pattern = "%d.tar"});
  const std::string value(2000, 'x');
  ASSERT_TRUE(writer->Write("a", std::vector<TarField>{{"txt", value}}).ok());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_THAT(ErrorOf(config), AllOf(HasSubstr("0.tar, sample 0: it is not the tar"),
                                     HasSubstr(".0.tar.tessera.index")));
}

TEST(WebStreamTest, CompressedShardsAreExpandedInTheCache) {
  const std::string remote = NewFolder("zips");
  WriteShards(remote, 3);
  Compress(remote + "/0.tar", "gz");
  Compress(remote + "/1.tar", "bz2");
  Compress(remote + "/2.tar", "zstd");
  const std::string shards = Shards("0.tar.gz::1.tar.bz2::2.tar.zstd");
  const std::string cache = NewFolder("zips_cache");
  EXPECT_EQ(ReadAll(Remote(remote) + Local(cache) + shards), Samples(0, 6));
  EXPECT_TRUE(fs::exists(cache + "/0.tar.gz.expanded"));
  EXPECT_FALSE(fs::exists(cache + "/0.tar.gz")) << "not kept unless asked for";
  EXPECT_EQ(ReadAll(Local(remote) + shards), Samples(0, 6)) << "where they are";
  fs::remove_all(remote);
  EXPECT_EQ(ReadAll(Remote(remote) + Local(cache) + shards), Samples(0, 6)) << "all is cached";
}

TEST(WebStreamTest, CompressionIsKnownByTheFirstBytes) {
  const std::string folder = NewFolder("named");
  WriteShards(folder, 1);
  Compress(folder + "/0.tar", "gz");
  // Several members, too.
  const std::string zip = *ReadFile(folder + "/0.tar.gz") + *Codec::Parse("gz")->Compress("");
  ASSERT_TRUE(WriteFile(folder + "/0.tar", zip).ok());
  EXPECT_EQ(ReadAll(Local(folder) + Shards("0.tar")), Samples(0, 2));
}

TEST(WebStreamTest, XzShardsAreRead) {
  const std::string folder = NewFolder("xz"), cache = NewFolder("xz_cache");
  const std::string data = "data/formats/webdataset/testdata/";
  for (const char* const name : {"xzipped.tar.xz", "two_members.tar.xz", "gzipped.tar.gz"}) {
    fs::copy(data + name, folder);
  }
  const auto expected = ReadAll(Local(folder) + Shards("gzipped.tar.gz"));
  EXPECT_FALSE(expected.empty());
  for (const std::string& places : {Local(folder), Remote(folder) + Local(cache)}) {
    EXPECT_EQ(ReadAll(places + Shards("xzipped.tar.xz")), expected);
    EXPECT_EQ(ReadAll(places + Shards("two_members.tar.xz")), expected);
  }
}

TEST(WebStreamTest, DamageIsAnErrorWithItsByte) {
  const std::string folder = NewFolder("damage"), cache = NewFolder("damage_cache");
  WriteShards(folder, 2);
  Damage(folder + "/1.tar");
  const std::string shards = Shards("{0..1}.tar");
  EXPECT_THAT(ErrorOf(Local(folder) + shards),
              HasSubstr(folder + "/1.tar, byte 2048: found a damaged header"));
  EXPECT_THAT(ErrorOf(Remote(folder) + Local(cache) + shards), HasSubstr("1.tar, byte 2048"));
  EXPECT_FALSE(fs::exists(cache + "/1.tar")) << "it may be mended in the store";
  WriteShards(folder, 2);
  EXPECT_EQ(ReadAll(Remote(folder) + Local(cache) + shards), Samples(0, 4));
}

TEST(WebStreamTest, WhatIsBeforeDamageIsUsedIfSoConfigured) {
  const std::string folder = NewFolder("skip");
  WriteShards(folder, 2);
  Damage(folder + "/0.tar");
  const std::string config = Local(folder) + Shards("{0..1}.tar");
  for (int run = 0; run < 2; ++run) {  // the second finds the index
    testing::internal::CaptureStderr();
    const auto set = Open(config + "bad_shards: SKIP");
    const std::string log = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(set.ok()) << set.status();
    // The first sample may have had another file in the place that is damaged.
    EXPECT_EQ(ReadAll(**set).value(), Samples(2, 4));
    EXPECT_EQ((*set)->num_shards(), 1u) << "one without samples is none";
    EXPECT_THAT(log, AllOf(HasSubstr("left out 1 samples that were seen, 10240 bytes: "),
                           HasSubstr("0.tar, byte 2048: found a damaged header"),
                           HasSubstr("in 1 of 2 shards")));
  }
  EXPECT_THAT(ErrorOf(config), HasSubstr("byte 2048")) << "also after a run that skipped it";
}

// A tar that cannot be expanded is an error, or left out whole.
void ExpectLeftOut(const std::string& folder, const std::string& name, const std::string& zip,
                   const std::string& error) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(WriteFile(folder + "/" + name, zip).ok());
  const std::string config = Local(folder) + Shards(name + "::1.tar");
  EXPECT_THAT(ErrorOf(config), AllOf(HasSubstr(name), HasSubstr(error)));
  for (int run = 0; run < 2; ++run) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(ReadAll(config + "bad_shards: SKIP"), Samples(2, 4));
    EXPECT_THAT(
        testing::internal::GetCapturedStderr(),
        AllOf(HasSubstr(error), HasSubstr(absl::StrCat(zip.size(), " bytes, in 1 of 2 shards"))));
  }
}

TEST(WebStreamTest, ACutOrDamagedCompressedShardIsAnErrorOrLeftOutWhole) {
  const std::string folder = NewFolder("cut");
  WriteShards(folder, 2);
  const std::string tar = *ReadFile(folder + "/0.tar");
  const std::string xz = *ReadFile("data/formats/webdataset/testdata/xzipped.tar.xz");
  const std::string gz = *Codec::Parse("gz")->Compress(tar);
  std::string zstd = *Codec::Parse("zstd")->Compress(tar);
  zstd[zstd.size() / 2] ^= 0x55;
  ExpectLeftOut(folder, "cut.tar.gz", gz.substr(0, gz.size() / 2),
                "cannot decompress gz: it is cut short");
  ExpectLeftOut(folder, "cut.tar.xz", xz.substr(0, xz.size() / 2), "cannot decompress xz");
  ExpectLeftOut(folder, "damaged.tar.zstd", zstd, "cannot decompress zst");
}

TEST(WebStreamTest, AMissingShardIsAnErrorUnderEitherPolicy) {
  const std::string folder = NewFolder("missing"), cache = NewFolder("missing_cache");
  WriteShards(folder, 1);
  for (const std::string& places : {Local(folder), Remote(folder) + Local(cache)}) {
    EXPECT_THAT(ErrorOf(places + Shards("{0..1}.tar") + "bad_shards: SKIP"),
                HasSubstr(folder + "/1.tar"));
  }
}

TEST(WebStreamTest, NamesOfPartsAreCheckedAtOnce) {
  const std::string folder = NewFolder("parts");
  WriteShards(folder, 1);
  const auto set = Open(Local(folder) + Shards("0.tar")).value();
  EXPECT_TRUE(set->RequireParts({"__key__", "cls", "txt"}).ok());
  EXPECT_THAT(std::string(set->RequireParts({"cls", "jpg"}).message()),
              HasSubstr("0.tar, sample 0 (k0) has no file \"jpg\"; it has cls, txt and __key__"));
}

TEST(WebStreamTest, VerifyFindsAnotherTar) {
  const std::string folder = NewFolder("verify");
  WriteShards(folder, 1);
  const auto set = Open(Local(folder) + Shards("0.tar")).value();
  std::string tar = *ReadFile(folder + "/0.tar");
  tar.replace(1024, 1024, 1024, '\0');  // ends after the first file
  ASSERT_TRUE(WriteFile(folder + "/0.tar", tar).ok());
  EXPECT_THAT(std::string(set->Verify(0).message()), HasSubstr(folder + "/0.tar"));
}

// An index as widsindex writes it.
void WriteList(const std::string& folder, const std::vector<int>& samples) {
  nlohmann::json list = {{"wids_version", 1}, {"shardlist", nlohmann::json::array()}};
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::string name = absl::StrCat(i, ".tar");
    list["shardlist"].push_back({{"url", name},
                                 {"nsamples", samples[i]},
                                 {"filesize", fs::file_size(absl::StrCat(folder, "/", name))}});
  }
  ASSERT_TRUE(WriteFile(folder + "/list.json", list.dump()).ok());
}

TEST(WebStreamTest, AListWithCountsFetchesNothingFirst) {
  const std::string remote = NewFolder("listed"), cache = NewFolder("listed_cache");
  WriteShards(remote, 3);
  WriteList(remote, {2, 2, 2});
  const std::string config = Remote(remote) + Local(cache) + Shards("list.json");
  const auto set = Open(config).value();
  EXPECT_EQ(set->fetch_counters().requests, 1) << "the list";
  EXPECT_EQ(set->size(), 6);
  Record record;
  ASSERT_TRUE(set->Get(2, &record).ok());
  EXPECT_EQ(Names(cache), (std::set<std::string>{"list.json", "1.tar", ".1.tar.tessera.index"}));
  EXPECT_EQ(ReadAll(*set).value(), Samples(0, 6));
  EXPECT_TRUE(set->Verify(0).ok());
  fs::remove_all(remote);
  EXPECT_EQ(ReadAll(config), Samples(0, 6));
}

TEST(WebStreamTest, AWrongCountIsAnError) {
  const std::string folder = NewFolder("miscounted");
  WriteShards(folder, 2);
  WriteList(folder, {2, 3});
  const std::string config = Local(folder) + Shards("list.json");
  const std::string error = "1.tar has 2 samples, but in the list of shards 3";
  const auto set = Open(config).value();
  EXPECT_THAT(std::string(ReadAll(*set).status().message()), HasSubstr(error)) << "when it is read";
  EXPECT_THAT(std::string(Open(config).status().message()), HasSubstr(error)) << "when it is known";
}

TEST(WebStreamTest, DamageOfAListedShardIsToldWhenItIsRead) {
  const std::string folder = NewFolder("listed_damage");
  WriteShards(folder, 2);
  WriteList(folder, {2, 2});
  Damage(folder + "/1.tar");
  const std::string config = Local(folder) + Shards("list.json");
  EXPECT_THAT(ErrorOf(config), HasSubstr("1.tar, byte 2048: found a damaged header"));
}

TEST(WebStreamTest, WhatIsDamagedOfAListIsLeftOutFromTheFirstRunOn) {
  const std::string folder = NewFolder("list_skip"), cache = NewFolder("list_skip_cache");
  WriteShards(folder, 2);
  WriteList(folder, {2, 2});
  const std::string tar = *ReadFile(folder + "/1.tar");
  ASSERT_TRUE(WriteFile(folder + "/1.tar", tar.substr(0, 2100)).ok());
  for (const std::string& places : {Remote(folder) + Local(cache), Local(folder)}) {
    for (int run = 0; run < 2; ++run) {
      const auto set = Open(places + Shards("list.json") + "bad_shards: SKIP");
      ASSERT_TRUE(set.ok()) << set.status();
      EXPECT_LT((*set)->size(), 4);
      EXPECT_EQ(ReadAll(**set).value().size(), static_cast<size_t>((*set)->size()));
    }
  }
}

TEST(WebStreamTest, ABadListIsAnError) {
  const std::string folder = NewFolder("bad_list");
  WriteShards(folder, 1);
  const auto error_of = [&](const std::string& text) {
    EXPECT_TRUE(WriteFile(folder + "/list.json", text).ok());
    return ErrorOf(Local(folder) + Shards("list.json"));
  };
  EXPECT_THAT(error_of("{"), AllOf(HasSubstr(folder + "/list.json"), HasSubstr("a JSON object")));
  EXPECT_THAT(error_of("{}"), HasSubstr("wids_version 1"));
  EXPECT_THAT(error_of(R"({"wids_version": 1})"), HasSubstr("\"shardlist\""));
  EXPECT_THAT(error_of(R"({"wids_version": 1, "shardlist": [7]})"), HasSubstr("shardlist[0]"));
  EXPECT_THAT(error_of(R"({"wids_version": 1, "shardlist": [{"url": "0.tar", "nsamples": -1}]})"),
              HasSubstr("\"nsamples\""));
  EXPECT_THAT(
      error_of(R"({"wids_version": 1, "shardlist": [{"url": "s3://a/0.tar", "nsamples": 2}]})"),
      HasSubstr("found the url s3://a/0.tar"));
  EXPECT_THAT(error_of(R"({"wids_version": 1, "shardlist": []})"), HasSubstr("has no samples"));
}

TEST(WebStreamTest, ShardsMustBeNamed) {
  EXPECT_THAT(ErrorOf(Local("a")), HasSubstr("data.streaming.shards is not set"));
  EXPECT_THAT(ErrorOf(Local("a") + Shards("{0..2.tar")),
              AllOf(HasSubstr("data.streaming.shards: "), HasSubstr("character 1")));
}

TEST(WebStreamTest, AFolderThatCannotBeWrittenToIsNoError) {
  const std::string folder = NewFolder("read_only");
  WriteShards(folder, 2);
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(ReadAll(Local(folder) + Shards("{0..1}.tar")), Samples(0, 4));
  fs::permissions(folder, fs::perms::owner_all);
}

}  // namespace
}  // namespace tessera
