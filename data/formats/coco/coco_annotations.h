#ifndef TESSERA_DATA_FORMATS_COCO_COCO_ANNOTATIONS_H_
#define TESSERA_DATA_FORMATS_COCO_COCO_ANNOTATIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "data/formats/coco/coco_segmentation.h"

namespace tessera {

struct CocoImage {
  int64_t id = 0;
  std::string file_name = {};
  // Pixels. Both are 0 where the file does not know: one is missing, null, 0 or negative. The
  // picture itself has to tell.
  int height = 0;
  int width = 0;
};

struct CocoCategory {
  int64_t id = 0;  // as the file has it: COCO's 80 have ids from 1 to 90
  std::string name = {};
};

struct CocoAnnotation {
  int64_t id = 0;
  size_t image = 0;       // index in images()
  int category = 0;       // index in categories()
  bool is_crowd = false;  // `iscrowd`; a group of objects that are not told apart
  bool has_box = false;   // `bbox` is given
  // x, y, width, height in pixels. In double precision: in float the normalised boxes would not be
  // those that Python computes.
  std::array<double, 4> box = {};
  uint64_t segmentation = 0;  // for CocoAnnotations::Segmentation
};

// What is left out of a file.
struct CocoOmissions {
  size_t no_segmentation = 0;  // annotations without one: missing, null, [] or [[]]
  size_t no_box = 0;           // annotations without one: missing, null or []
};

// The contents of an instances_*.json of COCO (cocodataset.org, "Data format", 1. Object Detection)
// in little memory; may be used from several threads.
class CocoAnnotations {
 public:
  // Reads the file in one pass, in memory of about the size of the result, which is a third of the
  // file's. Keys that are not needed may be there, at any depth, and objects may have theirs in any
  // order. Errors name the file and
  //   - NotFound: why it cannot be read;
  //   - DataLoss: the byte at which it is not JSON;
  //   - InvalidArgument: the id of an image, category or annotation that lacks what it needs or has
  //     a value that cannot be; of images and categories that come twice; of an annotation whose
  //     image or category the file does not have, and which.
  static absl::StatusOr<CocoAnnotations> Load(const std::string& path);

  // By ascending id. The index of a category is its label, from 0 to their number - 1.
  const std::vector<CocoCategory>& categories() const { return categories_; }

  // By ascending id, also those that have no annotation.
  const std::vector<CocoImage>& images() const { return images_; }

  // All annotations, image by image; and those of one image, in the order of the file.
  absl::Span<const CocoAnnotation> annotations() const { return annotations_; }
  absl::Span<const CocoAnnotation> annotations(size_t image) const;

  // The outline of one of annotations().
  CocoSegmentation Segmentation(const CocoAnnotation& annotation) const {
    return segmentations_.Get(annotation.segmentation);
  }

  const CocoOmissions& omissions() const { return omissions_; }

 private:
  CocoAnnotations() = default;

  std::vector<CocoCategory> categories_;
  std::vector<CocoImage> images_;
  std::vector<CocoAnnotation> annotations_;
  std::vector<size_t> ends_;  // of each image's in annotations_
  CocoSegmentationPool segmentations_;
  CocoOmissions omissions_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_COCO_ANNOTATIONS_H_
