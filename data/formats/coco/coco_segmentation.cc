#include "data/formats/coco/coco_segmentation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

// The first byte of a packed segmentation.
enum Form : char {
  kEmpty,
  kHundredths,  // polygons, as differences of coordinates x 100
  kDoubles,     // polygons as they are
  kRuns,
};

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}

uint64_t TakeVarint(const char** in) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*(*in)++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

// Small numbers of either sign as small numbers.
uint64_t Zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
int64_t Unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

int64_t Hundredths(double value) { return std::llround(value * 100); }

// Whether the value is that of a text with two decimals: the double next to hundredths / 100. The
// sign of a zero counts for nothing.
bool IsHundredths(double value) { return static_cast<double>(Hundredths(value)) / 100 == value; }

void AppendHundredths(absl::Span<const double> polygon, std::string* out) {
  int64_t last[2] = {0, 0};
  for (size_t i = 0; i < polygon.size(); ++i) {
    const int64_t value = Hundredths(polygon[i]);
    AppendVarint(Zigzag(value - last[i % 2]), out);
    last[i % 2] = value;
  }
}

void TakeHundredths(const char** in, std::vector<double>* polygon) {
  int64_t last[2] = {0, 0};
  for (size_t i = 0; i < polygon->size(); ++i) {
    last[i % 2] += Unzigzag(TakeVarint(in));
    (*polygon)[i] = static_cast<double>(last[i % 2]) / 100;
  }
}

CocoMask TakeRuns(const char** in) {
  const auto height = static_cast<int>(TakeVarint(in));
  const auto width = static_cast<int>(TakeVarint(in));
  std::vector<int64_t> counts(TakeVarint(in));
  for (int64_t& count : counts) count = static_cast<int64_t>(TakeVarint(in));
  // They come from a mask, so they make one.
  return *CocoMask::FromCounts(counts, height, width);
}

}  // namespace

absl::StatusOr<CocoMask> CocoSegmentation::Mask(int height, int width) const {
  if (!runs.has_value()) return CocoMask::FromPolygons(polygons, height, width);
  if (runs->height() == height && runs->width() == width) return *runs;
  return absl::InvalidArgumentError(absl::StrCat("its runs are of ", runs->width(), "x",
                                                 runs->height(), " pixels, the image has ", width,
                                                 "x", height));
}

uint64_t CocoSegmentationPool::AddEmpty() {
  packed_.assign(1, kEmpty);
  return Append();
}

uint64_t CocoSegmentationPool::AddPolygons(absl::Span<const double> coordinates,
                                           absl::Span<const size_t> ends) {
  const bool hundredths = std::all_of(coordinates.begin(), coordinates.end(), IsHundredths);
  packed_.assign(1, hundredths ? kHundredths : kDoubles);
  AppendVarint(ends.size(), &packed_);
  size_t begin = 0;
  for (const size_t end : ends) {
    const absl::Span<const double> polygon = coordinates.subspan(begin, end - begin);
    AppendVarint(polygon.size(), &packed_);
    if (hundredths) {
      AppendHundredths(polygon, &packed_);
    } else {
      packed_.append(reinterpret_cast<const char*>(polygon.data()),
                     polygon.size() * sizeof(double));
    }
    begin = end;
  }
  return Append();
}

uint64_t CocoSegmentationPool::AddRuns(const CocoMask& runs) {
  packed_.assign(1, kRuns);
  AppendVarint(runs.height(), &packed_);
  AppendVarint(runs.width(), &packed_);
  AppendVarint(runs.counts().size(), &packed_);
  for (const uint32_t count : runs.counts()) AppendVarint(count, &packed_);
  return Append();
}

uint64_t CocoSegmentationPool::Append() {
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < packed_.size()) {
    blocks_.emplace_back().reserve(std::max(kBlock, packed_.size()));
  }
  std::string& block = blocks_.back();
  const uint64_t place = (uint64_t{blocks_.size() - 1} << 32) | block.size();
  block.append(packed_);
  return place;
}

CocoSegmentation CocoSegmentationPool::Get(uint64_t place) const {
  const char* in = blocks_[place >> 32].data() + (place & UINT32_MAX);
  CocoSegmentation segmentation;
  const char form = *in++;
  if (form == kEmpty) return segmentation;
  if (form == kRuns) {
    segmentation.runs = TakeRuns(&in);
    return segmentation;
  }
  segmentation.polygons.resize(TakeVarint(&in));
  for (std::vector<double>& polygon : segmentation.polygons) {
    polygon.resize(TakeVarint(&in));
    if (form == kHundredths) {
      TakeHundredths(&in, &polygon);
    } else {
      std::memcpy(polygon.data(), in, polygon.size() * sizeof(double));
      in += polygon.size() * sizeof(double);
    }
  }
  return segmentation;
}

size_t CocoSegmentationPool::bytes() const {
  size_t bytes = 0;
  for (const std::string& block : blocks_) bytes += block.capacity();
  return bytes;
}

}  // namespace tessera
