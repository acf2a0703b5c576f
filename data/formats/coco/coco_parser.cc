#include "data/formats/coco/coco_parser.h"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "data/formats/coco/coco_drafts.h"
#include "data/formats/coco/file_bytes.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;

// Numbers ids from 0, in the order in which they first come.
class IdTable {
 public:
  explicit IdTable(std::vector<int64_t>* ids) : ids_(*ids) {}

  size_t IndexOf(int64_t id) {
    const auto [found, is_new] = indices_.try_emplace(id, ids_.size());
    if (is_new) ids_.push_back(id);
    return found->second;
  }

 private:
  std::vector<int64_t>& ids_;
  absl::flat_hash_map<int64_t, size_t> indices_;
};

// Takes the events of nlohmann's parser.
class CocoHandler {
 public:
  explicit CocoHandler(CocoContents* contents)
      : contents_(*contents),
        image_ids_(&contents->image_ids),
        category_ids_(&contents->category_ids) {}

  // After the last event, or the first that returned false.
  absl::Status Finish(bool parsed) const;

  bool null() { return Value({}); }
  bool boolean(bool value) { return Value({.type = JsonScalar::Type::kBool, .integer = value}); }
  bool number_integer(int64_t value) {
    return Value(
        {.type = JsonScalar::Type::kInteger, .integer = value, .real = static_cast<double>(value)});
  }
  bool number_unsigned(uint64_t value) {
    if (value <= INT64_MAX) return number_integer(static_cast<int64_t>(value));
    return Value({.type = JsonScalar::Type::kReal, .real = static_cast<double>(value)});
  }
  bool number_float(double value, const std::string&) {
    return Value({.type = JsonScalar::Type::kReal, .real = value});
  }
  bool string(std::string& text) {
    return Value({.type = JsonScalar::Type::kString, .text = &text});
  }
  bool binary(json::binary_t&) { return false; }  // not in text
  bool key(std::string& text) {
    if (ignored_ == 0) key_.swap(text);
    return true;
  }
  bool start_object(size_t);
  bool end_object();
  bool start_array(size_t);
  bool end_array();
  bool parse_error(size_t position, const std::string&, const json::exception&) {
    // The position counts the byte that was found to be wrong, or the end of the file.
    bad_byte_ = position - 1;
    return false;
  }

 private:
  // Where in the file the next event lies. kList is one of objects, kItem one of them.
  enum class Place { kFile, kList, kItem, kBox, kSegmentation, kPolygon, kRuns, kSize, kCounts };

  enum class List : size_t { kImages, kCategories, kAnnotations };
  static absl::string_view NameOf(List list) {
    return list == List::kImages       ? "images"
           : list == List::kCategories ? "categories"
                                       : "annotations";
  }

  bool Value(const JsonScalar& value);
  void FinishItem();
  bool NotAnObject();

  // Adds an item to its list, or takes over its error.
  template <typename Item>
  void Keep(absl::StatusOr<Item> item, std::vector<Item>* items) {
    status_ = item.status();
    if (item.ok()) items->push_back(*std::move(item));
  }

  bool At(Place place) const { return !places_.empty() && places_.back() == place; }
  bool Enter(Place place) {
    places_.push_back(place);
    return true;
  }
  template <typename Number>
  bool EnterList(std::vector<Number>* list, Place place) {
    list->clear();
    return Enter(place);
  }
  bool Ignore() {
    ++ignored_;
    return true;
  }

  CocoContents& contents_;
  IdTable image_ids_, category_ids_;
  std::vector<Place> places_;
  size_t ignored_ = 0;              // levels of nesting inside what is not wanted
  std::string key_;                 // the last one that is not within those
  std::array<bool, 3> given_ = {};  // whether the file has each List
  List list_ = List::kImages;       // the last one
  CocoItemDraft item_;
  CocoAnnotationDraft annotation_;
  absl::Status status_;
  std::optional<size_t> bad_byte_;
};

bool CocoHandler::start_object(size_t) {
  if (ignored_ > 0) return Ignore();
  if (places_.empty()) return Enter(Place::kFile);
  switch (places_.back()) {
    case Place::kList:
      item_ = {};
      annotation_.Clear();
      return Enter(Place::kItem);
    case Place::kItem:
      if (list_ != List::kAnnotations) return Ignore();
      if (key_ == "segmentation") {
        annotation_.form = CocoAnnotationDraft::Form::kRuns;
        return Enter(Place::kRuns);
      }
      if (key_ == "bbox") annotation_.Fail("its bbox is not a list");
      return Ignore();
    case Place::kFile:
    case Place::kRuns:
      return Ignore();
    default:
      annotation_.Fail("there is an object within its bbox or segmentation");
      return Ignore();
  }
}

bool CocoHandler::end_object() {
  if (ignored_ > 0) {
    --ignored_;
    return true;
  }
  if (At(Place::kItem)) FinishItem();
  places_.pop_back();
  return status_.ok();
}

void CocoHandler::FinishItem() {
  const size_t number = contents_.annotations.size();
  switch (list_) {
    case List::kImages:
      Keep(FinishImage(std::move(item_), contents_.images.size()), &contents_.images);
      return;
    case List::kCategories:
      Keep(FinishCategory(std::move(item_), contents_.categories.size()), &contents_.categories);
      return;
    case List::kAnnotations:
      Keep(FinishAnnotation(annotation_, number, &contents_.segmentations, &contents_.omissions),
           &contents_.annotations);
      if (!status_.ok()) return;
      CocoAnnotation& annotation = contents_.annotations.back();
      annotation.image = image_ids_.IndexOf(*annotation_.image_id);
      annotation.category = static_cast<int>(category_ids_.IndexOf(*annotation_.category_id));
  }
}

bool CocoHandler::start_array(size_t) {
  if (ignored_ > 0 || places_.empty()) return Ignore();
  switch (places_.back()) {
    case Place::kFile:
      for (const List list : {List::kImages, List::kCategories, List::kAnnotations}) {
        if (key_ != NameOf(list)) continue;
        list_ = list;
        given_[static_cast<size_t>(list)] = true;
        return Enter(Place::kList);
      }
      return Ignore();
    case Place::kList:
      return NotAnObject();
    case Place::kItem:
      if (list_ != List::kAnnotations) return Ignore();
      if (key_ == "bbox") return EnterList(&annotation_.box, Place::kBox);
      if (key_ != "segmentation") return Ignore();
      annotation_.form = CocoAnnotationDraft::Form::kPolygons;
      annotation_.ends.clear();
      return EnterList(&annotation_.coordinates, Place::kSegmentation);
    case Place::kSegmentation:
      return Enter(Place::kPolygon);
    case Place::kRuns:
      if (key_ == "size") return EnterList(&annotation_.size, Place::kSize);
      if (key_ == "counts") return EnterList(&annotation_.counts, Place::kCounts);
      return Ignore();
    default:
      annotation_.Fail("there is a list too deep within its bbox or segmentation");
      return Ignore();
  }
}

bool CocoHandler::end_array() {
  if (ignored_ > 0) {
    --ignored_;
    return true;
  }
  if (At(Place::kPolygon)) annotation_.ends.push_back(annotation_.coordinates.size());
  places_.pop_back();
  return true;
}

bool CocoHandler::NotAnObject() {
  status_ =
      absl::InvalidArgumentError(absl::StrCat(NameOf(list_), " holds something else than objects"));
  return false;
}

bool CocoHandler::Value(const JsonScalar& value) {
  if (ignored_ > 0 || places_.empty()) return true;
  switch (places_.back()) {
    case Place::kFile:
      break;
    case Place::kList:
      return NotAnObject();
    case Place::kItem:
      if (list_ == List::kImages) TakeImageValue(key_, value, &item_);
      if (list_ == List::kCategories) TakeCategoryValue(key_, value, &item_);
      if (list_ == List::kAnnotations) TakeAnnotationValue(key_, value, &annotation_);
      break;
    case Place::kSegmentation:
      annotation_.Fail("its segmentation is not a list of polygons, which are lists themselves");
      break;
    case Place::kBox:
    case Place::kPolygon:
      if (!value.is_number()) annotation_.Fail("its bbox or a polygon holds not only numbers");
      (At(Place::kBox) ? annotation_.box : annotation_.coordinates).push_back(value.real);
      break;
    case Place::kRuns:
      if (key_ == "counts" && value.type == JsonScalar::Type::kString) {
        annotation_.text = std::move(*value.text);
      }
      break;
    case Place::kSize:
    case Place::kCounts:
      const std::optional<int64_t> number = value.AsInteger();
      if (!number.has_value()) annotation_.Fail("its runs hold not only integers");
      (At(Place::kSize) ? annotation_.size : annotation_.counts).push_back(number.value_or(0));
  }
  return true;
}

absl::Status CocoHandler::Finish(bool parsed) const {
  if (!status_.ok()) return status_;
  if (bad_byte_.has_value() || !parsed) {
    return absl::DataLossError(absl::StrCat("not JSON at byte ", bad_byte_.value_or(0)));
  }
  if (given_[0] && given_[1] && given_[2]) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "expected an object with the lists images, annotations and categories");
}

}  // namespace

absl::StatusOr<CocoContents> ParseCocoFile(const std::string& path) {
  FileBytes bytes(path);
  CocoContents contents;
  CocoHandler handler(&contents);
  const bool parsed = json::sax_parse(bytes.begin(), bytes.end(), &handler);
  if (!bytes.status().ok()) return bytes.status();
  const absl::Status status = handler.Finish(parsed);
  if (status.ok()) return contents;
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

}  // namespace tessera
