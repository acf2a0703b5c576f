#ifndef TESSERA_DATA_FORMATS_COCO_COCO_LABELS_H_
#define TESSERA_DATA_FORMATS_COCO_COCO_LABELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/formats/coco/coco_annotations.h"
#include "data/image/image.h"

namespace tessera {

// Values of a semantic mask besides those of the classes.
inline constexpr uint8_t kCocoBackground = 0;
inline constexpr uint8_t kCocoIgnore = 255;

struct CocoSize {
  int height = 0;
  int width = 0;
};

// The size of an image: as the annotations have it, or else as its picture does, which is `picture`
// (zeros: not known either). InvalidArgument, with the id of the image, where neither is known or
// they differ.
absl::StatusOr<CocoSize> FindCocoSize(const CocoImage& image, CocoSize picture);

// Makes `mask` the semantic mask of images()[image], [height, width, 1]. Label c is the value c +
// 1, and 0 is what no annotation covers: ADE20K's values, for which reduce_zero_label is made.
// Where instances overlap the one of the smaller area is seen, and of equal areas the later in the
// file: so a tie is seen on a person, whichever comes first. Pixels of crowds are kCocoIgnore
// whatever else covers them: of what is there, nothing certain is known. Annotations without a
// segmentation paint nothing.
//
// InvalidArgument: see FindCocoSize; runs of another size than the image, with the id of the
// annotation; more than 254 categories.
absl::Status MakeCocoMask(const CocoAnnotations& annotations, size_t image, CocoSize picture,
                          Image* mask);

// What MosaicML's streaming/vision/convert/coco.py writes of an image, bit for bit.
struct CocoBoxes {
  // `bbox_sizes`, float32 [k, 4]: left, top, right, bottom, where 1 is the width or the height of
  // the image. Computed in double.
  std::vector<float> sizes;
  // `bbox_labels`, int64 [k]: label c as c + 1, from 1 to 80 for COCO; 0 stands for the background.
  // There labels go by the order of the file's categories, which in COCO's own files is that of
  // their ids too.
  std::vector<int64_t> labels;
};

// The boxes of images()[image] in the order of the file, also those of crowds, as there.
// Annotations without a box are left out. That converter leaves out images of which nothing is left
// (of the training images of 2017 it keeps 117266). Errors are FindCocoSize's.
absl::StatusOr<CocoBoxes> MakeCocoBoxes(const CocoAnnotations& annotations, size_t image,
                                        CocoSize picture);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_COCO_LABELS_H_
