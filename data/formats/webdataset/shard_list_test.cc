#include "data/formats/webdataset/shard_list.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

// The names, or the error.
std::string Expand(absl::string_view list) {
  const auto names = ExpandShardList(list);
  return names.ok() ? absl::StrJoin(*names, " ") : std::string(names.status().message());
}

// Values of Python's braceexpand 0.1.7, which webdataset uses.
TEST(ShardListTest, ExpandsAsPythonDoes) {
  EXPECT_EQ(Expand("a.tar"), "a.tar");
  EXPECT_EQ(Expand("s-{0..3}.tar"), "s-0.tar s-1.tar s-2.tar s-3.tar");
  EXPECT_EQ(Expand("{08..11}"), "08 09 10 11");
  EXPECT_EQ(Expand("{8..011}"), "008 009 010 011");
  EXPECT_EQ(Expand("{0..2}"), "0 1 2");
  EXPECT_EQ(Expand("{00..2}"), "00 01 02");
  EXPECT_EQ(Expand("{-01..1}"), "-01 000 001");
  EXPECT_EQ(Expand("{3..-1..2}"), "3 1 -1");
  EXPECT_EQ(Expand("{0..9..-4}"), "0 4 8");
  EXPECT_EQ(Expand("{1..2..0}"), "1 2");
  EXPECT_EQ(Expand("{a..e..2}"), "a c e");
  EXPECT_EQ(Expand("{Y..b}"), "Y Z a b");
  EXPECT_EQ(Expand("{C..A}"), "C B A");
  EXPECT_EQ(Expand("x{a,b{1..2},}y"), "xay xb1y xb2y xy");
  EXPECT_EQ(Expand("{a,b}{1,2}"), "a1 a2 b1 b2");
  EXPECT_EQ(Expand("a,b"), "a,b");
  EXPECT_EQ(Expand(R"(a\{1\,{2,3\,\}}\\)"), R"(a{1,2\ a{1,3,}\)");
}

TEST(ShardListTest, ListsStandOneAfterTheOther) {
  EXPECT_EQ(Expand("{0..1}.tar::b.tar::s3://c/{x,y}"), "0.tar 1.tar b.tar s3://c/x s3://c/y");
}

TEST(ShardListTest, SaysWhichBracesAreBad) {
  EXPECT_EQ(Expand("a{1..2"),
            "in the list of shards \"a{1..2\", character 2: \"{\" without a \"}\"");
  EXPECT_EQ(Expand("a{1,2"), "in the list of shards \"a{1,2\", character 2: \"{\" without a \"}\"");
  EXPECT_EQ(Expand("{a,{b}"),
            "in the list of shards \"{a,{b}\", character 4: {b} holds neither a "
            "list {a,b} nor a range {000..123}");
  EXPECT_EQ(Expand("a}b"), "in the list of shards \"a}b\", character 2: \"}\" without a \"{\"");
  EXPECT_EQ(Expand("{{a,b}}"),
            "in the list of shards \"{{a,b}}\", character 1: {{a,b}} holds "
            "neither a list {a,b} nor a range {000..123}");
  for (const char* const bad : {"{}", "{a}", "{000-123}", "{1..}", "{..}", "{1..2..3..4}", "{a..1}",
                                "{1..99999999999999999999}"}) {
    EXPECT_EQ(Expand(bad), absl::StrCat("in the list of shards \"", bad, "\", character 1: ", bad,
                                        " holds neither a list {a,b} nor a range {000..123}"));
  }
  EXPECT_EQ(Expand(""), "the list of shards \"\" has an empty part");
  EXPECT_EQ(Expand("a::"), "the list of shards \"a::\" has an empty part");
}

TEST(ShardListTest, TooManyNamesAreRefusedBeforeTheyAreMade) {
  for (const char* const list :
       {"{0..10000000}", "{0..9999}{0..9999}{0..9999}{0..9999}", "{0..999999999999999}",
        "{{0..6000000},{0..6000000}}", "{1..6000000}::{1..6000000}"}) {
    EXPECT_EQ(Expand(list), absl::StrCat("the list of shards \"", list,
                                         "\" stands for more than 10000000 names"));
  }
  const auto names = ExpandShardList("{0000000..9999999}");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(names->size(), kMostShards);
  EXPECT_EQ(names->back(), "9999999");
}

TEST(ShardListTest, DeepBracesAreRefused) {
  EXPECT_FALSE(ExpandShardList(std::string(1'000'000, '{')).ok());
}

}  // namespace
}  // namespace tessera
