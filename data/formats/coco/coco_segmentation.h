#ifndef TESSERA_DATA_FORMATS_COCO_COCO_SEGMENTATION_H_
#define TESSERA_DATA_FORMATS_COCO_COCO_SEGMENTATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/formats/coco/coco_mask.h"

namespace tessera {

// The outline of an object as its annotation has it: polygons, runs, or nothing.
struct CocoSegmentation {
  std::vector<std::vector<double>> polygons = {};  // see CheckCocoPolygon
  std::optional<CocoMask> runs = {};

  bool empty() const { return polygons.empty() && !runs.has_value(); }

  // The pixels in an image of that size. InvalidArgument where it is empty, or its runs are of
  // another size.
  absl::StatusOr<CocoMask> Mask(int height, int width) const;

  friend bool operator==(const CocoSegmentation&, const CocoSegmentation&) = default;
};

// Many segmentations in little memory, without loss: coordinates of two decimals, as those of COCO
// are, take two bytes or three each. Memory grows by blocks; nothing is ever moved.
class CocoSegmentationPool {
 public:
  // Each of these returns the place of what it added, which is larger than any before.
  uint64_t AddEmpty();
  // `ends` are those of the polygons in `coordinates`. Each polygon is good by CheckCocoPolygon.
  uint64_t AddPolygons(absl::Span<const double> coordinates, absl::Span<const size_t> ends);
  uint64_t AddRuns(const CocoMask& runs);

  // What was added at `place`.
  CocoSegmentation Get(uint64_t place) const;

  // Memory in use.
  size_t bytes() const;

 private:
  uint64_t Append();

  std::vector<std::string> blocks_;
  std::string packed_;  // what is being added
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_COCO_SEGMENTATION_H_
