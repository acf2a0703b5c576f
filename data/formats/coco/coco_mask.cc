#include "data/formats/coco/coco_mask.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/coco/polygon_crossings.h"

namespace tessera {
namespace {

// Places of pixels, counted down the columns: the first that is set, and the first that is not.
using Interval = std::pair<uint32_t, uint32_t>;

constexpr int kDigitBits = 5;
constexpr int kMoreDigits = 1 << kDigitBits;
constexpr int kSignDigit = 1 << (kDigitBits - 1);
// A difference of two runs has at most 30 bits with its sign.
constexpr int kMostDigits = 6;

absl::Status CheckSize(int64_t height, int64_t width) {
  if (height > 0 && width > 0 && height * width <= kMaxCocoMaskPixels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a mask of ", width, "x", height,
                                                 " pixels; expected 1 to ", kMaxCocoMaskPixels));
}

// Adds the intervals of one polygon, in order. `crossings` is of its own memory.
void AddIntervals(absl::Span<const double> polygon, int height, int width,
                  std::vector<uint32_t>* crossings, std::vector<Interval>* intervals) {
  crossings->clear();
  AddPolygonCrossings(polygon, height, width, crossings);
  std::sort(crossings->begin(), crossings->end());
  // Two crossings at one place undo each other. An even number is left, since each column is
  // crossed an even number of times.
  bool inside = false;
  for (size_t i = 0; i < crossings->size();) {
    const uint32_t place = (*crossings)[i];
    size_t end = i + 1;
    while (end < crossings->size() && (*crossings)[end] == place) ++end;
    if ((end - i) % 2 == 1) {
      if (inside) {
        intervals->back().second = place;
      } else {
        intervals->push_back({place, place});
      }
      inside = !inside;
    }
    i = end;
  }
}

// The runs of a mask in which the intervals, ordered by their beginnings, are set.
std::vector<uint32_t> RunsOf(const std::vector<Interval>& intervals, uint32_t pixels) {
  std::vector<uint32_t> counts;
  counts.reserve(2 * intervals.size() + 1);
  uint32_t done = 0;
  for (size_t i = 0; i < intervals.size();) {
    const uint32_t begin = intervals[i].first;
    uint32_t end = intervals[i].second;
    for (++i; i < intervals.size() && intervals[i].first <= end; ++i) {
      end = std::max(end, intervals[i].second);
    }
    counts.push_back(begin - done);
    counts.push_back(end - begin);
    done = end;
  }
  if (done < pixels) counts.push_back(pixels - done);
  return counts;
}

// Takes one number off the front of `rest`.
absl::StatusOr<int64_t> TakeNumber(absl::string_view* rest) {
  int64_t number = 0;
  for (int k = 0; k < kMostDigits; ++k) {
    if (rest->empty()) return absl::InvalidArgumentError("the text ends within a number");
    const int digit = static_cast<unsigned char>(rest->front()) - '0';
    if (digit < 0 || digit >= 2 * kMoreDigits) {
      return absl::InvalidArgumentError("expected a character from '0' to 'o'");
    }
    rest->remove_prefix(1);
    number |= static_cast<int64_t>(digit & (kMoreDigits - 1)) << (kDigitBits * k);
    if ((digit & kMoreDigits) != 0) continue;
    if ((digit & kSignDigit) != 0) number -= int64_t{1} << (kDigitBits * (k + 1));
    return number;
  }
  return absl::InvalidArgumentError(absl::StrCat("a number of more than ", kMostDigits, " digits"));
}

void AppendNumber(int64_t number, std::string* text) {
  while (true) {
    const int digit = static_cast<int>(number & (kMoreDigits - 1));
    number >>= kDigitBits;
    const bool last = number == ((digit & kSignDigit) != 0 ? -1 : 0);
    text->push_back(static_cast<char>('0' + digit + (last ? 0 : kMoreDigits)));
    if (last) return;
  }
}

}  // namespace

absl::Status CheckCocoPolygon(absl::Span<const double> polygon) {
  if (polygon.size() % 2 != 0 || polygon.size() < 6) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a polygon of ", polygon.size(), " numbers; expected x, y of three points or more"));
  }
  for (const double value : polygon) {
    // So written, it finds NaN too.
    if (!(std::abs(value) <= kMaxCocoCoordinate)) {
      return absl::InvalidArgumentError(absl::StrCat("a polygon with the coordinate ", value,
                                                     "; expected at most ", kMaxCocoCoordinate));
    }
  }
  return absl::OkStatus();
}

CocoMask::CocoMask(std::vector<uint32_t> counts, int height, int width)
    : height_(height), width_(width), counts_(std::move(counts)) {}

absl::StatusOr<CocoMask> CocoMask::FromPolygons(absl::Span<const std::vector<double>> polygons,
                                                int height, int width) {
  TESSERA_RETURN_IF_ERROR(CheckSize(height, width));
  if (polygons.empty()) return absl::InvalidArgumentError("a mask of no polygon");
  std::vector<uint32_t> crossings;
  std::vector<Interval> intervals;
  for (const std::vector<double>& polygon : polygons) {
    TESSERA_RETURN_IF_ERROR(CheckCocoPolygon(polygon));
    AddIntervals(polygon, height, width, &crossings, &intervals);
  }
  if (polygons.size() > 1) std::sort(intervals.begin(), intervals.end());
  const auto pixels = static_cast<uint32_t>(int64_t{height} * width);
  return CocoMask(RunsOf(intervals, pixels), height, width);
}

absl::StatusOr<CocoMask> CocoMask::FromCounts(absl::Span<const int64_t> counts, int height,
                                              int width) {
  TESSERA_RETURN_IF_ERROR(CheckSize(height, width));
  const int64_t pixels = int64_t{height} * width;
  std::vector<uint32_t> runs;
  runs.reserve(counts.size());
  int64_t sum = 0;
  for (const int64_t count : counts) {
    if (count < 0 || count > pixels - sum) {
      return absl::InvalidArgumentError(absl::StrCat("run ", runs.size(), " has length ", count,
                                                     " where ", pixels - sum, " of ", width, "x",
                                                     height, " pixels are left"));
    }
    sum += count;
    runs.push_back(static_cast<uint32_t>(count));
  }
  if (sum == pixels) return CocoMask(std::move(runs), height, width);
  return absl::InvalidArgumentError(
      absl::StrCat("the runs have ", sum, " pixels, expected ", width, "x", height, " = ", pixels));
}

absl::StatusOr<CocoMask> CocoMask::FromString(absl::string_view text, int height, int width) {
  TESSERA_RETURN_IF_ERROR(CheckSize(height, width));
  std::vector<int64_t> counts;
  for (absl::string_view rest = text; !rest.empty();) {
    absl::StatusOr<int64_t> number = TakeNumber(&rest);
    if (!number.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("compressed runs, character ",
                                                     text.size() - rest.size(), ": ",
                                                     number.status().message()));
    }
    // Sums of many differences must not overflow before they are compared with the size.
    if (counts.size() > 2) *number += counts[counts.size() - 2];
    if (*number < 0 || *number > kMaxCocoMaskPixels) {
      return absl::InvalidArgumentError(
          absl::StrCat("compressed runs: run ", counts.size(), " has length ", *number));
    }
    counts.push_back(*number);
  }
  return FromCounts(counts, height, width);
}

std::string CocoMask::ToString() const {
  std::string text;
  for (size_t i = 0; i < counts_.size(); ++i) {
    AppendNumber(int64_t{counts_[i]} - (i > 2 ? int64_t{counts_[i - 2]} : 0), &text);
  }
  return text;
}

int64_t CocoMask::area() const {
  int64_t area = 0;
  for (size_t i = 1; i < counts_.size(); i += 2) area += counts_[i];
  return area;
}

absl::Status CocoMask::Paint(uint8_t value, absl::Span<uint8_t> image) const {
  const size_t height = height_, width = width_;
  if (image.size() != height * width) {
    return absl::InvalidArgumentError(
        absl::StrCat("an image of ", image.size(), " pixels for a mask of ", width, "x", height));
  }
  size_t column = 0, row = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    size_t left = counts_[i];
    if (i % 2 == 0) {
      row += left;
      column += row / height;
      row %= height;
      continue;
    }
    while (left > 0) {
      const size_t rows = std::min(left, height - row);
      uint8_t* pixel = image.data() + row * width + column;
      for (size_t k = 0; k < rows; ++k) pixel[k * width] = value;
      left -= rows;
      row += rows;
      if (row == height) {
        row = 0;
        ++column;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera
