#include "data/formats/mds/mds_writer.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_index.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_shard.h"
#include "data/storage/memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TestFolder() {
  const auto folder = std::filesystem::path(std::getenv("TEST_TMPDIR")) /
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::create_directories(folder);
  return folder.string();
}

MdsSchema Columns(const std::vector<std::pair<std::string, std::string>>& columns) {
  MdsSchema schema;
  for (const auto& [name, encoding] : columns) schema.push_back(*MakeMdsColumn(name, encoding));
  return schema;
}

// Writes samples of 100 bytes, of which a shard of at most 450 bytes holds two.
absl::Status WriteSamples(MdsWriter* writer, int count) {
  for (int i = 0; i < count; ++i) {
    TESSERA_RETURN_IF_ERROR(writer->Write({std::string(100, static_cast<char>('a' + i))}));
  }
  return absl::OkStatus();
}

TEST(MdsWriterTest, FolderAndStoreHoldTheSameSet) {
  const std::string folder = TestFolder();
  const auto store = std::make_shared<MemoryStore>();
  const MdsSettings settings = {.size_limit = 450, .compression = "zstd:7", .hashes = {"sha1"}};
  auto to_folder = MdsWriter::Create(folder, Columns({{"x", "bytes"}}), settings);
  auto to_store = MdsWriter::Create(store, Columns({{"x", "bytes"}}), settings);
  for (auto* writer : {&to_folder, &to_store}) {
    ASSERT_TRUE(writer->ok()) << writer->status();
    ASSERT_TRUE(WriteSamples(&**writer, 5).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  // Only compressed shards, and the index last.
  EXPECT_THAT(store->order, ElementsAre("shard.00000.mds.zstd", "shard.00001.mds.zstd",
                                        "shard.00002.mds.zstd", "index.json"));
  for (const auto& [name, contents] : store->objects) {
    EXPECT_TRUE(*ReadFile(folder + "/" + name) == contents) << name;
  }
}

TEST(MdsWriterTest, LimitStartsANewShard) {
  const std::string folder = TestFolder();
  auto writer = MdsWriter::Create(folder, Columns({{"y", "bytes"}, {"x", "int"}}), 320);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ(writer->schema()[0].name, "x");
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(writer->Write({EncodeMdsInt(i), std::string(i, 'y')}).ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
  const auto shards = ParseMdsIndex(*ReadFile(folder + "/index.json"), "index.json");
  ASSERT_TRUE(shards.ok()) << shards.status();
  EXPECT_GT(shards->size(), 2u);
  int next = 0;
  for (const MdsShardInfo& info : *shards) {
    EXPECT_TRUE(info.file.raw.bytes <= 320 || info.samples == 1);
    const std::string bytes = *ReadFile(folder + "/" + info.file.raw.name);
    const MdsShard shard(bytes, info.samples);
    EXPECT_TRUE(shard.Check().ok());
    for (uint64_t i = 0; i < info.samples; ++i, ++next) {
      std::vector<absl::string_view> payloads(2);
      ASSERT_TRUE(SplitMdsSample(*info.schema, *shard.Get(i), absl::MakeSpan(payloads)).ok());
      EXPECT_EQ(payloads[0], EncodeMdsInt(next));
      EXPECT_EQ(payloads[1], std::string(next, 'y'));
    }
  }
  EXPECT_EQ(next, 60);
}

TEST(MdsWriterTest, SizeLimitItselfIsAllowed) {
  const MdsSchema schema = Columns({{"x", "bytes"}});
  const uint64_t two = 8 + MdsShardConfig(schema, {.size_limit = 450}).size() + 2 * (4 + 4 + 100);
  ASSERT_LE(two, 450u);
  for (const uint64_t limit : {two, two - 1}) {
    const auto store = std::make_shared<MemoryStore>();
    auto writer = MdsWriter::Create(store, schema, {.size_limit = limit});
    ASSERT_TRUE(WriteSamples(&*writer, 2).ok());
    ASSERT_TRUE(writer->Finish().ok());
    EXPECT_EQ(writer->shards().size(), limit == two ? 1u : 2u);
  }
}

TEST(MdsWriterTest, WithoutFinishThereIsNoDataSet) {
  const std::string folder = TestFolder();
  {
    auto writer = MdsWriter::Create(folder, Columns({{"x", "bytes"}}), 450);
    ASSERT_TRUE(WriteSamples(&*writer, 5).ok());
  }
  EXPECT_TRUE(std::filesystem::exists(folder + "/shard.00001.mds"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/index.json"));
}

TEST(MdsWriterTest, AfterAFailureThereIsNoDataSet) {
  const auto store = std::make_shared<MemoryStore>();
  auto writer = MdsWriter::Create(store, Columns({{"x", "bytes"}}), {.size_limit = 450});
  store->on_write = [left = 1]() mutable -> absl::Status {
    if (left-- == 0) return absl::PermissionDeniedError("no more");
    return absl::OkStatus();
  };
  EXPECT_FALSE(WriteSamples(&*writer, 5).ok());
  // The store is well again, but samples are lost.
  EXPECT_THAT(std::string(WriteSamples(&*writer, 1).message()), HasSubstr("no more"));
  EXPECT_THAT(std::string(writer->Finish().message()), HasSubstr("no more"));
  EXPECT_THAT(store->order, ElementsAre("shard.00000.mds"));
}

TEST(MdsWriterTest, SetThatIsThereIsNotOverwritten) {
  const auto store = std::make_shared<MemoryStore>();
  auto writer = MdsWriter::Create(store, Columns({{"x", "int"}}), MdsSettings());
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(store->objects["index.json"], "{\"shards\": [], \"version\": 2}");
  EXPECT_THAT(std::string(MdsWriter::Create(store, Columns({{"x", "int"}}), {}).status().message()),
              AllOf(HasSubstr("memory:index.json"), HasSubstr("already there")));
  EXPECT_FALSE(writer->Write({EncodeMdsInt(1)}).ok());
  EXPECT_FALSE(writer->Finish().ok());

  const std::string folder = TestFolder();
  ASSERT_TRUE(MdsWriter::Create(folder, Columns({{"x", "int"}}))->Finish().ok());
  EXPECT_THAT(std::string(MdsWriter::Create(folder, Columns({{"x", "int"}})).status().message()),
              HasSubstr("already there"));
}

TEST(MdsWriterTest, SampleThatIsRefusedIsLeftOut) {
  auto writer = MdsWriter::Create(TestFolder(), Columns({{"x", "int"}}));
  EXPECT_THAT(std::string(writer->Write({"four"}).message()), HasSubstr("expected 8"));
  EXPECT_FALSE(writer->Write({}).ok());
  EXPECT_TRUE(writer->Write({EncodeMdsInt(1)}).ok());
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(writer->shards().at(0).samples, 1u);
}

TEST(MdsWriterTest, SettingsThatCannotBeAreErrors) {
  const auto error = [](const MdsSchema& columns, const MdsSettings& settings) {
    const auto writer = MdsWriter::Create(std::make_shared<MemoryStore>(), columns, settings);
    return std::string(writer.status().message());
  };
  const MdsSchema x = Columns({{"x", "int"}});
  EXPECT_THAT(error(x, {.size_limit = uint64_t{1} << 32}), HasSubstr("4 GiB"));
  EXPECT_THAT(error(x, {.compression = "lz4"}), HasSubstr("lz4"));
  EXPECT_THAT(error(x, {.hashes = {"crc32"}}), HasSubstr("crc32"));
  EXPECT_THAT(error(x, {.hashes = {"sha1", "md5"}}), HasSubstr("not sorted"));
  EXPECT_THAT(error(x, {.hashes = {"md5", "md5"}}), HasSubstr("not sorted"));
  EXPECT_THAT(error({}, {}), HasSubstr("needs a column"));
  EXPECT_THAT(error(Columns({{"x", "int"}, {"x", "str"}}), {}), HasSubstr("called x"));
  EXPECT_THAT(std::string(MdsWriter::Create("/no/such/folder", x).status().message()),
              HasSubstr("/no/such/folder"));
}

TEST(MdsSampleTest, LengthsThatDoNotFitAreErrors) {
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
