#include "data/formats/mds/mds_encoding.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

using Kind = MdsEncoding::Kind;

constexpr std::pair<absl::string_view, MdsDtype> kDtypes[] = {
    {"uint8", MdsDtype::kUint8}, {"int8", MdsDtype::kInt8},       {"uint16", MdsDtype::kUint16},
    {"int16", MdsDtype::kInt16}, {"float16", MdsDtype::kFloat16}, {"uint32", MdsDtype::kUint32},
    {"int32", MdsDtype::kInt32}, {"float32", MdsDtype::kFloat32}, {"uint64", MdsDtype::kUint64},
    {"int64", MdsDtype::kInt64}, {"float64", MdsDtype::kFloat64},
};

// Encodings whose payloads vary in size, but arrays.
constexpr std::pair<absl::string_view, Kind> kKinds[] = {
    {"bytes", Kind::kBytes},
    {"jpeg", Kind::kBytes},
    {"png", Kind::kBytes},
    {"str", Kind::kText},
    {"str_int", Kind::kStrInt},
    {"str_float", Kind::kStrFloat},
    {"str_decimal", Kind::kStrDecimal},
    {"json", Kind::kJson},
    {"pil", Kind::kPil},
    {"jpeg_array", Kind::kJpegArray},
    {"jpegarray", Kind::kJpegArray},
    {"list[pil]", Kind::kList},
    {"list[jpeg]", Kind::kList},
    {"list[png]", Kind::kList},
};

std::optional<MdsDtype> ParseDtype(absl::string_view name) {
  for (const auto& [known, dtype] : kDtypes) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

// What follows "ndarray:".
absl::StatusOr<MdsEncoding> ParseNdarray(absl::string_view text) {
  MdsEncoding encoding = {.kind = Kind::kNdarray};
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  encoding.dtype = ParseDtype(parts.first);
  if (!encoding.dtype.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no type \"", parts.first, "\"; expected uint8 to float64"));
  }
  if (parts.first.size() == text.size()) return encoding;
  uint64_t size = MdsDtypeSize(*encoding.dtype);
  for (const absl::string_view text_of_dim : absl::StrSplit(parts.second, ',')) {
    uint32_t dim = 0;
    if (!absl::SimpleAtoi(text_of_dim, &dim) || dim == 0 || size * dim > UINT32_MAX) {
      return absl::InvalidArgumentError(absl::StrCat(
          "\"", parts.second, "\" are no dimensions; expected numbers above 0, with commas, of an ",
          "array of less than 4 GiB"));
    }
    size *= dim;
    encoding.dims.push_back(dim);
  }
  encoding.size = static_cast<uint32_t>(size);
  return encoding;
}

}  // namespace

std::optional<MdsDtype> MdsDtypeOfCode(uint8_t code) {
  for (const auto& [name, dtype] : kDtypes) {
    if (static_cast<uint8_t>(dtype) == code) return dtype;
  }
  return std::nullopt;
}

absl::string_view MdsDtypeName(MdsDtype dtype) {
  for (const auto& [name, known] : kDtypes) {
    if (known == dtype) return name;
  }
  return "unknown";
}

absl::StatusOr<MdsEncoding> ParseMdsEncoding(absl::string_view text) {
  if (text == "pkl") {
    return absl::InvalidArgumentError(
        "the encoding pkl runs code when it is read: refused; write the values as json");
  }
  if (const auto dtype = ParseDtype(text == "int" ? "int64" : text); dtype.has_value()) {
    return MdsEncoding{.kind = Kind::kScalar, .dtype = dtype, .size = MdsDtypeSize(*dtype)};
  }
  for (const auto& [name, kind] : kKinds) {
    if (name == text) return MdsEncoding{.kind = kind, .items_are_pil = text == "list[pil]"};
  }
  if (text == "ndarray") return MdsEncoding{.kind = Kind::kNdarray};
  if (absl::StartsWith(text, "ndarray:")) {
    absl::StatusOr<MdsEncoding> encoding = ParseNdarray(text.substr(8));
    if (encoding.ok()) return encoding;
    return absl::InvalidArgumentError(
        absl::StrCat("the encoding \"", text, "\": ", encoding.status().message()));
  }
  return absl::UnimplementedError(
      absl::StrCat("the encoding \"", text, "\" is not one of MDS version 2"));
}

}  // namespace tessera
