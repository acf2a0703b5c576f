#ifndef TESSERA_DATA_FORMATS_COCO_POLYGON_CROSSINGS_H_
#define TESSERA_DATA_FORMATS_COCO_POLYGON_CROSSINGS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tessera {

// Adds the places at which the columns of an image change between the inside and the outside of a
// polygon (see CheckCocoPolygon) to `places`, in no order: column x height + row, with the row from
// 0 to height, counts the pixels before it down the columns. Each column gets an even number.
void AddPolygonCrossings(absl::Span<const double> polygon, int height, int width,
                         std::vector<uint32_t>* places);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_POLYGON_CROSSINGS_H_
