#ifndef TESSERA_DATA_FORMATS_COCO_COCO_DRAFTS_H_
#define TESSERA_DATA_FORMATS_COCO_COCO_DRAFTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/coco/coco_annotations.h"
#include "data/formats/coco/coco_segmentation.h"

namespace tessera {

// A JSON value without parts.
struct JsonScalar {
  enum class Type { kNull, kBool, kInteger, kReal, kString };
  Type type = Type::kNull;
  int64_t integer = 0;          // also of kBool
  double real = 0;              // also of kInteger
  std::string* text = nullptr;  // of kString; may be moved from

  bool is_number() const { return type == Type::kInteger || type == Type::kReal; }

  // The integer that a number is, also one written as 3.0.
  std::optional<int64_t> AsInteger() const;
};

// What the object of an image or a category has said so far.
struct CocoItemDraft {
  std::optional<int64_t> id;
  std::optional<std::string> name;  // `file_name` of an image
  int64_t height = 0;
  int64_t width = 0;
  std::string problem;  // the first one
};

// The same of an annotation. The memory of its lists is used again by the next one.
struct CocoAnnotationDraft {
  enum class Form { kNone, kPolygons, kRuns };

  void Clear();
  void Fail(absl::string_view what) {
    if (problem.empty()) problem = std::string(what);
  }

  std::optional<int64_t> id, image_id, category_id;
  bool is_crowd = false;
  std::vector<double> box;
  Form form = Form::kNone;
  std::vector<double> coordinates;  // of polygons
  std::vector<size_t> ends;         // of each polygon in them
  std::vector<int64_t> size;        // of runs
  std::vector<int64_t> counts;
  std::optional<std::string> text;  // compressed counts
  std::string problem;              // the first one
};

// Take one value of an object. What is of the wrong type becomes the draft's problem; keys that are
// not known, and nulls, are as if they were not there.
void TakeImageValue(absl::string_view key, const JsonScalar& value, CocoItemDraft* draft);
void TakeCategoryValue(absl::string_view key, const JsonScalar& value, CocoItemDraft* draft);
void TakeAnnotationValue(absl::string_view key, const JsonScalar& value,
                         CocoAnnotationDraft* draft);

// At the end of an object: what it makes. `number` is its number in its list, from 0, for errors of
// objects without an id.
absl::StatusOr<CocoImage> FinishImage(CocoItemDraft draft, size_t number);
absl::StatusOr<CocoCategory> FinishCategory(CocoItemDraft draft, size_t number);

// Leaves out the image and the category, which the draft has by their ids. Adds to `pool` and
// `omissions`.
absl::StatusOr<CocoAnnotation> FinishAnnotation(const CocoAnnotationDraft& draft, size_t number,
                                                CocoSegmentationPool* pool,
                                                CocoOmissions* omissions);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COCO_COCO_DRAFTS_H_
