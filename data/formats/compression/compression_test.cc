#include "data/formats/compression/compression.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "data/formats/hash/hash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNames[] = {"br", "bz2", "gz", "snappy", "zstd"};

// As make_golden.py makes it.
std::string Text(size_t length) {
  constexpr const char* kWords[] = {"road ",   "sky ",   "tree ",   "car ",  "wall ", "building ",
                                    "person ", "grass ", "window ", "door ", "lamp ", "table ",
                                    "water ",  "sand ",  "floor ",  "a "};
  std::string text;
  uint32_t x = 1;
  while (text.size() < length) {
    x = x * 1664525 + 1013904223;
    text += kWords[x >> 28];
  }
  text.resize(length);
  return text;
}

std::string Zip(const char* codec, const std::string& contents) {
  const auto zip = Codec::Parse(codec)->Compress(contents);
  EXPECT_TRUE(zip.ok()) << zip.status();
  return zip.ok() ? *zip : "";
}

// What `zip` holds, if it is `size` bytes.
absl::StatusOr<std::string> Unzip(const char* codec, const std::string& zip, size_t size) {
  std::string contents(size, '?');
  const absl::Status status = Codec::Parse(codec)->Decompress(zip, absl::MakeSpan(contents));
  if (!status.ok()) return status;
  return contents;
}

std::string Error(const char* codec, const std::string& zip, size_t size) {
  return std::string(Unzip(codec, zip, size).status().message());
}

TEST(CompressionTest, CompressesToTheBytesOfPython) {
  const auto golden =
      nlohmann::json::parse(*ReadFile("data/formats/compression/testdata/golden.json"));
  for (const auto& [name, expected] : golden.items()) {
    const std::vector<std::string> parts = absl::StrSplit(name, ' ');
    const std::string text = Text(std::stoul(parts[1]));
    const std::string zip = Zip(parts[0].c_str(), text);
    EXPECT_EQ(zip.size(), expected["bytes"].get<size_t>()) << name;
    EXPECT_EQ(*HashHex("sha256", zip), expected["sha256"].get<std::string>()) << name;
    EXPECT_EQ(*Unzip(parts[0].c_str(), zip, text.size()), text) << name;
  }
}

TEST(CompressionTest, WrongSizeIsAnError) {
  for (const char* codec : kNames) {
    const std::string zip = Zip(codec, Text(1000));
    for (const size_t size : {0, 1, 999, 1001, 100000}) {
      EXPECT_THAT(Error(codec, zip, size), HasSubstr(codec)) << size;
    }
    EXPECT_THAT(Error(codec, Zip(codec, ""), 1), HasSubstr(codec));
  }
}

TEST(CompressionTest, CutShortIsAnError) {
  for (const char* codec : kNames) {
    const std::string zip = Zip(codec, Text(1000));
    for (size_t size = 0; size < zip.size(); ++size) {
      EXPECT_NE(Error(codec, zip.substr(0, size), 1000), "") << codec << " at " << size;
    }
  }
}

TEST(CompressionTest, BytesAfterTheEndAreAnError) {
  for (const char* codec : kNames) {
    const std::string zip = Zip(codec, Text(1000));
    for (const std::string& tail : {std::string("x"), std::string(64, '\0'), zip}) {
      EXPECT_NE(Error(codec, zip + tail, 1000), "") << codec;
    }
  }
}

// Neither crash nor endless loop; whether they notice depends on their checksums.
TEST(CompressionTest, FlippedBitsAreHandled) {
  for (const char* codec : kNames) {
    const std::string text = Text(1000), zip = Zip(codec, text);
    for (size_t bit = 0; bit < 8 * zip.size(); ++bit) {
      std::string damaged = zip;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      const auto contents = Unzip(codec, damaged, text.size());
      const std::string name(codec);
      if (bit >= 80 && (name == "gz" || name == "bz2") && contents.ok()) {
        EXPECT_EQ(*contents, text) << codec << " " << bit;
      }
    }
  }
}

TEST(CompressionTest, MembersAreJoined) {
  for (const char* codec : {"bz2", "gz", "zstd"}) {
    const std::string a = Text(1000), b = Text(70000);
    EXPECT_EQ(*Unzip(codec, Zip(codec, a) + Zip(codec, "") + Zip(codec, b), 71000), a + b) << codec;
    EXPECT_NE(Error(codec, Zip(codec, a) + Zip(codec, b), 70999), "") << codec;
    EXPECT_NE(Error(codec, Zip(codec, a) + Zip(codec, b), 71001), "") << codec;
  }
}

TEST(CompressionTest, UnknownNameListsTheKnown) {
  for (const char* text : {"", "lz4", "zstd:", "zstd:0", "zstd:23", "zstd:07", "zstd: 7", "ZSTD",
                           "br:12", "bz2:0", "gz:10", "snappy:1", "gz:-1"}) {
    EXPECT_THAT(std::string(Codec::Parse(text).status().message()), HasSubstr("zstd[:1-22]"))
        << text;
  }
}

TEST(CompressionTest, ExtensionIsTheNameWithoutLevel) {
  EXPECT_EQ(Codec::Parse("zstd:7")->extension(), "zstd");
  EXPECT_EQ(Codec::Parse("snappy")->extension(), "snappy");
}

}  // namespace
}  // namespace tessera
