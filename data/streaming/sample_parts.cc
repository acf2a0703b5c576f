#include "data/streaming/sample_parts.h"

#include <cstdint>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_value.h"
#include "data/formats/webdataset/integer_field.h"

namespace tessera {
namespace {

const Part* Find(const Parts& parts, absl::string_view name) {
  for (const Part& part : parts) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

absl::StatusOr<MdsValue> Decode(const Part& part) {
  TESSERA_ASSIGN_OR_RETURN(const MdsColumn column,
                           MakeMdsColumn(std::string(part.name), std::string(part.encoding)));
  return DecodeMds(column, part.value);
}

absl::StatusOr<StoredImage> ImageOf(const Part& part) {
  if (part.encoding != "pil") return StoredImage(part.value);
  TESSERA_ASSIGN_OR_RETURN(const MdsValue value, Decode(part));
  const MdsPil& pil = std::get<MdsPil>(value);
  if (pil.mode != "RGB" && pil.mode != "L") {
    return absl::InvalidArgumentError(absl::StrCat("column ", part.name, " holds an image of mode ",
                                                   pil.mode, "; expected RGB or L"));
  }
  // DecodeMds has compared the size with the bytes that are there.
  return StoredImage::Pixels(pil.pixels, static_cast<int>(pil.height), static_cast<int>(pil.width),
                             pil.mode == "L" ? 1 : 3);
}

absl::StatusOr<int64_t> IntegerOf(const Part& part) {
  if (part.encoding.empty()) {
    absl::StatusOr<int64_t> label = DecodeInteger(part.value);
    if (label.ok()) return label;
    return absl::InvalidArgumentError(absl::StrCat(part.name, ": ", label.status().message()));
  }
  TESSERA_ASSIGN_OR_RETURN(const MdsValue value, Decode(part));
  if (const int64_t* const label = std::get_if<int64_t>(&value)) return *label;
  if (const uint64_t* const label = std::get_if<uint64_t>(&value);
      label != nullptr && *label <= std::numeric_limits<int64_t>::max()) {
    return static_cast<int64_t>(*label);
  }
  if (std::holds_alternative<MdsText>(value)) return DecodeInteger(std::get<MdsText>(value).text);
  return absl::InvalidArgumentError(absl::StrCat("column ", part.name, " has the encoding ",
                                                 part.encoding, "; expected a whole number"));
}

}  // namespace

SampleParts::SampleParts(const StreamingConfig& config)
    : image_(config.image_column()), label_(config.label_column()) {
  if (label_.empty()) mask_ = config.mask_column();
  if (label_.empty() || config.has_name_column()) name_ = config.name_column();
}

std::vector<absl::string_view> SampleParts::required() const {
  std::vector<absl::string_view> names = {image_, label_.empty() ? mask_ : label_};
  if (!name_.empty()) names.push_back(name_);
  return names;
}

absl::Status SampleParts::Fill(const Parts& parts, Sample* sample) const {
  const Part* const image = Find(parts, image_);
  const Part* const label = Find(parts, label_.empty() ? mask_ : label_);
  const Part* const name = name_.empty() ? nullptr : Find(parts, name_);
  if (image == nullptr || label == nullptr || (name == nullptr && !name_.empty())) {
    return absl::NotFoundError(absl::StrCat(
        "expected the parts ", absl::StrJoin(required(), ", "),
        " (data.streaming.image_column, mask_column or label_column, name_column); found ",
        absl::StrJoin(parts, ", ", [](std::string* out, const Part& part) {
          absl::StrAppend(out, part.name);
        })));
  }
  if (name != nullptr) sample->name = name->value;
  TESSERA_ASSIGN_OR_RETURN(sample->image, ImageOf(*image));
  if (label_.empty()) {
    TESSERA_ASSIGN_OR_RETURN(sample->mask, ImageOf(*label));
  } else {
    TESSERA_ASSIGN_OR_RETURN(sample->label, IntegerOf(*label));
  }
  return absl::OkStatus();
}

}  // namespace tessera
