#include "data/formats/coco/polygon_crossings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tessera {
namespace {

// Fine points a pixel; its centre is number 2 of them.
constexpr int kFine = 5;
constexpr int kCentre = 2;

struct FinePoint {
  int x = 0;
  int y = 0;
};

// Rounds as cocoapi does: negative values towards zero after a half is added. All casts here are of
// this kind.
int ToFine(double value) { return static_cast<int>(kFine * value + .5); }

// The first row of pixels whose centre is not above the fine row `y`, within 0 to height.
int RowFrom(int y, int height) {
  if (y <= kCentre) return 0;
  return std::min((y - kCentre + kFine - 1) / kFine, height);
}

// An edge as cocoapi draws it: a fine point for each step along its longer side, always from the
// left, or from the top where it is steep. Both directions of an edge thus have the same points.
// cocoapi lists all points; here those at a crossing are computed alone, by the same operations on
// doubles, since they round differently from any others.
class Edge {
 public:
  Edge(FinePoint from, FinePoint to) : from_(from), to_(to) {
    const int dx = std::abs(to.x - from.x), dy = std::abs(to.y - from.y);
    steep_ = dy > dx;
    steps_ = std::max(dx, dy);
    if (steep_ ? from.y > to.y : from.x > to.x) std::swap(from_, to_);
    slope_ = steep_ ? static_cast<double>(to_.x - from_.x) / steps_
                    : static_cast<double>(to_.y - from_.y) / steps_;
  }

  int left() const { return std::min(from_.x, to_.x); }
  int right() const { return std::max(from_.x, to_.x); }

  // The upper row of the two points between which the edge goes from the fine column `x` to the
  // next one, or back; left() <= x < right().
  int CrossingRow(int x) const {
    if (steep_) return from_.y + StepOver(x) - 1;
    const int step = x - from_.x;
    return std::min(At(from_.y, step), At(from_.y, step + 1));
  }

 private:
  int At(int start, int step) const { return static_cast<int>(start + slope_ * step + .5); }

  // The first step of a steep edge that is on the other side of the fine column `x`.
  int StepOver(int x) const {
    const bool rightwards = to_.x > from_.x;
    const auto over = [&](int step) { return (At(from_.x, step) > x) == rightwards; };
    // Right up to its rounding, which is put right below.
    const double guess = std::ceil((x + .5 - from_.x) / slope_);
    int step = static_cast<int>(std::clamp(guess, 1., static_cast<double>(steps_)));
    while (step > 1 && over(step - 1)) --step;
    while (step < steps_ && !over(step)) ++step;
    return step;
  }

  FinePoint from_, to_;
  bool steep_;
  int steps_;
  double slope_;
};

void AddEdgeCrossings(FinePoint from, FinePoint to, int height, int width,
                      std::vector<uint32_t>* places) {
  if (from.x == to.x || std::max(from.x, to.x) <= kCentre) return;
  const Edge edge(from, to);
  // A column of pixels is crossed between its centre and the fine column after that.
  const int first = edge.left() <= kCentre ? 0 : (edge.left() - kCentre + kFine - 1) / kFine;
  const int last = std::min((edge.right() - kCentre - 1) / kFine, width - 1);
  for (int column = first; column <= last; ++column) {
    const int row = RowFrom(edge.CrossingRow(kFine * column + kCentre), height);
    places->push_back(static_cast<uint32_t>(int64_t{column} * height + row));
  }
}

}  // namespace

void AddPolygonCrossings(absl::Span<const double> polygon, int height, int width,
                         std::vector<uint32_t>* places) {
  const size_t end = polygon.size() - polygon.size() % 2;
  if (end == 0) return;
  FinePoint from = {ToFine(polygon[end - 2]), ToFine(polygon[end - 1])};
  for (size_t i = 0; i < end; i += 2) {
    const FinePoint to = {ToFine(polygon[i]), ToFine(polygon[i + 1])};
    AddEdgeCrossings(from, to, height, width, places);
    from = to;
  }
}

}  // namespace tessera
