#include "data/formats/mds/mds_shard.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/write_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Words(const std::vector<uint32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()), sizeof(uint32_t) * words.size());
}

// Three samples: "ab", "" and "cde", after the config "{}".
std::string Shard() { return Words({3, 22, 24, 24, 27}) + "{}" + "abcde"; }

std::string Path() { return absl::StrCat(std::getenv("TEST_TMPDIR"), "/shard.mds"); }

absl::StatusOr<std::shared_ptr<const MdsShard>> Open(const std::string& bytes, uint64_t samples) {
  EXPECT_TRUE(WriteFile(Path(), bytes).ok());
  auto file = MappedFile::Open(Path());
  EXPECT_TRUE(file.ok()) << file.status();
  return MdsShard::Create(*std::move(file), samples);
}

std::string Error(const std::string& bytes, uint64_t samples = 3) {
  const std::string message(Open(bytes, samples).status().message());
  EXPECT_THAT(message, HasSubstr("shard.mds"));
  return message;
}

TEST(MdsShardTest, SamplesLieBetweenTheOffsets) {
  const auto shard = Open(Shard(), 3);
  ASSERT_TRUE(shard.ok()) << shard.status();
  EXPECT_EQ((*shard)->size(), 3u);
  EXPECT_EQ(std::string((*shard)->Get(0)), "ab");
  EXPECT_EQ(std::string((*shard)->Get(1)), "");
  EXPECT_EQ(std::string((*shard)->Get(2)), "cde");
}

TEST(MdsShardTest, ConfigAndSamplesMayBeAbsent) {
  EXPECT_EQ((*Open(Words({0, 8}), 0))->size(), 0u);
  EXPECT_EQ((*Open(Words({1, 12, 12}), 1))->Get(0).size(), 0u);
}

TEST(MdsShardTest, SizeIsComparedWithTheIndex) {
  ASSERT_TRUE(WriteFile(Path(), Shard()).ok());
  EXPECT_TRUE(MdsShard::Open(Path(), 27, 3).ok());
  EXPECT_THAT(std::string(MdsShard::Open(Path(), 28, 3).status().message()),
              AllOf(HasSubstr("27 bytes"), HasSubstr("says 28")));
  EXPECT_THAT(std::string(MdsShard::Open("none.mds", 28, 3).status().message()),
              HasSubstr("none.mds"));
}

TEST(MdsShardTest, CountIsComparedWithTheIndex) {
  EXPECT_THAT(Error(Shard(), 2), AllOf(HasSubstr("3 samples"), HasSubstr("says 2")));
  EXPECT_THAT(Error(Shard(), 4), AllOf(HasSubstr("3 samples"), HasSubstr("says 4")));
  EXPECT_THAT(Error(Words({UINT32_MAX, 22, 24, 24, 27}) + "{}abcde"), HasSubstr("4294967295"));
  EXPECT_THAT(Error(Shard(), UINT32_MAX), HasSubstr("too few for the 4294967295 samples"));
  EXPECT_THAT(Error(Shard(), UINT64_MAX), HasSubstr("too few"));
}

TEST(MdsShardTest, CutShortAtAnyByteIsAnError) {
  for (size_t size = 0; size < Shard().size(); ++size) {
    EXPECT_THAT(Error(Shard().substr(0, size)), AnyOf(HasSubstr("too few"), HasSubstr("damaged")))
        << size;
  }
  EXPECT_THAT(Error(Shard() + "x"), HasSubstr("end at byte 27 of 28"));
  EXPECT_THAT(Error(std::string(27, '\0')), HasSubstr("holds 0 samples"));
}

TEST(MdsShardTest, OffsetsThatLeadNowhereAreErrors) {
  EXPECT_THAT(Error(Words({3, 19, 24, 24, 27}) + "{}abcde"), HasSubstr("offset 0 is 19"));
  EXPECT_THAT(Error(Words({3, 22, 21, 24, 27}) + "{}abcde"), HasSubstr("offset 1 is 21"));
  EXPECT_THAT(Error(Words({3, 22, 24, 28, 27}) + "{}abcde"), HasSubstr("offset 2 is 28"));
  EXPECT_THAT(Error(Words({3, 22, 24, 24, UINT32_MAX}) + "{}abcde"), HasSubstr("offset 3"));
  EXPECT_THAT(Error(Words({3, 22, 24, 24, 26}) + "{}abcde"), HasSubstr("end at byte 26 of 27"));
}

// Whatever is flipped, each sample that is given out lies in the file.
TEST(MdsShardTest, FlippedBitsNeverLeadOutOfTheFile) {
  int refused = 0;
  for (size_t bit = 0; bit < 8 * Shard().size(); ++bit) {
    std::string damaged = Shard();
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto shard = Open(damaged, 3);
    refused += shard.ok() ? 0 : 1;
    for (uint64_t i = 0; shard.ok() && i < 3; ++i) {
      EXPECT_THAT(damaged, HasSubstr(std::string((*shard)->Get(i))));
    }
  }
  EXPECT_GT(refused, 32 + 3 * 27);
}

}  // namespace
}  // namespace tessera
