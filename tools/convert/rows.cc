#include "tools/convert/rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_value.h"
#include "data/image/decode.h"
#include "data/image/encode.h"
#include "tools/convert/shrink.h"

namespace tessera {
namespace {

constexpr int kDefaultQuality = 90;

struct Size {
  int height = 0;
  int width = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

absl::Status Prefixed(absl::string_view what, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(what, ": ", status.message()));
}

// Names the file; of what has none `what` it is.
absl::Status InImage(absl::string_view what, const StoredImage& stored,
                     const absl::Status& status) {
  return Prefixed(stored.path.empty() ? what : stored.path, status);
}

bool IsPng(const StoredImage& image) {
  return image.is_file() && absl::StartsWith(image.bytes, "\x89PNG");
}

// The name without what the format takes for the beginning of the extension.
std::string KeyOf(const Sample& sample, int64_t index) {
  if (sample.name.empty()) return absl::StrCat(absl::Dec(index, absl::kZeroPad8));
  std::string key(sample.name);
  const size_t slash = key.rfind('/');
  std::replace(key.begin() + (slash == std::string::npos ? 0 : slash + 1), key.end(), '.', '_');
  return key;
}

class DatasetRows : public Rows {
 public:
  DatasetRows(std::shared_ptr<const Dataset> dataset, const RowOptions& options)
      : dataset_(std::move(dataset)), options_(options) {}

  // Chooses the columns by the first sample.
  absl::Status Start() {
    TESSERA_ASSIGN_OR_RETURN(const Sample first, dataset_->Get(0));
    pixels_ = !first.image.is_file();
    const bool png = pixels_ || IsPng(first.image);
    const bool classes = dataset_->label_kind() == LabelKind::kClass;
    if (options_.format == ShardFormat::kMds) {
      columns_ =
          classes
              ? std::vector<RowColumn>{{"i", "int"}, {"x", pixels_ ? "pil" : "jpeg"}, {"y", "int"}}
              : std::vector<RowColumn>{{"uid", "bytes"}, {"x", "jpeg"}, {"y", "png"}};
      if (classes) settings_ = "label_column: \"y\"";
      return absl::OkStatus();
    }
    const std::string extension = absl::StrCat(classes ? "" : "image.", png ? "png" : "jpg");
    const std::string labels = classes ? "cls" : "mask.png";
    columns_ = {{extension, ""}, {labels, ""}};
    settings_ = absl::StrCat("format: WEBDATASET shards: \"shardindex.json\" image_column: \"",
                             extension, "\" ", classes ? "label" : "mask", "_column: \"", labels,
                             "\" name_column: \"__key__\"");
    return absl::OkStatus();
  }

  int64_t size() const override { return dataset_->size(); }
  const std::vector<RowColumn>& columns() const override { return columns_; }
  std::string settings() const override { return settings_; }

  absl::StatusOr<Row> Get(int64_t index) const override {
    TESSERA_ASSIGN_OR_RETURN(const Sample sample, dataset_->Get(index));
    absl::StatusOr<Row> row = dataset_->label_kind() == LabelKind::kClass ? ClassRow(sample, index)
                                                                          : MaskRow(sample, index);
    if (row.ok() || !sample.image.path.empty()) return row;  // an error has named the file
    const std::string name =
        sample.name.empty() ? absl::StrCat("sample ", index) : std::string(sample.name);
    return Prefixed(name, row.status());
  }

 private:
  bool rewrites() const { return options_.resize_short > 0 || options_.quality > 0; }

  absl::StatusOr<Row> ClassRow(const Sample& sample, int64_t index) const {
    Size size;
    TESSERA_ASSIGN_OR_RETURN(std::string image, ImagePayload(sample.image, &size));
    Row row = {
        .key = KeyOf(sample, index), .payloads = {}, .source_bytes = sample.image.bytes.size()};
    if (options_.format == ShardFormat::kMds) {
      row.payloads = {EncodeMdsInt(index), std::move(image), EncodeMdsInt(sample.label)};
    } else {
      row.payloads = {std::move(image), absl::StrCat(sample.label)};
    }
    return row;
  }

  absl::StatusOr<Row> MaskRow(const Sample& sample, int64_t index) const {
    Size image_size, mask_size;
    TESSERA_ASSIGN_OR_RETURN(std::string image, ImagePayload(sample.image, &image_size));
    TESSERA_ASSIGN_OR_RETURN(std::string mask, MaskPayload(sample.mask, &mask_size));
    if (image_size != mask_size) {
      return absl::InvalidArgumentError(
          absl::StrCat(sample.mask.path, sample.mask.path.empty() ? "" : ": ", "the mask is ",
                       mask_size.height, " x ", mask_size.width, ", its image ", image_size.height,
                       " x ", image_size.width, " (height x width); expected one size"));
    }
    Row row = {.key = KeyOf(sample, index),
               .payloads = {},
               .source_bytes = sample.image.bytes.size() + sample.mask.bytes.size()};
    if (options_.format == ShardFormat::kMds) {
      row.payloads = {std::string(sample.name), std::move(image), std::move(mask)};
    } else {
      row.payloads = {std::move(image), std::move(mask)};
    }
    return row;
  }

  absl::StatusOr<std::string> ImagePayload(const StoredImage& stored, Size* size) const {
    if (stored.is_file() == pixels_) {
      return absl::InvalidArgumentError(
          "image: files and pixels are mixed; expected those of the first sample's kind");
    }
    if (pixels_) return PixelPayload(stored, size);
    if (options_.check == ImageCheck::kHeaders && !rewrites()) {
      const absl::StatusOr<ImageInfo> info = ReadImageInfo(stored.bytes);
      if (!info.ok()) return InImage("image", stored, info.status());
      *size = {info->height, info->width};
      return std::string(stored.bytes);
    }
    Image image;
    TESSERA_RETURN_IF_ERROR(InImage("image", stored, DecodeRgb(stored.bytes, &image)));
    *size = {image.height, image.width};
    const bool shrunk = options_.resize_short > 0 && ShrinkImage(options_.resize_short, &image);
    if (IsPng(stored)) return shrunk ? EncodePng(image) : std::string(stored.bytes);
    if (!shrunk && options_.quality == 0) return std::string(stored.bytes);
    return EncodeJpeg(image, options_.quality > 0 ? options_.quality : kDefaultQuality);
  }

  // Pixels are small images of data sets in memory; they are never resized.
  absl::StatusOr<std::string> PixelPayload(const StoredImage& stored, Size* size) const {
    *size = {stored.height, stored.width};
    if (options_.format == ShardFormat::kMds) {
      static const MdsColumn* const pil = new MdsColumn{.name = "x", .encoding = "pil"};
      return EncodeMds(*pil, MdsPil{.width = static_cast<uint32_t>(stored.width),
                                    .height = static_cast<uint32_t>(stored.height),
                                    .mode = stored.channels == 1 ? "L" : "RGB",
                                    .pixels = stored.bytes});
    }
    return EncodePng({.height = stored.height,
                      .width = stored.width,
                      .channels = stored.channels,
                      .pixels = {stored.bytes.begin(), stored.bytes.end()}});
  }

  absl::StatusOr<std::string> MaskPayload(const StoredImage& stored, Size* size) const {
    if (stored.empty()) return absl::InvalidArgumentError("mask: there is none, or it is empty");
    if (stored.is_file() && options_.check == ImageCheck::kHeaders && !rewrites()) {
      const absl::StatusOr<ImageInfo> info = ReadImageInfo(stored.bytes);
      if (!info.ok()) return InImage("mask", stored, info.status());
      *size = {info->height, info->width};
      return std::string(stored.bytes);
    }
    Image mask;
    TESSERA_RETURN_IF_ERROR(InImage("mask", stored, DecodeMask(stored, &mask)));
    *size = {mask.height, mask.width};
    const bool shrunk = options_.resize_short > 0 && ShrinkMask(options_.resize_short, &mask);
    if (stored.is_file() && !shrunk) return std::string(stored.bytes);
    return EncodePng(mask);
  }

  const std::shared_ptr<const Dataset> dataset_;
  const RowOptions options_;
  bool pixels_ = false;  // images are pixels, not files
  std::vector<RowColumn> columns_;
  std::string settings_;
};

}  // namespace

absl::StatusOr<ShardFormat> ParseShardFormat(absl::string_view text) {
  if (text == "mds") return ShardFormat::kMds;
  if (text == "webdataset") return ShardFormat::kWebDataset;
  return absl::InvalidArgumentError(
      absl::StrCat("found the format \"", text, "\", expected mds or webdataset"));
}

absl::StatusOr<std::unique_ptr<Rows>> MakeDatasetRows(std::shared_ptr<const Dataset> dataset,
                                                      const RowOptions& options) {
  if (dataset->size() == 0) return absl::InvalidArgumentError("the split has no samples");
  auto rows = std::make_unique<DatasetRows>(std::move(dataset), options);
  TESSERA_RETURN_IF_ERROR(rows->Start());
  return rows;
}

}  // namespace tessera
