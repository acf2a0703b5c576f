#include "data/formats/webdataset/expand_tar.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "data/formats/compression/compression.h"
#include "data/formats/webdataset/tar_index.h"
#include "data/formats/webdataset/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Zip(const char* codec, absl::string_view bytes) {
  return *Codec::Parse(codec)->Compress(bytes);
}

constexpr char kPath[] = "s/a.tar.zip";

class ExpandTarTest : public ::testing::Test {
 protected:
  absl::StatusOr<LeftOut> Expand(const std::string& zip, BadShard bad_shard = BadShard::kStop) {
    out_.clear();
    return ExpandTar(zip, kPath, bad_shard, [this](absl::string_view bytes) {
      absl::StrAppend(&out_, bytes);
      return absl::OkStatus();
    });
  }

  void ExpectError(const std::string& zip, const std::string& what) {
    const auto left_out = Expand(zip);
    EXPECT_EQ(left_out.status().code(), absl::StatusCode::kDataLoss) << what;
    EXPECT_THAT(std::string(left_out.status().message()),
                HasSubstr(absl::StrCat(kPath, ", byte ")));
    EXPECT_THAT(std::string(left_out.status().message()), HasSubstr(what));
  }

  std::string out_;
  const std::string tar_ =
      TarOf({{"a.jpg", "J1"}, {"a.cls", "1"}, {"b.jpg", "J2"}, {"b.cls", "2"}}) + TarEnd();
};

TEST_F(ExpandTarTest, KnowsCompressionByTheFirstBytes) {
  EXPECT_EQ(FindCompression(TestData("gzip_named_tar.tar")), "gz");
  EXPECT_EQ(FindCompression(TestData("bzipped.tar.bz2")), "bz2");
  EXPECT_EQ(FindCompression(TestData("xzipped.tar.xz")), "xz");
  EXPECT_EQ(FindCompression(Zip("zstd", tar_)), "zst");
  EXPECT_EQ(FindCompression(Zip("bz2", "")), "bz2");
  EXPECT_EQ(FindCompression(tar_), "");
  EXPECT_EQ(FindCompression(TarOf({{"BZh9.jpg", "x"}})), "");
  EXPECT_EQ(FindCompression(""), "");
}

// webdataset ends after the first member: one sample, or half of one.
TEST_F(ExpandTarTest, ReadsAllMembers) {
  for (const char* const codec : {"gz", "bz2", "zstd"}) {
    const auto left_out =
        Expand(absl::StrCat(Zip(codec, tar_.substr(0, 1500)), Zip(codec, tar_.substr(1500))));
    ASSERT_TRUE(left_out.ok()) << left_out.status();
    EXPECT_EQ(*left_out, LeftOut());
    EXPECT_TRUE(out_ == tar_) << codec;
  }
  ASSERT_TRUE(Expand(TestData("two_members.tar.xz")).ok());
  EXPECT_TRUE(out_ == TestData("ustar_basic.tar"));
}

TEST_F(ExpandTarTest, ReadsMoreThanItsBuffers) {
  std::string big;
  for (int i = 0; big.size() < 5'000'000; ++i) absl::StrAppend(&big, i * 7919 % 10007);
  for (const char* const codec : {"gz:1", "bz2:1", "zstd:1"}) {
    ASSERT_TRUE(Expand(Zip(codec, big)).ok());
    EXPECT_TRUE(out_ == big) << codec;
  }
}

TEST_F(ExpandTarTest, ZerosMayFollow) {
  for (const char* const codec : {"gz", "bz2", "zstd"}) {
    EXPECT_TRUE(Expand(Zip(codec, tar_) + std::string(512, '\0')).ok()) << codec;
  }
}

TEST_F(ExpandTarTest, ACutIsFoundAtEveryByte) {
  const std::string xz = TestData("xzipped.tar.xz");
  for (const std::string& zip : {Zip("gz", tar_), Zip("bz2", tar_), Zip("zstd", tar_), xz}) {
    for (size_t size = 10; size < zip.size(); ++size) {
      EXPECT_EQ(Expand(zip.substr(0, size)).status().code(), absl::StatusCode::kDataLoss) << size;
    }
  }
}

TEST_F(ExpandTarTest, ChecksumsAreCompared) {
  for (const char* const codec : {"gz", "bz2"}) {
    std::string zip = Zip(codec, tar_);
    zip[zip.size() - 6] ^= 0x10;  // of gz the checksum, of bz2 the checksum or what leads to it
    ExpectError(zip, "cannot decompress");
  }
  std::string xz = TestData("xzipped.tar.xz");
  xz[xz.size() - 50] ^= 0x10;
  ExpectError(xz, "cannot decompress xz");
}

TEST_F(ExpandTarTest, WhatFollowsTheEndIsAnError) {
  ExpectError(Zip("gz", tar_) + "more", "cannot decompress gz");
  ExpectError(Zip("bz2", tar_) + "more", "cannot decompress bz2");
  ExpectError(Zip("zstd", tar_) + "more", "cannot decompress zst");
  ExpectError(TestData("xzipped.tar.xz") + "more", "cannot decompress xz");
}

// A tar that ends between two files looks whole: the line at its end says that it is not.
TEST_F(ExpandTarTest, WhatIsLeftOutIsSeenInTheTarToo) {
  const std::string first = Zip("gz", tar_.substr(0, 2048));  // a's files
  const std::string zip = first + Zip("gz", tar_.substr(2048)).substr(0, 15);
  const auto left_out = Expand(zip, BadShard::kSkipRest);
  ASSERT_TRUE(left_out.ok()) << left_out.status();
  EXPECT_THAT(left_out->reason, HasSubstr("cannot decompress gz: it is cut short"));
  EXPECT_EQ(TarIndex::Build(out_, "a.tar", BadShard::kStop).status().code(),
            absl::StatusCode::kDataLoss);
  const auto index = TarIndex::Build(out_, "a.tar", BadShard::kSkipRest);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->size(), 0);  // a may have lost a file
  EXPECT_THAT(out_.substr(2048), HasSubstr("The rest is left out"));
}

TEST_F(ExpandTarTest, WhatCameBeforeDamageIsUsed) {
  const std::string first = Zip("gz", tar_.substr(0, 3000));  // a's files and b.jpg
  const auto left_out = Expand(first + "damage", BadShard::kSkipRest);
  ASSERT_TRUE(left_out.ok()) << left_out.status();
  EXPECT_EQ(left_out->bytes, 6);
  const auto index = TarIndex::Build(out_, "a.tar", BadShard::kSkipRest);
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_THAT(Samples(out_, *index), ElementsAre("a: jpg=J1 cls=1"));
}

TEST_F(ExpandTarTest, AFileThatIsNotCompressedIsAnError) {
  EXPECT_EQ(Expand(tar_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ExpandTarTest, AnErrorOfTheSinkIsNoDamage) {
  for (const std::string& zip : {Zip("gz", tar_), TestData("xzipped.tar.xz")}) {
    const auto left_out = ExpandTar(zip, kPath, BadShard::kSkipRest, [](absl::string_view) {
      return absl::DataLossError("it is full");
    });
    EXPECT_EQ(left_out.status().message(), "it is full");
  }
}

}  // namespace
}  // namespace tessera
