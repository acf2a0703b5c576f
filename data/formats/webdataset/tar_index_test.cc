#include "data/formats/webdataset/tar_index.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/write_file.h"
#include "data/formats/hash/hash.h"
#include "data/formats/webdataset/expand_tar.h"
#include "data/formats/webdataset/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The tar in a file of testdata, decompressed where it is compressed.
absl::StatusOr<std::string> PlainTar(const std::string& name) {
  std::string file = TestData(name);
  if (FindCompression(file).empty()) return file;
  std::string tar;
  const auto left_out = ExpandTar(file, name, BadShard::kStop, [&](absl::string_view bytes) {
    absl::StrAppend(&tar, bytes);
    return absl::OkStatus();
  });
  if (!left_out.ok()) return left_out.status();
  return tar;
}

json Sample(const std::string& tar, const TarIndex& index, uint64_t sample) {
  json fields = {{"__key__", std::string(index.key(sample))}};
  for (uint64_t f = index.fields_begin(sample); f < index.fields_begin(sample + 1); ++f) {
    const std::string bytes = tar.substr(index.offset(f), index.bytes(f));
    fields[std::string(index.extension(f))] = {
        {"len", bytes.size()}, {"sha256", *HashHex("sha256", bytes)}, {"text", bytes}};
  }
  return fields;
}

// Where webdataset 1.0.2 is right to fail, and where it is wrong: there it ends the shard without a
// word, the last two with half a sample. By what our error says.
const std::map<std::string, std::string>& Errors() {
  static const auto* const errors = new std::map<std::string, std::string>{
      {"duplicate_name.tar", "byte 1024: found a.jpg, a second file \"jpg\" of the key \"a\""},
      {"garbage.tar", "byte 0: found no header"},
      {"gz_truncated.tar.gz", "byte 114 of 114: cannot decompress gz: it is cut short"},
      {"truncated_in_data.tar", "byte 1836: found the end after 300 bytes of b.bin, expected 1024"},
      {"zero_bytes.tar", "byte 0: found an empty file"},
      // wrong:
      {"bad_checksum_second.tar", "byte 1024: found a damaged header"},
      {"truncated_in_header.tar", "byte 1024: found 200 bytes of a header that was cut"},
  };
  return *errors;
}

TEST(TarIndexTest, FindsWhatWebdatasetDoesButForItsFaults) {
  const json all = json::parse(TestData("expected_webdataset.json"));
  for (const auto& [name, expected] : all.items()) {
    if (!absl::StrContains(name, ".tar")) continue;
    SCOPED_TRACE(name);
    const absl::StatusOr<std::string> tar = PlainTar(name);
    const absl::StatusOr<TarIndex> index =
        tar.ok() ? TarIndex::Build(*tar, name, BadShard::kStop) : tar.status();
    if (const auto error = Errors().find(name); error != Errors().end()) {
      EXPECT_EQ(index.status().code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(std::string(index.status().message()), HasSubstr(name));
      EXPECT_THAT(std::string(index.status().message()), HasSubstr(error->second));
      continue;
    }
    ASSERT_TRUE(index.ok()) << index.status();
    json found = json::array();
    for (uint64_t i = 0; i < index->size(); ++i) found.push_back(Sample(*tar, *index, i));
    EXPECT_EQ(found, expected["samples"]);
    EXPECT_EQ(index->left_out(), LeftOut());
  }
}

TEST(TarIndexTest, FilesOfASampleKeepTheirOrder) {
  const std::string tar =
      TarOf({{"a.jpg", "J1"}, {"a.cls", "1"}, {"b.cls", "2"}, {"b.left.PNG", "J2"}}) + TarEnd();
  const auto index = TarIndex::Build(tar, "a.tar", BadShard::kStop);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_THAT(Samples(tar, *index), ElementsAre("a: jpg=J1 cls=1", "b: cls=2 left.png=J2"));
}

TEST(TarIndexTest, FilesOfNoSampleMayStandBetween) {
  const std::string tar =
      TarOf({{"__meta__", "m"}, {"a.jpg", "1"}, {"README", "r"}, {"a.cls", "2"}}) + TarEnd();
  const auto index = TarIndex::Build(tar, "a.tar", BadShard::kStop);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_THAT(Samples(tar, *index), ElementsAre("a: jpg=1 cls=2"));
}

TEST(TarIndexTest, SparseFilesAreFilesAsOthers) {
  const std::string tar = TestData("sparse_1.0.tar");
  const auto index = TarIndex::Build(tar, "a.tar", BadShard::kStop);
  ASSERT_TRUE(index.ok()) << index.status();
  std::string contents(100'003, '\0');
  contents.replace(0, 5, "begin").replace(100'000, 3, "end");
  EXPECT_THAT(Samples(tar, *index), ElementsAre(absl::StrCat("a: bin=", contents, " cls=7")));
}

TEST(TarIndexTest, ACompressedTarIsAnErrorUnderEitherPolicy) {
  for (const BadShard policy : {BadShard::kStop, BadShard::kSkipRest}) {
    const auto index = TarIndex::Build(TestData("gzip_named_tar.tar"), "a.tar", policy);
    EXPECT_EQ(index.status().message(), "a.tar is compressed (gz), expected a plain tar");
  }
}

// webdataset makes two samples of it, each with half the files.
TEST(TarIndexTest, AKeyThatComesAgainIsAnErrorThatNamesBothPlaces) {
  const std::string tar =
      TarOf({{"z.jpg", "0"}, {"a.jpg", "1"}, {"b.jpg", "2"}, {"a.cls", "3"}, {"c.jpg", "4"}});
  const auto index = TarIndex::Build(tar, "s/a.tar", BadShard::kStop);
  EXPECT_EQ(index.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(index.status().message(),
            "s/a.tar, byte 3072: found a.cls of the key \"a\", whose sample stands at byte 1024, "
            "expected the files of a sample one after the other");
  const auto rest = TarIndex::Build(tar, "s/a.tar", BadShard::kSkipRest);
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_THAT(Samples(tar, *rest), ElementsAre("z: jpg=0"));
  EXPECT_EQ(rest->left_out().samples, 2);
  EXPECT_EQ(rest->left_out().bytes, tar.size() - 1024);
}

TEST(TarIndexTest, ASampleThatDamageMayHaveCutIsLeftOut) {
  const std::string tar = TarOf({{"a.jpg", "1"}, {"b.jpg", "2"}, {"b.cls", "3"}});
  std::string bad = tar + TarEnd();
  bad[2048] ^= 1;  // the name of b.cls
  const auto index = TarIndex::Build(bad, "a.tar", BadShard::kSkipRest);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_THAT(Samples(bad, *index), ElementsAre("a: jpg=1"));
  EXPECT_EQ(index->left_out().samples, 1);
  EXPECT_EQ(index->left_out().bytes, bad.size() - 1024);
  EXPECT_THAT(index->left_out().reason, HasSubstr("a.tar, byte 2048: found a damaged header"));
}

TEST(TarIndexTest, BehindTheEndOfTheArchiveNoSampleWasCut) {
  const std::string tar = TarOf({{"a.jpg", "1"}, {"b.jpg", "2"}}) + TarEnd();
  const std::string twice = tar + tar;
  EXPECT_EQ(TarIndex::Build(twice, "a.tar", BadShard::kStop).status().code(),
            absl::StatusCode::kDataLoss);
  const auto index = TarIndex::Build(twice, "a.tar", BadShard::kSkipRest);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_THAT(Samples(twice, *index), ElementsAre("a: jpg=1", "b: jpg=2"));
  EXPECT_EQ(index->left_out().samples, 0);
  EXPECT_EQ(index->left_out().bytes, tar.size());
}

TEST(TarIndexTest, NothingMayBeLeft) {
  const auto index = TarIndex::Build("", "a.tar", BadShard::kSkipRest);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->size(), 0);
  EXPECT_EQ(index->left_out().reason, "a.tar, byte 0: found an empty file, expected a tar");
  const std::string cut = TarOf({{"a.jpg", "12345"}}).substr(0, 514);
  const auto none = TarIndex::Build(cut, "a.tar", BadShard::kSkipRest);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(Samples(cut, *none), IsEmpty());
  EXPECT_EQ(none->left_out().bytes, 514);
}

TEST(TarIndexTest, TellsAnotherTarOfTheSameSize) {
  const std::string tar = TarOf({{"a.jpg", "1"}, {"a.cls", ""}, {"b.jpg", "2"}}) + TarEnd();
  const auto index = TarIndex::Build(tar, "a.tar", BadShard::kStop);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_TRUE(index->HasHeaders(tar, 0) && index->HasHeaders(tar, 1));
  const std::string other = TarOf({{"a.jpg", std::string(513, 'x')}, {"b.jpg", "2"}}) + TarEnd();
  ASSERT_EQ(other.size(), tar.size());
  EXPECT_FALSE(index->HasHeaders(other, 0));
  EXPECT_TRUE(index->HasHeaders(other, 1)) << "there it does not differ";
  EXPECT_FALSE(index->HasHeaders(tar + tar, 0));
}

TEST(TarIndexTest, HeadersOfAllFormsAreKnown) {
  for (const auto& file : std::filesystem::directory_iterator("data/formats/webdataset/testdata")) {
    const absl::StatusOr<std::string> tar = PlainTar(file.path().filename().string());
    if (!tar.ok()) continue;
    const auto index = TarIndex::Build(*tar, "a.tar", BadShard::kSkipRest);
    ASSERT_TRUE(index.ok()) << index.status();
    for (uint64_t i = 0; i < index->size(); ++i) EXPECT_TRUE(index->HasHeaders(*tar, i)) << file;
  }
}

TEST(TarIndexTest, ManyFilesOfOneKeyTakeLinearTime) {
  std::string tar;
  for (int i = 0; i < 20'000; ++i) AppendTarHeader(absl::StrCat("a.", i), 0, &tar);
  const auto index = TarIndex::Build(tar, "a.tar", BadShard::kStop);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->size(), 1);
  EXPECT_EQ(index->fields_begin(1), 20'000);
}

TEST(TarIndexTest, TablesThatDoNotFitAreRefused) {
  const std::string tar = TarOf({{"a.jpg", "1"}, {"b.jpg", "2"}}) + TarEnd();
  const TarTables good = TarIndex::Build(tar, "a.tar", BadShard::kStop)->tables();
  EXPECT_TRUE(TarIndex::Create(good).ok());
  const auto is_bad = [&](auto change) {
    TarTables tables = good;
    change(tables);
    return TarIndex::Create(std::move(tables)).status().code() == absl::StatusCode::kDataLoss;
  };
  EXPECT_TRUE(is_bad([](TarTables& t) { t.offsets[1] = t.tar_bytes; }));
  EXPECT_TRUE(is_bad([](TarTables& t) { t.sizes[1] = UINT64_MAX; }));
  EXPECT_TRUE(is_bad([](TarTables& t) { t.sizes.pop_back(); }));
  EXPECT_TRUE(is_bad([](TarTables& t) { t.extensions[0] = 1; }));
  EXPECT_TRUE(is_bad([](TarTables& t) { t.key_ends[0] = 9; }));
  EXPECT_TRUE(is_bad([](TarTables& t) { t.field_ends[1] = 1; }));
}

}  // namespace
}  // namespace tessera
