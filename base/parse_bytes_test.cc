#include "base/parse_bytes.h"

#include "gtest/gtest.h"

namespace tessera {
namespace {

TEST(ParseBytesTest, UnitsArePowersOf1024) {
  EXPECT_EQ(ParseBytes("0").value(), 0u);
  EXPECT_EQ(ParseBytes("8388608").value(), 8388608u);
  EXPECT_EQ(ParseBytes("100b").value(), 100u);
  EXPECT_EQ(ParseBytes("64mb").value(), 67108864u);
  EXPECT_EQ(ParseBytes(" 1.5 GB ").value(), 1610612736u);
  EXPECT_EQ(ParseBytes(".5Kb").value(), 512u);
  EXPECT_EQ(ParseBytes("3.9").value(), 3u);
}

TEST(ParseBytesTest, AnythingElseIsRefused) {
  for (const char* text : {"", "mb", "-1", "1e3", "nan", "64m", "1.2.3", "1 2", "9000pb"}) {
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
  }
}

}  // namespace
}  // namespace tessera
