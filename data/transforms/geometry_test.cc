#include "data/transforms/geometry.h"

#include "gtest/gtest.h"

namespace tessera {
namespace {

TEST(GeometryTest, ShortSideRoundsTheLongSideDown) {
  EXPECT_EQ(ScaleShortSide({500, 33}, 256), (ImageSize{3878, 256}));
  EXPECT_EQ(ScaleShortSide({33, 500}, 256), (ImageSize{256, 3878}));
  EXPECT_EQ(ScaleShortSide({480, 640}, 256), (ImageSize{256, 341}));
  EXPECT_EQ(ScaleShortSide({7, 7}, 224), (ImageSize{224, 224}));
  EXPECT_EQ(ScaleShortSide({1, 100000}, 20000).width, 2000000000);  // no overflow
}

TEST(GeometryTest, InsideKeepsTheRatio) {
  EXPECT_EQ(ScaleInside({500, 33}, 2048, 512), (ImageSize{2048, 135}));
  EXPECT_EQ(ScaleInside({33, 500}, 2048, 512), (ImageSize{135, 2048}));
  EXPECT_EQ(ScaleInside({512, 683}, 2048, 512), (ImageSize{512, 683}));
  EXPECT_EQ(ScaleInside({1, 5000}, 512, 512), (ImageSize{1, 512}));
}

}  // namespace
}  // namespace tessera
