#include "data/formats/mds/mds_shard.h"

#include <cstdint>
#include <string>
#include <vector>

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

std::string Error(const std::string& bytes, uint64_t samples = 3) {
  return std::string(MdsShard(bytes, samples).Check().message());
}

TEST(MdsShardTest, SamplesLieBetweenTheOffsets) {
  const std::string bytes = Shard();
  const MdsShard shard(bytes, 3);
  ASSERT_TRUE(shard.Check().ok());
  EXPECT_EQ(std::string(*shard.Get(0)), "ab");
  EXPECT_EQ(std::string(*shard.Get(1)), "");
  EXPECT_EQ(std::string(*shard.Get(2)), "cde");
  EXPECT_FALSE(shard.Get(3).ok());
}

TEST(MdsShardTest, ConfigAndSamplesMayBeAbsent) {
  EXPECT_EQ(Error(Words({0, 8}), 0), "");
  const std::string empty = Words({1, 12, 12});
  EXPECT_EQ(Error(empty, 1), "");
  EXPECT_EQ(MdsShard(empty, 1).Get(0)->size(), 0u);
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
    const MdsShard shard(damaged, 3);
    refused += shard.Check().ok() ? 0 : 1;
    for (uint64_t i = 0; i < 3; ++i) {
      const absl::StatusOr<absl::string_view> sample = shard.Get(i);
      if (!sample.ok()) continue;
      EXPECT_GE(sample->data(), damaged.data() + 20);
      EXPECT_LE(sample->data() + sample->size(), damaged.data() + damaged.size());
    }
  }
  EXPECT_GT(refused, 32 + 3 * 27);
}

}  // namespace
}  // namespace tessera
