#include "data/formats/coco/coco_annotations.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "data/formats/coco/coco_parser.h"

namespace tessera {
namespace {

template <typename... Args>
absl::Status Bad(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

template <typename Item>
bool HasLowerId(const Item& a, const Item& b) {
  return a.id < b.id;
}

// Images or categories by ascending id.
template <typename Item>
absl::Status SortById(absl::string_view what, std::vector<Item>* items) {
  std::sort(items->begin(), items->end(), HasLowerId<Item>);
  const auto twice = std::adjacent_find(items->begin(), items->end(),
                                        [](const Item& a, const Item& b) { return a.id == b.id; });
  if (twice == items->end()) return absl::OkStatus();
  return Bad("two of its ", what, " have the id ", twice->id);
}

// The index of each of `ids` in `items`, which are sorted; null: it is not among them.
template <typename Item>
std::vector<std::optional<size_t>> Locate(const std::vector<int64_t>& ids,
                                          const std::vector<Item>& items) {
  std::vector<std::optional<size_t>> indices;
  indices.reserve(ids.size());
  for (const int64_t id : ids) {
    Item wanted;
    wanted.id = id;
    const auto found = std::lower_bound(items.begin(), items.end(), wanted, HasLowerId<Item>);
    indices.emplace_back();
    if (found != items.end() && found->id == id) indices.back() = found - items.begin();
  }
  return indices;
}

// Sorts the images and categories, and makes annotations point to them.
absl::Status Connect(CocoContents* contents) {
  TESSERA_RETURN_IF_ERROR(SortById("images", &contents->images));
  TESSERA_RETURN_IF_ERROR(SortById("categories", &contents->categories));
  const auto images = Locate(contents->image_ids, contents->images);
  const auto categories = Locate(contents->category_ids, contents->categories);
  for (CocoAnnotation& annotation : contents->annotations) {
    const std::optional<size_t> image = images[annotation.image];
    const std::optional<size_t> category = categories[annotation.category];
    if (!image.has_value()) {
      return Bad("annotation ", annotation.id, " is of image ",
                 contents->image_ids[annotation.image], ", which is not among the images");
    }
    if (!category.has_value()) {
      return Bad("annotation ", annotation.id, " is of category ",
                 contents->category_ids[annotation.category],
                 ", which is not among the categories");
    }
    annotation.image = *image;
    annotation.category = static_cast<int>(*category);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CocoAnnotations> CocoAnnotations::Load(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(CocoContents contents, ParseCocoFile(path));
  const absl::Status status = Connect(&contents);
  if (!status.ok()) return Bad(path, ": ", status.message());
  CocoAnnotations result;
  result.categories_ = std::move(contents.categories);
  result.images_ = std::move(contents.images);
  result.annotations_ = std::move(contents.annotations);
  result.segmentations_ = std::move(contents.segmentations);
  result.omissions_ = contents.omissions;
  // Places of segmentations ascend in the order of the file. A stable sort would need memory.
  std::sort(result.annotations_.begin(), result.annotations_.end(),
            [](const CocoAnnotation& a, const CocoAnnotation& b) {
              return std::tie(a.image, a.segmentation) < std::tie(b.image, b.segmentation);
            });
  result.ends_.resize(result.images_.size());
  for (const CocoAnnotation& annotation : result.annotations_) ++result.ends_[annotation.image];
  for (size_t i = 1; i < result.ends_.size(); ++i) result.ends_[i] += result.ends_[i - 1];
  return result;
}

absl::Span<const CocoAnnotation> CocoAnnotations::annotations(size_t image) const {
  const size_t begin = image == 0 ? 0 : ends_[image - 1];
  return absl::MakeSpan(annotations_).subspan(begin, ends_[image] - begin);
}

}  // namespace tessera
