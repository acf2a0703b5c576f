#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "data/formats/mds/mds_reader.h"
#include "data/formats/mds/mds_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kGolden[] = "data/formats/mds/testdata/";

std::string TestFolder() {
  const auto folder = std::filesystem::path(std::getenv("TEST_TMPDIR")) /
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  return folder.string();
}

std::string Contents(const std::string& path) {
  const auto contents = ReadFile(path);
  EXPECT_TRUE(contents.ok()) << contents.status();
  return contents.ok() ? *contents : "";
}

std::vector<std::string> Payloads(const MdsReader& reader, int64_t index) {
  const auto row = reader.Get(index);
  EXPECT_TRUE(row.ok()) << row.status();
  std::vector<absl::string_view> views(row->schema->size());
  EXPECT_TRUE(SplitMdsSample(*row->schema, row->bytes, absl::MakeSpan(views)).ok());
  return {views.begin(), views.end()};
}

MdsSchema Columns(const std::vector<std::pair<std::string, std::string>>& columns) {
  MdsSchema schema;
  for (const auto& [name, encoding] : columns) schema.push_back(*MakeMdsColumn(name, encoding));
  return schema;
}

// A set of three samples in `folder`: x = i, y = i bytes.
void WriteSmallSet(const std::string& folder, uint64_t size_limit = 0) {
  auto writer = MdsWriter::Create(folder, Columns({{"y", "bytes"}, {"x", "int"}}), size_limit);
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (int i = 0; i < 3; ++i) {
    const std::string x = EncodeMdsInt(i), y(i, 'y');
    ASSERT_TRUE(writer->Write({x, y}).ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
}

// What the Python package wrote: sizes, and the values of the columns that are plain.
class GoldenTest : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenTest, ReadsWhatPythonWrote) {
  const std::string folder = absl::StrCat(kGolden, GetParam());
  const auto reader = MdsReader::Open(folder);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto expected = nlohmann::json::parse(Contents(folder + "/expected.json"));
  ASSERT_EQ(reader->size(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < reader->size(); ++i) {
    EXPECT_EQ(reader->Get(i)->bytes.size(), expected[i]["sample_bytes"].get<size_t>());
    const MdsSchema& schema = *reader->Get(i)->schema;
    const std::vector<std::string> payloads = Payloads(*reader, i);
    for (size_t c = 0; c < schema.size(); ++c) {
      const auto& value = expected[i]["columns"][schema[c].name];
      if (schema[c].encoding == "int") {
        EXPECT_EQ(payloads[c], EncodeMdsInt(value["v"]));
      } else if (schema[c].encoding == "str") {
        EXPECT_EQ(payloads[c], value["v"].get<std::string>());
      } else if (schema[c].encoding == "bytes") {
        EXPECT_EQ(payloads[c].size(), value["len"].get<size_t>());
      }
    }
  }
}

TEST_P(GoldenTest, WritesTheSameBytes) {
  const std::string golden = absl::StrCat(kGolden, GetParam());
  if (std::string(GetParam()) == "g_first_oversize") {
    GTEST_SKIP() << "Python begins with an empty shard there, which is a fault of its own";
  }
  const auto reader = MdsReader::Open(golden);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto index = nlohmann::json::parse(Contents(golden + "/index.json"));
  const auto& limit = index["shards"][0]["size_limit"];
  const std::string folder = TestFolder() + GetParam();
  std::filesystem::create_directories(folder);
  auto writer = MdsWriter::Create(folder, reader->shards()[0].schema,
                                  limit.is_null() ? 0 : limit.get<uint64_t>());
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (int64_t i = 0; i < reader->size(); ++i) {
    const std::vector<std::string> payloads = Payloads(*reader, i);
    const std::vector<absl::string_view> views(payloads.begin(), payloads.end());
    ASSERT_TRUE(writer->Write(views).ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(Contents(folder + "/index.json"), Contents(golden + "/index.json"));
  for (const MdsShardInfo& shard : reader->shards()) {
    EXPECT_TRUE(Contents(folder + "/" + shard.basename) == Contents(golden + "/" + shard.basename))
        << shard.basename;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, GoldenTest,
                         ::testing::Values("a_plain", "g_single", "g_oversize", "g_first_oversize",
                                           "g_all_variable_empty", "f_png_modes", "f_jpeg_modes",
                                           "h_splits/train"));

TEST(MdsTest, SetWithoutSamplesIsRead) {
  const auto reader = MdsReader::Open(absl::StrCat(kGolden, "g_empty_dataset"));
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ(reader->size(), 0);
  EXPECT_FALSE(reader->Get(0).ok());
}

TEST(MdsTest, WhatIsNotSupportedIsNamed) {
  EXPECT_THAT(
      std::string(MdsReader::Open(absl::StrCat(kGolden, "b_zstd_hashes")).status().message()),
      AllOf(HasSubstr("compression"), HasSubstr("zstd")));
  EXPECT_THAT(std::string(MakeMdsColumn("p", "pkl").status().message()), HasSubstr("runs code"));
  EXPECT_THAT(std::string(MakeMdsColumn("p", "jpg").status().message()), HasSubstr("\"jpg\""));
}

TEST(MdsTest, LimitStartsANewShard) {
  const std::string folder = TestFolder();
  const uint64_t config = MdsShardConfig(Columns({{"x", "int"}, {"y", "bytes"}}), 300).size();
  ASSERT_LT(config + 8 + 2 * 20, 300u);
  WriteSmallSet(folder, 300);
  const auto reader = MdsReader::Open(folder);
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const MdsShardInfo& shard : reader->shards()) EXPECT_LE(shard.bytes, 300u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Payloads(*reader, i),
              (std::vector<std::string>{EncodeMdsInt(i), std::string(i, 'y')}));
  }
}

TEST(MdsTest, WithoutFinishThereIsNoDataSet) {
  const std::string folder = TestFolder();
  {
    auto writer = MdsWriter::Create(folder, Columns({{"x", "bytes"}}), 200);
    ASSERT_TRUE(writer.ok());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(writer->Write({std::string(100, 'a')}).ok());
  }
  EXPECT_THAT(std::string(MdsReader::Open(folder).status().message()), HasSubstr("index.json"));
  WriteSmallSet(TestFolder());
  EXPECT_FALSE(MdsWriter::Create(folder, Columns({{"x", "bytes"}})).ok());
}

TEST(MdsTest, PayloadOfTheWrongSizeIsRefused) {
  auto writer = MdsWriter::Create(TestFolder(), Columns({{"x", "int"}}));
  EXPECT_THAT(std::string(writer->Write({"four"}).message()), HasSubstr("expected 8"));
  EXPECT_FALSE(writer->Write({}).ok());
  EXPECT_FALSE(MdsWriter::Create(TestFolder(), Columns({{"x", "int"}, {"x", "str"}})).ok());
}

TEST(MdsTest, EmptyIndexIsNamed) {
  const std::string folder = TestFolder();
  ASSERT_TRUE(WriteFile(folder + "/index.json", "").ok());
  EXPECT_THAT(std::string(MdsReader::Open(folder).status().message()),
              AllOf(HasSubstr("index.json"), HasSubstr("empty")));
  ASSERT_TRUE(WriteFile(folder + "/index.json", "{\"shards\": [{").ok());
  EXPECT_THAT(std::string(MdsReader::Open(folder).status().message()),
              HasSubstr("not an MDS index"));
}

TEST(MdsTest, CountThatDiffersFromTheIndexIsAnError) {
  const std::string folder = TestFolder();
  WriteSmallSet(folder);
  std::string index = Contents(folder + "/index.json");
  index.replace(index.find("\"samples\": 3"), 12, "\"samples\": 4");
  ASSERT_TRUE(WriteFile(folder + "/index.json", index).ok());
  EXPECT_THAT(std::string(MdsReader::Open(folder).status().message()),
              AllOf(HasSubstr("shard.00000.mds"), HasSubstr("3 samples"), HasSubstr("says 4")));
}

TEST(MdsTest, ShardCutAtHalfIsAnError) {
  const std::string folder = TestFolder();
  WriteSmallSet(folder);
  const std::string shard = folder + "/shard.00000.mds";
  const uint64_t bytes = std::filesystem::file_size(shard);
  std::filesystem::resize_file(shard, bytes / 2);
  EXPECT_THAT(std::string(MdsReader::Open(folder).status().message()),
              AllOf(HasSubstr(shard), HasSubstr(absl::StrCat(bytes / 2, " bytes")),
                    HasSubstr(absl::StrCat("says ", bytes))));
}

TEST(MdsTest, OffsetsThatLeadNowhereAreErrors) {
  const std::string folder = TestFolder();
  WriteSmallSet(folder);
  const std::string whole = Contents(folder + "/shard.00000.mds");
  for (const size_t offset : {4, 8, 12, 16}) {
    std::string shard = whole;
    shard[offset + 3] = '\x7f';
    ASSERT_TRUE(WriteFile(folder + "/shard.00000.mds", shard).ok());
    EXPECT_THAT(std::string(MdsReader::Open(folder).status().message()),
                AllOf(HasSubstr("shard.00000.mds is damaged"), HasSubstr("offset")));
  }
}

TEST(MdsTest, ColumnWhoseSizeContradictsItsEncodingIsAnError) {
  const std::string folder = TestFolder();
  WriteSmallSet(folder);
  const std::string whole = Contents(folder + "/index.json");
  for (const char* sizes :
       {"[4, null]", "[null, null]", "[8, 3]", "[8, -1]", "[4294967304, null]"}) {
    std::string index = whole;
    const std::string right = "\"column_sizes\": [8, null]";
    index.replace(index.find(right), right.size(), absl::StrCat("\"column_sizes\": ", sizes));
    ASSERT_TRUE(WriteFile(folder + "/index.json", index).ok());
    EXPECT_THAT(std::string(MdsReader::Open(folder).status().message()), HasSubstr("size"))
        << sizes;
  }
}

TEST(MdsTest, IndexMayNotLeadOutOfItsFolder) {
  for (const char* basename : {"../x.mds", "/x.mds", "a/../../x.mds", ""}) {
    const std::string text = absl::StrCat(
        "{\"shards\": [{\"column_names\": [], \"column_encodings\": [], \"column_sizes\": [], "
        "\"raw_data\": {\"basename\": \"",
        basename, "\", \"bytes\": 1}, \"samples\": 1}]}");
    EXPECT_THAT(std::string(ParseMdsIndex(text, "i").status().message()), HasSubstr("leads out"))
        << basename;
  }
}

TEST(MdsTest, SampleWhoseLengthsDoNotFitIsAnError) {
  const MdsSchema schema = Columns({{"x", "bytes"}, {"y", "int"}});
  std::vector<absl::string_view> payloads(2);
  const std::string sample = *JoinMdsSample(schema, {"abc", EncodeMdsInt(1)});
  EXPECT_TRUE(SplitMdsSample(schema, sample, absl::MakeSpan(payloads)).ok());
  for (size_t size = 0; size < sample.size(); ++size) {
    EXPECT_FALSE(SplitMdsSample(schema, sample.substr(0, size), absl::MakeSpan(payloads)).ok());
  }
  EXPECT_FALSE(SplitMdsSample(schema, sample + "x", absl::MakeSpan(payloads)).ok());
}

}  // namespace
}  // namespace tessera
