#ifndef TESSERA_DATA_FORMATS_COCO_COCO_PARSER_H_
#define TESSERA_DATA_FORMATS_COCO_COCO_PARSER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "data/formats/coco/coco_annotations.h"
#include "data/formats/coco/coco_segmentation.h"

namespace tessera {

// An instances_*.json, each object good by itself, in the order of the file.
struct CocoContents {
  std::vector<CocoImage> images;
  std::vector<CocoCategory> categories;
  std::vector<CocoAnnotation> annotations;  // `image` and `category` are indices in these:
  std::vector<int64_t> image_ids;           // ids that annotations name, each once; they need not
  std::vector<int64_t> category_ids;        // be among the images and categories
  CocoSegmentationPool segmentations;
  CocoOmissions omissions;
};

// Errors are those of CocoAnnotations::Load that need no look at other objects.
absl::StatusOr<CocoContents> ParseCocoFile(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_COCO_PARSER_H_
