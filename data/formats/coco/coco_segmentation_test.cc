#include "data/formats/coco/coco_segmentation.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CocoMask Runs(const std::vector<int64_t>& counts, int height, int width) {
  return *CocoMask::FromCounts(counts, height, width);
}

TEST(CocoSegmentationTest, PoolGivesBackWhatWasAdded) {
  CocoSegmentationPool pool;
  const std::vector<double> hundredths = {0, 639.99, 0.07, 1048576, -3.5, 12, 1, 2, 3, 4, 5, 6};
  const std::vector<double> others = {1. / 3, 2e-9, 0.1 + 0.2, 5, -1048576, 53.019999999999996};
  const std::vector<size_t> ends = {6, 12}, end = {6};
  const CocoMask runs = Runs({0, 70000, 0, 0, 30000}, 1000, 100);

  const uint64_t a = pool.AddPolygons(hundredths, ends);
  const uint64_t b = pool.AddEmpty();
  const uint64_t c = pool.AddRuns(runs);
  const uint64_t d = pool.AddPolygons(others, end);
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
  EXPECT_LT(c, d);

  EXPECT_THAT(pool.Get(a).polygons, ElementsAre(ElementsAre(0, 639.99, 0.07, 1048576, -3.5, 12),
                                                ElementsAre(1, 2, 3, 4, 5, 6)));
  EXPECT_FALSE(pool.Get(a).empty());
  EXPECT_TRUE(pool.Get(b).empty());
  EXPECT_EQ(pool.Get(c).runs, runs);
  EXPECT_THAT(pool.Get(d).polygons, ElementsAre(others));
}

TEST(CocoSegmentationTest, PoolKeepsEveryNumberOfTwoDecimals) {
  CocoSegmentationPool pool;
  std::vector<double> polygon;
  for (int i = -100; i < 70000; ++i) polygon.push_back(i / 100.);
  const std::vector<size_t> end = {polygon.size()};
  const uint64_t place = pool.AddPolygons(polygon, end);
  EXPECT_THAT(pool.Get(place).polygons, ElementsAre(polygon));
  EXPECT_LE(pool.bytes(), size_t{1} << 20);
}

TEST(CocoSegmentationTest, PlacesAscendOverBlocks) {
  CocoSegmentationPool pool;
  std::vector<double> polygon(100'001 * 2);
  uint64_t last = pool.AddEmpty();
  std::vector<uint64_t> places;
  for (int i = 0; i < 4; ++i) {
    for (double& value : polygon) value += 1. / 3;
    const std::vector<size_t> end = {polygon.size()};
    places.push_back(pool.AddPolygons(polygon, end));
    EXPECT_GT(places.back(), last);
    last = pool.AddEmpty();
    EXPECT_GT(last, places.back());
  }
  EXPECT_EQ(pool.Get(places[0]).polygons[0][0], 1. / 3);
  EXPECT_THAT(pool.Get(places[3]).polygons, ElementsAre(polygon));
}

TEST(CocoSegmentationTest, MaskIsOfTheImage) {
  const CocoSegmentation polygons = {
      .polygons = {{0, 0, 2, 0, 2, 2, 0, 2}, {3, 0, 4, 0, 4, 1, 3, 1}}};
  const auto mask = polygons.Mask(2, 5);
  ASSERT_TRUE(mask.ok()) << mask.status();
  EXPECT_THAT(mask->counts(), ElementsAre(0, 4, 2, 1, 3));

  const CocoSegmentation runs = {.runs = Runs({1, 5}, 2, 3)};
  EXPECT_EQ(*runs.Mask(2, 3), *runs.runs);
  EXPECT_THAT(std::string(runs.Mask(3, 2).status().message()),
              HasSubstr("its runs are of 3x2 pixels, the image has 2x3"));
  EXPECT_FALSE(CocoSegmentation().Mask(2, 3).ok());
}

}  // namespace
}  // namespace tessera
