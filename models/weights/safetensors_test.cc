#include "models/weights/safetensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linspace.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kGolden[] = "models/weights/testdata/golden.safetensors";

std::string TestFile() { return absl::StrCat(std::getenv("TEST_TMPDIR"), "/t.safetensors"); }

// Removed first: some file systems sync a file that replaces another.
void WriteTestFile(const std::string& contents) {
  std::remove(TestFile().c_str());
  ASSERT_TRUE(WriteFile(TestFile(), contents).ok());
}

// A file with this header and `data_bytes` of data.
absl::Status ReadingOf(const std::string& header, size_t data_bytes) {
  const uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof(length));
  file += header + std::string(data_bytes, '\0');
  WriteTestFile(file);
  return ReadSafetensors(TestFile()).status();
}

TEST(SafetensorsTest, ReadsWhatPythonWrote) {
  const auto tensors = ReadSafetensors(kGolden);
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  ASSERT_EQ(tensors->size(), 12u);
  EXPECT_TRUE(at::equal(tensors->at("layer.weight"), at::linspace(0, 1.25, 6).reshape({2, 3})));
  EXPECT_EQ(tensors->at("layer.bias")[1].item<double>(), -2.0);
  EXPECT_EQ(tensors->at("counter").dim(), 0);
  EXPECT_EQ(tensors->at("counter").item<int64_t>(), 7);
  EXPECT_EQ(tensors->at("half").scalar_type(), at::kHalf);
  EXPECT_EQ(tensors->at("brain").item<float>(), 0.25f);
  EXPECT_EQ(tensors->at("bytes")[1].item<int>(), 255);
  EXPECT_TRUE(tensors->at("mask")[0].item<bool>());
  EXPECT_EQ(tensors->at("a32").item<int>(), -5);
  EXPECT_EQ(tensors->at("short")[0].item<int>(), -300);
  EXPECT_EQ(tensors->at("tiny").sizes(), (at::IntArrayRef{2, 1}));
  EXPECT_EQ(tensors->at("tiny")[0][0].item<int>(), -1);
  EXPECT_EQ(tensors->at("quoted \"\\ \n\x1f é").item<float>(), 1);
  EXPECT_EQ(tensors->at("empty").sizes(), (at::IntArrayRef{0, 4}));
}

TEST(SafetensorsTest, WritesTheSameBytesAsPython) {
  const auto tensors = ReadSafetensors(kGolden);
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  ASSERT_TRUE(
      WriteSafetensors(TestFile(), {tensors->begin(), tensors->end()}, {{"format", "pt"}}).ok());
  EXPECT_EQ(*ReadFile(TestFile()), *ReadFile(kGolden));
}

TEST(SafetensorsTest, OtherMemoryLayoutsAreWrittenByIndex) {
  const at::Tensor value = at::arange(24.0f).reshape({1, 2, 3, 4});
  const at::Tensor last = value.contiguous(at::MemoryFormat::ChannelsLast);
  ASSERT_TRUE(WriteSafetensors(TestFile(), {{"x", last}, {"y", value.transpose(2, 3)}}).ok());
  const auto read = *ReadSafetensors(TestFile());
  EXPECT_TRUE(at::equal(read.at("x"), value));
  EXPECT_TRUE(at::equal(read.at("y"), value.transpose(2, 3)));
}

TEST(SafetensorsTest, ImpossibleHeadersAreRefused) {
  const auto entry = [](const char* dtype, const char* shape, const char* offsets) {
    return absl::StrCat("{\"x\":{\"dtype\":\"", dtype, "\",\"shape\":", shape,
                        ",\"data_offsets\":", offsets, "}}");
  };
  EXPECT_TRUE(ReadingOf(entry("F32", "[2]", "[0,8]"), 8).ok());
  for (const std::string& header :
       {entry("F32", "[2]", "[0,4]"), entry("F32", "[2]", "[4,12]"), entry("F32", "[2]", "[8,0]"),
        entry("F99", "[2]", "[0,8]"), entry("F32", "[-2]", "[0,8]"), entry("F32", "2", "[0,8]"),
        entry("F32", "[4611686018427387904,8]", "[0,8]"), entry("F32", "[2]", "[0,8,9]"),
        entry("F32", "[0,4611686018427387904,8]", "[0,0]"), entry("F32", "[2]", "[0.0,8]"),
        entry("F32", "[2]", "[0,1e30]"), std::string("[]"), std::string("{\"x\":1}"),
        std::string("{\"x\":"), std::string("")}) {
    EXPECT_THAT(std::string(ReadingOf(header, 8).message()),
                AllOf(HasSubstr("t.safetensors"), HasSubstr("safetensors file")))
        << header;
  }
}

TEST(SafetensorsTest, OverlapGapAndRepeatedNamesAreRefused) {
  const auto two = [](const char* a, const char* b, const char* second) {
    return absl::StrCat("{\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":", a, "},\"",
                        second, "\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":", b, "}}");
  };
  EXPECT_TRUE(ReadingOf(two("[0,2]", "[2,4]", "y"), 4).ok());
  EXPECT_FALSE(ReadingOf(two("[0,2]", "[1,3]", "y"), 3).ok());
  EXPECT_FALSE(ReadingOf(two("[0,2]", "[3,5]", "y"), 5).ok());
  EXPECT_FALSE(ReadingOf(two("[0,2]", "[2,4]", "y"), 9).ok());
  EXPECT_THAT(std::string(ReadingOf(two("[0,2]", "[2,4]", "x"), 4).message()),
              HasSubstr("the name x comes twice"));
}

TEST(SafetensorsTest, HugeHeaderIsRefused) {
  const uint64_t length = uint64_t{1} << 62;
  std::string file(reinterpret_cast<const char*>(&length), sizeof(length));
  WriteTestFile(file + "{}");
  EXPECT_FALSE(ReadSafetensors(TestFile()).ok());
}

TEST(SafetensorsTest, AbsentFileIsNamed) {
  EXPECT_THAT(std::string(ReadSafetensors("absent.safetensors").status().message()),
              HasSubstr("cannot read absent.safetensors: No such file"));
  EXPECT_THAT(std::string(ReadSafetensors(std::getenv("TEST_TMPDIR")).status().message()),
              HasSubstr("Is a directory"));
}

TEST(SafetensorsTest, WhatCannotBeWrittenLeavesNoFile) {
  const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/none.safetensors");
  const at::Tensor x = at::arange(2.0f);
  EXPECT_THAT(std::string(WriteSafetensors(path, {{"x", x}, {"x", x}}).message()),
              HasSubstr("two tensors are called x"));
  EXPECT_THAT(std::string(WriteSafetensors(path, {{"z", x.to(at::kComplexFloat)}}).message()),
              HasSubstr("tensor z has a type"));
  EXPECT_FALSE(ReadSafetensors(path).ok());
}

// The tensors are no views of the file: it may be replaced or cut meanwhile.
TEST(SafetensorsTest, TensorsOwnTheirMemory) {
  ASSERT_TRUE(WriteSafetensors(TestFile(), {{"x", at::arange(4.0f)}}).ok());
  const auto read = *ReadSafetensors(TestFile());
  ASSERT_TRUE(WriteFile(TestFile(), "").ok());
  EXPECT_TRUE(at::equal(read.at("x"), at::arange(4.0f)));
}

TEST(SafetensorsTest, DamageNeverCrashes) {
  const std::string valid = *ReadFile(kGolden);
  std::mt19937 random(17);
  for (int round = 0; round < 2000; ++round) {
    std::string file = valid.substr(0, round % 2 == 0 ? random() % valid.size() : valid.size());
    for (int i = 0; i < 3 && !file.empty(); ++i) {
      file[random() % file.size()] = static_cast<char>(random());
    }
    WriteTestFile(file);
    ReadSafetensors(TestFile()).status().IgnoreError();
  }
}

}  // namespace
}  // namespace tessera
