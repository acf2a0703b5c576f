#include "tools/convert/coco_box_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "data/formats/coco/coco_labels.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_value.h"
#include "data/image/decode.h"

namespace tessera {
namespace {

template <typename T>
absl::StatusOr<std::string> ArrayPayload(const RowColumn& column, MdsDtype dtype,
                                         std::vector<uint64_t> dims, const std::vector<T>& values) {
  TESSERA_ASSIGN_OR_RETURN(const MdsColumn made, MakeMdsColumn(column.name, column.encoding));
  const absl::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                values.size() * sizeof(T));
  return EncodeMds(made, MdsArray{.dtype = dtype, .dims = std::move(dims), .bytes = bytes});
}

class CocoBoxRows : public Rows {
 public:
  CocoBoxRows(CocoFiles files, const RowOptions& options)
      : files_(std::move(files)), options_(options) {
    for (size_t image = 0; image < files_.annotations.images().size(); ++image) {
      const auto annotations = files_.annotations.annotations(image);
      const bool any = std::any_of(annotations.begin(), annotations.end(),
                                   [](const CocoAnnotation& a) { return a.has_box; });
      if (any) images_.push_back(image);
    }
  }

  int64_t size() const override { return static_cast<int64_t>(images_.size()); }
  std::string settings() const override { return ""; }
  const std::vector<RowColumn>& columns() const override {
    static const auto* const columns = new std::vector<RowColumn>{{"img", "jpeg"},
                                                                  {"img_id", "int"},
                                                                  {"htot", "int"},
                                                                  {"wtot", "int"},
                                                                  {"bbox_sizes", "ndarray:float32"},
                                                                  {"bbox_labels", "ndarray:int64"}};
    return *columns;
  }

  absl::StatusOr<Row> Get(int64_t index) const override {
    const size_t image = images_[index];
    const std::string path = files_.PathOf(image);
    TESSERA_ASSIGN_OR_RETURN(std::string contents, ReadFile(path));
    absl::StatusOr<CocoSize> picture = Check(contents);
    if (!picture.ok()) {
      return absl::Status(picture.status().code(),
                          absl::StrCat(path, ": ", picture.status().message()));
    }
    const CocoImage& known = files_.annotations.images()[image];
    TESSERA_ASSIGN_OR_RETURN(const CocoSize size, FindCocoSize(known, *picture));
    TESSERA_ASSIGN_OR_RETURN(const CocoBoxes boxes,
                             MakeCocoBoxes(files_.annotations, image, *picture));
    const uint64_t count = boxes.labels.size();
    TESSERA_ASSIGN_OR_RETURN(
        std::string sizes, ArrayPayload(columns()[4], MdsDtype::kFloat32, {count, 4}, boxes.sizes));
    TESSERA_ASSIGN_OR_RETURN(std::string labels,
                             ArrayPayload(columns()[5], MdsDtype::kInt64, {count}, boxes.labels));
    Row row = {.key = absl::StrCat(known.id), .payloads = {}, .source_bytes = contents.size()};
    row.payloads = {std::move(contents),      EncodeMdsInt(known.id), EncodeMdsInt(size.height),
                    EncodeMdsInt(size.width), std::move(sizes),       std::move(labels)};
    return row;
  }

 private:
  absl::StatusOr<CocoSize> Check(const std::string& contents) const {
    if (options_.check == ImageCheck::kHeaders) {
      TESSERA_ASSIGN_OR_RETURN(const ImageInfo info, ReadImageInfo(contents));
      return CocoSize{info.height, info.width};
    }
    Image image;
    TESSERA_RETURN_IF_ERROR(DecodeRgb(contents, &image));
    return CocoSize{image.height, image.width};
  }

  const CocoFiles files_;
  const RowOptions options_;
  std::vector<size_t> images_;  // those that have a box
};

}  // namespace

absl::StatusOr<std::unique_ptr<Rows>> MakeCocoBoxRows(CocoFiles files, const RowOptions& options) {
  if (options.format != ShardFormat::kMds || options.resize_short > 0 || options.quality > 0) {
    return absl::InvalidArgumentError(
        "boxes are written to MDS, with the images as they are; expected no other format, "
        "resize_short or quality");
  }
  auto rows = std::make_unique<CocoBoxRows>(std::move(files), options);
  if (rows->size() == 0) return absl::InvalidArgumentError("no image has a box");
  return rows;
}

}  // namespace tessera
