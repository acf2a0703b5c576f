#include "data/formats/mds/mds_index.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/read_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A shard's entry, as the Python package writes it.
constexpr char kShard[] =
    R"({"column_encodings": ["int", "str"], "column_names": ["i", "s"], "column_sizes": [8, null], )"
    R"("compression": "zstd:7", "format": "mds", "hashes": ["sha1"], "raw_data": {"basename": )"
    R"("shard.00000.mds", "bytes": 510, "hashes": {"sha1": "00ff"}}, "samples": 14, "size_limit": )"
    R"(512, "version": 2, "zip_data": {"basename": "shard.00000.mds.zstd", "bytes": 99, "hashes": )"
    R"({"sha1": "11ff"}}})";

std::string Index(absl::string_view shards) {
  return absl::StrCat("{\"shards\": [", shards, "], \"version\": 2}");
}

// The index of one shard, with a part of it replaced.
std::string Changed(absl::string_view from, absl::string_view to) {
  const std::string changed = absl::StrReplaceAll(kShard, {{from, to}});
  EXPECT_NE(changed, kShard) << from;
  return Index(changed);
}

std::string Error(const std::string& text) {
  const auto shards = ParseMdsIndex(text, "set/index.json");
  EXPECT_FALSE(shards.ok()) << text;
  return std::string(shards.status().message());
}

std::vector<std::string> Names(const std::vector<MdsShardInfo>& shards) {
  std::vector<std::string> names;
  for (const MdsShardInfo& shard : shards) names.push_back(shard.file.raw.name);
  return names;
}

std::string Contents(const std::string& path) { return *ReadFile(path); }

TEST(MdsIndexTest, HoldsWhatPythonWrote) {
  const auto shards = ParseMdsIndex(Index(kShard), "index.json");
  ASSERT_TRUE(shards.ok()) << shards.status();
  ASSERT_EQ(shards->size(), 1u);
  const MdsShardInfo& shard = shards->front();
  EXPECT_EQ(shard.samples, 14u);
  EXPECT_EQ(shard.size_limit, 512u);
  EXPECT_EQ(shard.file.compression, "zstd:7");
  EXPECT_EQ(shard.file.raw.name, "shard.00000.mds");
  EXPECT_EQ(shard.file.raw.bytes, 510u);
  EXPECT_EQ(shard.file.raw.hashes.at(0).algorithm, "sha1");
  EXPECT_EQ(shard.file.raw.hashes.at(0).hex, "00ff");
  EXPECT_EQ(shard.file.zip->name, "shard.00000.mds.zstd");
  EXPECT_EQ(shard.file.zip->bytes, 99u);
  EXPECT_EQ(shard.file.zip->hashes.at(0).hex, "11ff");
  EXPECT_THAT(*shard.schema, ElementsAre(MdsColumn{"i", "int", 8}, MdsColumn{"s", "str", 0}));
  EXPECT_EQ(MdsIndexText(*shards), Index(kShard));
}

TEST(MdsIndexTest, ShardsShareEqualSchemas) {
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    absl::StrAppend(&many, i == 0 ? "" : ", ",
                    absl::StrReplaceAll(kShard, {{"00000", absl::StrCat(i)},
                                                 {"\"str\"", i % 2 == 0 ? "\"str\"" : "\"png\""}}));
  }
  const auto shards = ParseMdsIndex(Index(many), "index.json");
  ASSERT_TRUE(shards.ok()) << shards.status();
  ASSERT_EQ(shards->size(), 1000u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ((*shards)[i].schema, (*shards)[i % 2].schema);
    EXPECT_EQ((*shards)[i].file.raw.name, absl::StrCat("shard.", i, ".mds"));
  }
  EXPECT_EQ((*shards)[1].schema->at(1).encoding, "png");
}

TEST(MdsIndexTest, WhatIsNotKnownIsIgnored) {
  for (const std::string& text :
       {Changed("\"samples\"", "\"shards\": [{\"x\": {}}], \"later\": {\"a\": [1]}, \"samples\""),
        absl::StrCat("\xef\xbb\xbf", Index(kShard)),
        absl::StrReplaceAll(Index(kShard),
                            {{"{\"shards\"", "{\"other\": {\"shards\": [{}]}, \"shards\""}}),
        absl::StrReplaceAll(Index(kShard), {{"], \"version\": 2}", "], \"more\": [[{}]]}"}})}) {
    const auto shards = ParseMdsIndex(text, "index.json");
    ASSERT_TRUE(shards.ok()) << shards.status() << text;
    EXPECT_THAT(Names(*shards), ElementsAre("shard.00000.mds"));
  }
}

TEST(MdsIndexTest, EmptySetsAndShardsAreRead) {
  EXPECT_EQ(ParseMdsIndex(Index(""), "index.json")->size(), 0u);
  EXPECT_EQ(MdsIndexText({}), Index(""));
  EXPECT_EQ(ParseMdsIndex(Changed("14", "0"), "index.json")->front().samples, 0u);
}

TEST(MdsIndexTest, TextThatIsNoIndexIsNamed) {
  EXPECT_THAT(Error(""), AllOf(HasSubstr("set/index.json"), HasSubstr("empty")));
  const std::string index = Index(kShard);
  for (size_t size = 1; size < index.size(); ++size) {
    EXPECT_THAT(Error(index.substr(0, size)),
                AllOf(HasSubstr("set/index.json"), HasSubstr("cut short")));
  }
  for (const char* text : {"[]", "{}", "null", "{\"shards\": {}}", "{\"shards\": 3}", "<html>",
                           "[{\"shards\": []}]", "{\"a\": {\"shards\": []}}", "3"}) {
    EXPECT_THAT(Error(text), HasSubstr("not an MDS index")) << text;
  }
}

TEST(MdsIndexTest, ShardsAreObjects) {
  for (const char* shard : {"3", "null", "\"a\"", "[]", "[{}]", "{}", "{\"raw_data\": 3}"}) {
    EXPECT_THAT(Error(Index(absl::StrCat(kShard, ", ", shard))), HasSubstr("shard 1: expected"));
  }
}

TEST(MdsIndexTest, OtherVersionsAndFormatsAreRefused) {
  EXPECT_THAT(Error("{\"version\": 1, \"shards\": []}"), HasSubstr("version 1, expected 2"));
  // The version says more than what it made of the shards.
  EXPECT_THAT(Error("{\"shards\": [{}], \"version\": 3}"), HasSubstr("version 3, expected 2"));
  EXPECT_THAT(Error(Changed("\"version\": 2", "\"version\": 1")),
              AllOf(HasSubstr("set/index.json, shard 0"), HasSubstr("version is 1")));
  for (const char* format : {"json", "csv", "tsv", "xsv"}) {
    EXPECT_THAT(Error(Changed("\"mds\"", absl::StrCat("\"", format, "\""))),
                AllOf(HasSubstr("shard 0"), HasSubstr(absl::StrCat("\"", format, "\"")),
                      HasSubstr("expected \"mds\"")));
  }
}

TEST(MdsIndexTest, NamesStayInTheFolder) {
  for (const char* name :
       {"../x.mds", "/x.mds", "a/../../x.mds", "", "a//b", "a/", "./a", ".", "..", "a\\u0000b"}) {
    EXPECT_THAT(Error(Changed("\"shard.00000.mds\"", absl::StrCat("\"", name, "\""))),
                AllOf(HasSubstr("shard 0"), HasSubstr(name), HasSubstr("leads out")));
    EXPECT_THAT(Error(Changed("\"shard.00000.mds.zstd\"", absl::StrCat("\"", name, "\""))),
                HasSubstr("leads out"));
  }
  const auto shards = ParseMdsIndex(Changed("\"shard.00000.mds\"", "\"a b/..c/#%.mds\""), "i");
  EXPECT_THAT(Names(*shards), ElementsAre("a b/..c/#%.mds"));
}

TEST(MdsIndexTest, NamesComeOnce) {
  EXPECT_THAT(Error(Index(absl::StrCat(kShard, ", ", kShard))),
              AllOf(HasSubstr("set/index.json"), HasSubstr("shard.00000.mds")));
  EXPECT_THAT(Error(Changed("shard.00000.mds.zstd", "shard.00000.mds")), HasSubstr("two files"));
}

TEST(MdsIndexTest, ZipComesWithItsCompression) {
  EXPECT_THAT(Error(Changed("\"zstd:7\"", "null")), HasSubstr("expected both or none"));
  EXPECT_THAT(Error(Changed("zip_data", "zap_data")), HasSubstr("expected both or none"));
  EXPECT_THAT(Error(Changed("zstd:7", "lz4")), AllOf(HasSubstr("lz4"), HasSubstr("zstd[:1-22]")));
}

TEST(MdsIndexTest, NumbersThatCannotBeAreErrors) {
  EXPECT_THAT(Error(Changed("\"samples\": 14", "\"samples\": -1")), HasSubstr("samples is -1"));
  EXPECT_THAT(Error(Changed("\"samples\": 14", "\"samples\": 126")), HasSubstr("126 samples"));
  EXPECT_TRUE(ParseMdsIndex(Changed("\"samples\": 14", "\"samples\": 125"), "i").ok());
  EXPECT_THAT(Error(Changed("\"samples\": 14", "\"samples\": 18446744073709551615")),
              HasSubstr("510 bytes"));
  EXPECT_THAT(Error(Changed("510", "4294967296")), HasSubstr("less than 4 GiB"));
  EXPECT_THAT(Error(Changed("510", "7")), HasSubstr("7 bytes"));
  EXPECT_THAT(Error(Changed("510", "\"510\"")), HasSubstr("raw_data"));
  EXPECT_THAT(Error(Changed("{\"sha1\": \"00ff\"}", "{\"sha1\": 3}")), HasSubstr("sha1"));
}

TEST(MdsIndexTest, ColumnsThatCannotBeAreErrors) {
  for (const char* sizes :
       {"[4, null]", "[null, null]", "[8, 3]", "[8, -1]", "[4294967304, null]"}) {
    EXPECT_THAT(Error(Changed("[8, null]", sizes)), HasSubstr("size")) << sizes;
  }
  for (const char* sizes : {"[8]", "8", "null"}) {
    EXPECT_THAT(Error(Changed("[8, null]", sizes)), HasSubstr("one length")) << sizes;
  }
  EXPECT_THAT(Error(Changed("\"str\"", "\"jpg\"")),
              AllOf(HasSubstr("shard 0"), HasSubstr("column s"), HasSubstr("\"jpg\"")));
  EXPECT_THAT(Error(Changed("\"str\"", "\"pkl\"")), HasSubstr("runs code"));
  // The Python reader takes a size of 0 for one that varies.
  EXPECT_EQ(ParseMdsIndex(Changed("[8, null]", "[8, 0]"), "i")->front().schema->at(1).size, 0u);
}

TEST(MdsIndexTest, ConfigIsEscapedAsInPython) {
  const MdsSchema schema = {{"\xc3\xa9\xf0\x9f\x98\x80\"\\\n\x7f", "int", 8}};
  const MdsSettings settings = {.size_limit = 0, .compression = "br", .hashes = {"md5", "sha1"}};
  EXPECT_EQ(
      MdsShardConfig(schema, settings),
      R"({"column_encodings": ["int"], "column_names": ["\u00e9\ud83d\ude00\"\\\n\u007f"], )"
      R"("column_sizes": [8], "compression": "br", "format": "mds", "hashes": ["md5", "sha1"], )"
      R"("size_limit": null, "version": 2})");
}

// Partitions of one shard each.
std::vector<MdsPartition> Partitions(const std::vector<std::string>& folders) {
  std::vector<MdsPartition> partitions;
  for (const std::string& folder : folders) {
    partitions.push_back({folder, *ParseMdsIndex(Index(kShard), "index.json")});
  }
  return partitions;
}

TEST(MergeMdsIndexTest, PathsAreWholeAndInNaturalOrder) {
  const auto merged = MergeMdsIndex(
      Partitions({"b/part-10", "b/part-9", "a", "part2/x/y", "b/part-09", "part10", "part1"}));
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_THAT(Names(*merged), ElementsAre("a/shard.00000.mds", "b/part-09/shard.00000.mds",
                                          "b/part-9/shard.00000.mds", "b/part-10/shard.00000.mds",
                                          "part1/shard.00000.mds", "part2/x/y/shard.00000.mds",
                                          "part10/shard.00000.mds"));
  EXPECT_EQ(merged->front().file.zip->name, "a/shard.00000.mds.zstd");
  const auto read = ParseMdsIndex(MdsIndexText(*merged), "index.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Names(*read), Names(*merged));
}

TEST(MergeMdsIndexTest, EqualsPythonsForOneLevel) {
  const std::string golden = "data/formats/mds/testdata/d_merged/";
  std::vector<MdsPartition> partitions;
  for (const char* folder : {"part1", "part0"}) {
    const std::string path = absl::StrCat(golden, folder, "/index.json");
    partitions.push_back({folder, *ParseMdsIndex(Contents(path), path)});
  }
  const auto merged = MergeMdsIndex(partitions);
  ASSERT_TRUE(merged.ok()) << merged.status();
  const auto expected = ParseMdsIndex(Contents(golden + "index.json"), "index.json");
  EXPECT_EQ(MdsIndexText(*merged), MdsIndexText(*expected));
}

TEST(MergeMdsIndexTest, FoldersThatCannotBeAreErrors) {
  EXPECT_THAT(std::string(MergeMdsIndex(Partitions({"a", "a"})).status().message()),
              HasSubstr("a/shard.00000.mds"));
  for (const char* folder : {"", "/a", "../a", "a/"}) {
    EXPECT_THAT(std::string(MergeMdsIndex(Partitions({folder})).status().message()),
                HasSubstr("plain path"));
  }
}

}  // namespace
}  // namespace tessera
