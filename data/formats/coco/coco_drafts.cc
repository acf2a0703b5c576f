#include "data/formats/coco/coco_drafts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "data/formats/coco/coco_mask.h"

namespace tessera {
namespace {

// Doubles beyond it are not sure to be the integer that was written.
constexpr double kMostExactInteger = 9007199254740992;  // 2^53

template <typename... Args>
absl::Status Bad(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

void TakeInteger(absl::string_view key, const JsonScalar& value, std::optional<int64_t>* target,
                 std::string* problem) {
  *target = value.AsInteger();
  if (!target->has_value() && problem->empty()) {
    *problem = absl::StrCat("its ", key, " is not an integer");
  }
}

void TakeText(absl::string_view key, const JsonScalar& value, std::optional<std::string>* target,
              std::string* problem) {
  if (value.type == JsonScalar::Type::kString) {
    *target = std::move(*value.text);
  } else if (problem->empty()) {
    *problem = absl::StrCat("its ", key, " is not a string");
  }
}

// Of an image or a category.
absl::Status CheckItem(const CocoItemDraft& draft, absl::string_view what, absl::string_view name,
                       size_t number) {
  if (draft.id.has_value() && !draft.problem.empty()) {
    return Bad(what, " ", *draft.id, ": ", draft.problem);
  }
  if (!draft.problem.empty()) return Bad(what, " number ", number, ": ", draft.problem);
  if (!draft.id.has_value()) return Bad(what, " number ", number, " has no id");
  if (!draft.name.has_value()) return Bad(what, " ", *draft.id, " has no ", name);
  return absl::OkStatus();
}

// The size of runs as they say it.
absl::StatusOr<CocoMask> MakeRuns(const CocoAnnotationDraft& draft) {
  if (draft.size.size() != 2 || (draft.counts.empty() && !draft.text.has_value())) {
    return Bad("expected runs with size, [height, width], and counts");
  }
  const int64_t height = draft.size[0], width = draft.size[1];
  if (std::min(height, width) < 1 || std::max(height, width) > kMaxCocoMaskPixels) {
    return Bad("runs of ", width, "x", height, " pixels");
  }
  const int h = static_cast<int>(height), w = static_cast<int>(width);
  if (draft.text.has_value()) return CocoMask::FromString(*draft.text, h, w);
  return CocoMask::FromCounts(draft.counts, h, w);
}

absl::Status CheckPolygons(const CocoAnnotationDraft& draft) {
  size_t begin = 0;
  for (const size_t end : draft.ends) {
    TESSERA_RETURN_IF_ERROR(
        CheckCocoPolygon(absl::MakeSpan(draft.coordinates).subspan(begin, end - begin)));
    begin = end;
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> AddSegmentation(const CocoAnnotationDraft& draft,
                                         CocoSegmentationPool* pool, CocoOmissions* omissions) {
  if (draft.form == CocoAnnotationDraft::Form::kRuns) {
    TESSERA_ASSIGN_OR_RETURN(const CocoMask runs, MakeRuns(draft));
    return pool->AddRuns(runs);
  }
  // Where all polygons are empty, there is none.
  if (draft.coordinates.empty()) {
    ++omissions->no_segmentation;
    return pool->AddEmpty();
  }
  TESSERA_RETURN_IF_ERROR(CheckPolygons(draft));
  return pool->AddPolygons(draft.coordinates, draft.ends);
}

absl::Status CheckAnnotation(const CocoAnnotationDraft& draft) {
  if (!draft.problem.empty()) return Bad(draft.problem);
  if (!draft.id.has_value()) return Bad("it has no id");
  if (!draft.image_id.has_value()) return Bad("it has no image_id");
  if (!draft.category_id.has_value()) return Bad("it has no category_id");
  if (!draft.box.empty() && draft.box.size() != 4) {
    return Bad("its bbox has ", draft.box.size(), " numbers, expected x, y, width, height");
  }
  for (const double value : draft.box) {
    if (std::abs(value) > kMaxCocoCoordinate) return Bad("its bbox has the number ", value);
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<int64_t> JsonScalar::AsInteger() const {
  if (type == Type::kInteger) return integer;
  if (type != Type::kReal || std::abs(real) > kMostExactInteger || real != std::trunc(real)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(real);
}

void CocoAnnotationDraft::Clear() {
  id = image_id = category_id = std::nullopt;
  is_crowd = false;
  box.clear();
  form = Form::kNone;
  coordinates.clear();
  ends.clear();
  size.clear();
  counts.clear();
  text.reset();
  problem.clear();
}

void TakeImageValue(absl::string_view key, const JsonScalar& value, CocoItemDraft* draft) {
  if (value.type == JsonScalar::Type::kNull) return;
  if (key == "id") {
    TakeInteger(key, value, &draft->id, &draft->problem);
  } else if (key == "file_name") {
    TakeText(key, value, &draft->name, &draft->problem);
  } else if (key == "height" || key == "width") {
    std::optional<int64_t> size;
    TakeInteger(key, value, &size, &draft->problem);
    (key == "height" ? draft->height : draft->width) = size.value_or(0);
  }
}

void TakeCategoryValue(absl::string_view key, const JsonScalar& value, CocoItemDraft* draft) {
  if (value.type == JsonScalar::Type::kNull) return;
  if (key == "id") {
    TakeInteger(key, value, &draft->id, &draft->problem);
  } else if (key == "name") {
    TakeText(key, value, &draft->name, &draft->problem);
  }
}

void TakeAnnotationValue(absl::string_view key, const JsonScalar& value,
                         CocoAnnotationDraft* draft) {
  if (value.type == JsonScalar::Type::kNull) return;
  if (key == "id") {
    TakeInteger(key, value, &draft->id, &draft->problem);
  } else if (key == "image_id") {
    TakeInteger(key, value, &draft->image_id, &draft->problem);
  } else if (key == "category_id") {
    TakeInteger(key, value, &draft->category_id, &draft->problem);
  } else if (key == "iscrowd") {
    const bool boolean = value.type == JsonScalar::Type::kBool;
    const std::optional<int64_t> number = boolean ? value.integer : value.AsInteger();
    if (number != 0 && number != 1) draft->Fail("its iscrowd is neither 0 nor 1");
    draft->is_crowd = number == 1;
  } else if (key == "bbox") {
    draft->Fail("its bbox is not a list");
  } else if (key == "segmentation") {
    draft->Fail("its segmentation is neither a list nor an object");
  }
}

absl::StatusOr<CocoImage> FinishImage(CocoItemDraft draft, size_t number) {
  TESSERA_RETURN_IF_ERROR(CheckItem(draft, "image", "file_name", number));
  CocoImage image = {.id = *draft.id, .file_name = *std::move(draft.name)};
  if (draft.height <= 0 || draft.width <= 0) return image;
  // A division: the product of what a file says may overflow.
  if (draft.height > kMaxCocoMaskPixels / draft.width) {
    return Bad("image ", image.id, " has ", draft.width, "x", draft.height, " pixels: more than ",
               kMaxCocoMaskPixels, " are refused");
  }
  image.height = static_cast<int>(draft.height);
  image.width = static_cast<int>(draft.width);
  return image;
}

absl::StatusOr<CocoCategory> FinishCategory(CocoItemDraft draft, size_t number) {
  TESSERA_RETURN_IF_ERROR(CheckItem(draft, "category", "name", number));
  return CocoCategory{.id = *draft.id, .name = *std::move(draft.name)};
}

absl::StatusOr<CocoAnnotation> FinishAnnotation(const CocoAnnotationDraft& draft, size_t number,
                                                CocoSegmentationPool* pool,
                                                CocoOmissions* omissions) {
  const std::string name = draft.id.has_value() ? absl::StrCat("annotation ", *draft.id)
                                                : absl::StrCat("annotation number ", number);
  if (const absl::Status status = CheckAnnotation(draft); !status.ok()) {
    return Bad(name, ": ", status.message());
  }
  const absl::StatusOr<uint64_t> segmentation = AddSegmentation(draft, pool, omissions);
  if (!segmentation.ok()) return Bad(name, ": ", segmentation.status().message());
  CocoAnnotation annotation = {.id = *draft.id,
                               .is_crowd = draft.is_crowd,
                               .has_box = !draft.box.empty(),
                               .segmentation = *segmentation};
  if (annotation.has_box) {
    std::copy_n(draft.box.begin(), annotation.box.size(), annotation.box.begin());
  } else {
    ++omissions->no_box;
  }
  return annotation;
}

}  // namespace tessera
