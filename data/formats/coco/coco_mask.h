#ifndef TESSERA_DATA_FORMATS_COCO_COCO_MASK_H_
#define TESSERA_DATA_FORMATS_COCO_COCO_MASK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera {

// Larger masks are refused, as larger images are.
inline constexpr int64_t kMaxCocoMaskPixels = int64_t{1} << 28;

// Coordinates of polygons lie in [-2^20, 2^20]: there every step of the rasteriser is exact, and
// none overflows.
inline constexpr double kMaxCocoCoordinate = 1 << 20;

// InvalidArgument unless `polygon` is x0, y0, x1, y1, ... of at least three points, all of them
// finite and within kMaxCocoCoordinate. pycocotools drops the last of an odd number of values,
// takes four values for a box (x, y, width, height), and fewer for an error of another kind.
absl::Status CheckCocoPolygon(absl::Span<const double> polygon);

// Pixels of an image as COCO keeps them (cocodataset.org, "Data format"; cocoapi's maskApi):
// lengths of runs that are not set and set by turns, down the columns, from the top left. They
// begin with a run that is not set, which may be of length 0, and sum to height x width.
//
// Runs, text and areas are those of pycocotools 2.0.11, bit for bit.
class CocoMask {
 public:
  // The union of polygons as frPyObjects and merge of pycocotools give it. Vertices go to the
  // nearest points of a grid five times as fine as the pixels; where a drawn edge crosses the
  // middle of a column of pixels, the column changes between inside and outside. Hence the even-odd
  // rule within a polygon, and nothing is set by one that covers no centre of a pixel. What lies
  // outside the image is cut off. Edges in the image cost time by its columns, not by their
  // lengths.
  static absl::StatusOr<CocoMask> FromPolygons(absl::Span<const std::vector<double>> polygons,
                                               int height, int width);

  // The lengths of runs as they are, also with runs of length 0 in between. InvalidArgument unless
  // none is negative and they sum to height x width, which pycocotools does not ask for.
  static absl::StatusOr<CocoMask> FromCounts(absl::Span<const int64_t> counts, int height,
                                             int width);

  // The same from the compressed text. Each number is of digits of five bits, the lowest first,
  // as characters from '0' on; 32 is added where another digit follows, and the last one's highest
  // bit is the sign. From the fourth on, numbers are differences to the last but one.
  static absl::StatusOr<CocoMask> FromString(absl::string_view text, int height, int width);
  std::string ToString() const;

  int height() const { return height_; }
  int width() const { return width_; }
  const std::vector<uint32_t>& counts() const { return counts_; }

  // The number of pixels that are set.
  int64_t area() const;

  // Writes `value` to the pixels of `image`, [height, width] in rows without padding, that are set.
  // InvalidArgument where `image` has another number of pixels.
  absl::Status Paint(uint8_t value, absl::Span<uint8_t> image) const;

  friend bool operator==(const CocoMask&, const CocoMask&) = default;

 private:
  CocoMask(std::vector<uint32_t> counts, int height, int width);

  int height_;
  int width_;
  std::vector<uint32_t> counts_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_COCO_MASK_H_
