#include "data/formats/webdataset/web_writer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/mapped_file.h"
#include "data/formats/webdataset/tar_index.h"
#include "data/formats/webdataset/tar_reader.h"
#include "data/formats/webdataset/testing.h"
#include "data/storage/memory_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Fields = std::map<std::string, std::string>;
using Set = std::vector<std::pair<std::string, Fields>>;

std::vector<TarField> Views(const Fields& fields) {
  std::vector<TarField> views;
  for (const auto& [extension, bytes] : fields) views.push_back({extension, bytes});
  return views;
}

absl::Status WriteAll(WebDatasetWriter& writer, const Set& samples) {
  for (const auto& [key, fields] : samples) {
    const absl::Status status = writer.Write(key, Views(fields));
    if (!status.ok()) return status;
  }
  return writer.Finish();
}

// All samples of the shards, in their order.
Set ReadAll(const std::string& folder, const std::vector<WebShardInfo>& shards) {
  Set samples;
  for (const WebShardInfo& info : shards) {
    std::shared_ptr<const MappedFile> file = *MappedFile::Open(folder + "/" + info.name);
    EXPECT_EQ(file->contents().size(), info.bytes);
    auto index = TarIndex::Build(file->contents(), info.name, BadShard::kStop);
    EXPECT_TRUE(index.ok()) << index.status();
    EXPECT_EQ(index->size(), info.samples);
    const auto shard = *TarShard::Create(file, *std::move(index));
    for (uint64_t i = 0; i < shard->size(); ++i) {
      const TarSample sample = shard->Get(i);
      Fields fields;
      for (uint64_t j = 0; j < sample.size(); ++j) {
        fields[std::string(sample[j].extension)] = std::string(sample[j].bytes);
      }
      samples.emplace_back(sample.key(), std::move(fields));
    }
  }
  return samples;
}

// testdata/make_golden.py
TEST(WebDatasetWriterTest, WritesTheBytesOfPythons) {
  const std::string folder = TestFolder();
  auto writer = WebDatasetWriter::Create(folder);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::string long_key = absl::StrCat(std::string(80, 'p'), "/", std::string(60, 'q'), "/b");
  // In another order than they are written in.
  const std::string jpg(513, 'J');
  const std::vector<TarField> a = {{"left.png", ""}, {"jpg", jpg}, {"cls", "1"}};
  ASSERT_TRUE(writer->Write("a", a).ok());
  ASSERT_TRUE(writer->Write("na\xc3\xafve", Views({{"txt", std::string(512, 'x')}})).ok());
  ASSERT_TRUE(writer->Write(long_key, Views({{"txt", "y"}})).ok());
  ASSERT_TRUE(writer->Finish().ok());
  ASSERT_EQ(writer->shards().size(), 1);
  EXPECT_EQ(writer->shards()[0].name, "shard-000000.tar");
  const std::string found = *ReadFile(folder + "/shard-000000.tar");
  const std::string expected = TestData("written.tar");
  const auto differ = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  EXPECT_TRUE(found == expected) << "they differ from byte " << differ.first - found.begin();
}

TEST(WebDatasetWriterTest, RandomSamplesAreReadBackAsTheyWere) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  for (int round = 0; round < 20; ++round) {
    Set samples;
    const int count = below(60);
    for (int i = 0; i < count; ++i) {
      // Names short and long, with folders and without.
      const std::string parts[] = {"", "d/", "dir.v1/", std::string(90, 'p') + "/",
                                   std::string(200, 'q') + "/"};
      const std::string key =
          absl::StrCat(parts[below(5)], parts[below(5)], std::string(below(150), 'k'), i);
      Fields fields;
      const char* const extensions[] = {"jpg", "cls", "left.png", "json", "0 (clean).mp3"};
      do {
        std::string bytes(below(4) == 0 ? 512 * below(5) : below(3000), '\0');
        for (char& byte : bytes) byte = static_cast<char>(random());
        fields[extensions[below(5)]] = std::move(bytes);
      } while (below(3) != 0);
      samples.emplace_back(key, std::move(fields));
    }
    const std::string folder = TestFolder();
    const WebSettings settings = {.pattern = "%d.tar",
                                  .size_limit = 10'240ULL * (1 + below(5)),
                                  .sample_limit = 1ULL + below(20)};
    auto writer = WebDatasetWriter::Create(folder, settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_TRUE(WriteAll(*writer, samples).ok());
    EXPECT_TRUE(ReadAll(folder, writer->shards()) == samples);
    for (const WebShardInfo& shard : writer->shards()) {
      EXPECT_TRUE(shard.bytes <= settings.size_limit || shard.samples == 1);
      EXPECT_LE(shard.samples, settings.sample_limit);
    }
    std::filesystem::remove_all(folder);
  }
}

TEST(WebDatasetWriterTest, ShardsEndAtEitherLimit) {
  const std::string folder = TestFolder();
  auto writer = WebDatasetWriter::Create(
      folder, {.pattern = "s/%03d-x.tar", .size_limit = 20'480, .sample_limit = 2});
  std::filesystem::create_directory(folder + "/s");
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::string big(9'000, 'x');
  ASSERT_TRUE(
      WriteAll(*writer, {{"a", {{"t", "1"}}},
                         {"b", {{"t", "2"}}},
                         {"c", {{"t", "3"}}},  // the third
                         {"d", {{"t", big}}},
                         {"e", {{"t", big}}},                       // these two would not fit
                         {"f", {{"t", std::string(50'000, 'x')}}},  // more than the limit itself
                         {"g", {{"t", "4"}}}})
          .ok());
  std::vector<std::string> found;
  for (const WebShardInfo& shard : writer->shards()) {
    found.push_back(absl::StrCat(shard.name, " ", shard.samples, " ", shard.bytes));
  }
  EXPECT_THAT(found,
              ElementsAre("s/000-x.tar 2 10240", "s/001-x.tar 2 20480", "s/002-x.tar 1 20480",
                          "s/003-x.tar 1 61440", "s/004-x.tar 1 10240"));
}

TEST(WebDatasetWriterTest, WhatWouldNotBeReadBackIsRefused) {
  auto writer = WebDatasetWriter::Create(TestFolder());
  ASSERT_TRUE(writer.ok()) << writer.status();
  const auto refuses = [&](absl::string_view key, const std::vector<TarField>& fields) {
    return writer->Write(key, fields).code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refuses("a.b", {{"jpg", "1"}}));
  EXPECT_TRUE(refuses("", {{"jpg", "1"}}));
  EXPECT_TRUE(refuses("__x__/a", {{"jpg", "1"}}));
  EXPECT_TRUE(refuses("a", {{"JPG", "1"}}));
  EXPECT_TRUE(refuses("a", {{"x/y", "1"}}));
  EXPECT_TRUE(refuses("a", {}));
  EXPECT_TRUE(refuses("a", {{"jpg", "1"}, {"cls", "1"}, {"jpg", "2"}}));
  EXPECT_TRUE(refuses(absl::string_view("a\0b", 3), {{"jpg", "1"}}));
  EXPECT_TRUE(writer->Write("a", Views({{"jpg", "1"}})).ok());
  EXPECT_EQ(writer->Write("a", Views({{"cls", "1"}})).code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(writer->shards()[0].samples, 1);
}

TEST(WebDatasetWriterTest, PatternsHaveOneNumber) {
  for (const char* const pattern :
       {"shard.tar", "%d-%d.tar", "%s.tar", "%06", "%6d.tar", "%0999d.tar", "100%.tar", ""}) {
    EXPECT_EQ(WebDatasetWriter::Create(TestFolder(), {.pattern = pattern}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << pattern;
  }
  EXPECT_EQ(WebDatasetWriter::Create(TestFolder() + "/none").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(WebDatasetWriterTest, WritesToAStore) {
  const auto store = std::make_shared<MemoryStore>();
  auto writer = WebDatasetWriter::Create(store, {.sample_limit = 1});
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(WriteAll(*writer, {{"a", {{"t", "1"}}}, {"b", {{"t", "2"}}}}).ok());
  ASSERT_EQ(store->objects.size(), 2);
  EXPECT_EQ(store->objects["shard-000001.tar"].size(), kTarRecord);
  EXPECT_EQ(writer->Write("c", Views({{"t", "3"}})).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(WebDatasetWriterTest, AnErrorOfTheStoreStays) {
  const auto store = std::make_shared<MemoryStore>();
  store->on_write = [&]() -> absl::Status {
    if (store->objects.size() == 1) return absl::PermissionDeniedError("the store is full");
    return absl::OkStatus();
  };
  auto writer = WebDatasetWriter::Create(store, {.sample_limit = 1});
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_TRUE(writer->Write("a", Views({{"t", "1"}})).ok());
  EXPECT_TRUE(writer->Write("b", Views({{"t", "1"}})).ok());
  const absl::Status full = writer->Write("c", Views({{"t", "1"}}));
  EXPECT_THAT(std::string(full.message()), HasSubstr("shard-000001.tar: the store is full"));
  store->on_write = [] { return absl::OkStatus(); };
  EXPECT_EQ(writer->Finish(), full);
  EXPECT_EQ(store->objects.size(), 1);
}

// Names that ustar has no room for, and sizes that it has no digits for.
TEST(TarHeaderTest, PaxHeadersAreReadBack) {
  const std::string name = std::string(120, 'k') + ".jpg";
  std::string tar;
  AppendTarHeader(name, uint64_t{1} << 40, &tar);
  TarReader reader(tar);
  EXPECT_EQ(reader.Next(), nullptr);
  ASSERT_TRUE(reader.damage().has_value());
  EXPECT_THAT(reader.damage()->reason,
              HasSubstr(absl::StrCat("after 0 bytes of ", name, ", expected 1099511627776")));
}

TEST(TarHeaderTest, NamesOfEveryLengthAreReadBack) {
  for (size_t length = 1; length < 600; ++length) {
    for (const size_t slash : {size_t{0}, length / 3, length / 2, length - 1}) {
      std::string name(length, 'n');
      name[slash] = '/';
      if (slash == length - 1) name += 'n';
      const std::string tar = TarOf({{name, "x"}}) + TarEnd();
      TarReader reader(tar);
      const TarMember* const member = reader.Next();
      ASSERT_NE(member, nullptr) << name;
      EXPECT_EQ(member->name, name);
      EXPECT_EQ(tar.substr(member->offset, member->size), "x");
    }
  }
}

}  // namespace
}  // namespace tessera
