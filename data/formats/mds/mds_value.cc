#include "data/formats/mds/mds_value.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_number.h"
#include "data/formats/mds/mds_text.h"

namespace tessera {
namespace {

using Kind = MdsEncoding::Kind;

constexpr size_t kMostDims = 63;

template <typename... Args>
absl::Status Bad(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

// Text.

absl::Status CheckText(Kind kind, absl::string_view text) {
  const auto check = [&](bool good, absl::string_view expected) {
    return good ? absl::OkStatus() : Bad("found ", ToText(MdsText{text}), ", expected ", expected);
  };
  switch (kind) {
    case Kind::kStrInt:
      return check(IsPythonInt(text), "a whole number");
    case Kind::kStrFloat:
      return check(IsPythonFloat(text), "a number");
    case Kind::kStrDecimal:
      return check(IsPythonDecimal(text), "a decimal number");
    case Kind::kJson:
      return check(IsPythonJson(text), "JSON");
    default:
      return check(IsUtf8(text), "UTF-8");
  }
}

// Arrays.

// Bytes of an array with these dimensions, at least one and none 0; an error beyond 4 GiB.
absl::StatusOr<uint64_t> ArraySize(MdsDtype dtype, absl::Span<const uint64_t> dims) {
  if (dims.empty()) return Bad("the array has no dimension; expected one at least");
  if (dims.size() > kMostDims) {
    return Bad("the array has ", dims.size(), " dimensions; expected ", kMostDims, " at most");
  }
  uint64_t size = MdsDtypeSize(dtype);
  for (const uint64_t dim : dims) {
    if (dim == 0) {
      return Bad("the array [", absl::StrJoin(dims, ", "), "] has no elements; expected some");
    }
    if (dim > UINT32_MAX / size) {
      return Bad("the array [", absl::StrJoin(dims, ", "), "] takes 4 GiB or more");
    }
    size *= dim;
  }
  return size;
}

absl::Status CheckArray(const MdsArray& array) {
  TESSERA_ASSIGN_OR_RETURN(const uint64_t size, ArraySize(array.dtype, array.dims));
  if (size == array.bytes.size()) return absl::OkStatus();
  return Bad("the array ", MdsDtypeName(array.dtype), " [", absl::StrJoin(array.dims, ", "),
             "] has ", array.bytes.size(), " bytes, expected ", size);
}

uint64_t TakeDim(int log_size, absl::string_view* bytes) {
  switch (log_size) {
    case 0:
      return TakeNumber<uint8_t>(bytes);
    case 1:
      return TakeNumber<uint16_t>(bytes);
    case 2:
      return TakeNumber<uint32_t>(bytes);
    default:
      return TakeNumber<uint64_t>(bytes);
  }
}

// The smallest exponent such that unsigned numbers of 1 << exponent bytes hold all dimensions.
int DimLogSize(absl::Span<const uint64_t> dims) {
  const uint64_t largest = *std::max_element(dims.begin(), dims.end());
  return largest <= UINT8_MAX ? 0 : largest <= UINT16_MAX ? 1 : largest <= UINT32_MAX ? 2 : 3;
}

absl::StatusOr<MdsValue> DecodeArray(const MdsEncoding& encoding, absl::string_view payload) {
  MdsArray array = {.dtype = encoding.dtype.value_or(MdsDtype::kUint8),
                    .dims = {encoding.dims.begin(), encoding.dims.end()},
                    .bytes = payload};
  const auto cut = [&] { return Bad("the array's header is cut short at ", payload.size()); };
  if (!encoding.dtype.has_value()) {
    if (array.bytes.empty()) return cut();
    const auto code = TakeNumber<uint8_t>(&array.bytes);
    const std::optional<MdsDtype> dtype = MdsDtypeOfCode(code);
    if (!dtype.has_value()) return Bad("no type of number has the code ", code);
    array.dtype = *dtype;
  }
  if (encoding.dims.empty()) {
    if (array.bytes.empty()) return cut();
    const auto form = TakeNumber<uint8_t>(&array.bytes);
    const int log_size = form & 3;
    array.dims.resize(form >> 2);
    if (array.bytes.size() < array.dims.size() << log_size) return cut();
    for (uint64_t& dim : array.dims) dim = TakeDim(log_size, &array.bytes);
  }
  TESSERA_RETURN_IF_ERROR(CheckArray(array));
  return array;
}

absl::StatusOr<std::string> EncodeArray(const MdsEncoding& encoding, const MdsArray& array) {
  TESSERA_RETURN_IF_ERROR(CheckArray(array));
  std::string out;
  if (!encoding.dtype.has_value()) {
    AppendNumber(static_cast<uint8_t>(array.dtype), &out);
  } else if (array.dtype != *encoding.dtype) {
    return Bad("the array's type is ", MdsDtypeName(array.dtype), ", expected ",
               MdsDtypeName(*encoding.dtype));
  }
  if (encoding.dims.empty()) {
    const int log_size = DimLogSize(array.dims);
    AppendNumber(static_cast<uint8_t>(array.dims.size() << 2 | log_size), &out);
    for (const uint64_t dim : array.dims) {
      out.append(reinterpret_cast<const char*>(&dim), size_t{1} << log_size);
    }
  } else if (!std::equal(array.dims.begin(), array.dims.end(), encoding.dims.begin(),
                         encoding.dims.end())) {
    return Bad("the array's dimensions are [", absl::StrJoin(array.dims, ", "), "], expected [",
               absl::StrJoin(encoding.dims, ", "), "]");
  }
  absl::StrAppend(&out, array.bytes);
  return out;
}

// Images of PIL.

// Bits of a pixel of PIL's modes; 0 for a mode that is not known.
uint32_t BitsOfMode(absl::string_view mode) {
  constexpr std::pair<absl::string_view, uint32_t> kModes[] = {
      {"1", 1},      {"L", 8},      {"P", 8},      {"LA", 16},   {"La", 16},
      {"PA", 16},    {"I;16", 16},  {"RGB", 24},   {"HSV", 24},  {"LAB", 24},
      {"YCbCr", 24}, {"I", 32},     {"F", 32},     {"RGBA", 32}, {"RGBa", 32},
      {"RGBX", 32},  {"I;16B", 16}, {"I;16L", 16}, {"CMYK", 32},
  };
  for (const auto& [name, bits] : kModes) {
    if (name == mode) return bits;
  }
  return 0;
}

absl::Status CheckPil(const MdsPil& image) {
  const uint64_t bits = BitsOfMode(image.mode);
  if (bits == 0) return Bad("there is no image mode ", ToText(MdsText{image.mode}));
  // Below 2^65 bits with no overflow: rows come first.
  const uint64_t row = (image.width * bits + 7) / 8;
  if (image.height == 0
          ? image.pixels.empty()
          : image.pixels.size() % image.height == 0 && image.pixels.size() / image.height == row) {
    return absl::OkStatus();
  }
  return Bad("the image ", image.mode, " ", image.width, " x ", image.height, " has ",
             image.pixels.size(), " bytes of pixels, expected ", row, " a row");
}

absl::StatusOr<MdsValue> DecodePil(absl::string_view payload) {
  absl::string_view rest = payload;
  if (rest.size() < 3 * sizeof(uint32_t)) {
    return Bad("the image has ", payload.size(), " bytes, too few for its header");
  }
  MdsPil image;
  image.width = TakeNumber<uint32_t>(&rest);
  image.height = TakeNumber<uint32_t>(&rest);
  const auto mode_size = TakeNumber<uint32_t>(&rest);
  if (mode_size > rest.size()) {
    return Bad("the image's mode has ", mode_size, " letters, but ", rest.size(),
               " bytes are left");
  }
  image.mode = rest.substr(0, mode_size);
  image.pixels = rest.substr(mode_size);
  TESSERA_RETURN_IF_ERROR(CheckPil(image));
  return image;
}

absl::StatusOr<std::string> EncodePil(const MdsPil& image) {
  TESSERA_RETURN_IF_ERROR(CheckPil(image));
  std::string out;
  AppendNumber(image.width, &out);
  AppendNumber(image.height, &out);
  AppendNumber(static_cast<uint32_t>(image.mode.size()), &out);
  absl::StrAppend(&out, image.mode, image.pixels);
  return out;
}

// Lists.

absl::Status CheckList(const MdsEncoding& encoding, const MdsList& list) {
  if (encoding.kind == Kind::kJpegArray && list.items.empty()) {
    return Bad("the list is empty; expected one image at least");
  }
  for (size_t i = 0; encoding.items_are_pil && i < list.items.size(); ++i) {
    if (const auto image = DecodePil(list.items[i]); !image.ok()) {
      return Bad("item ", i, ": ", image.status().message());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MdsValue> DecodeList(const MdsEncoding& encoding, absl::string_view payload) {
  absl::string_view rest = payload;
  const size_t words = encoding.kind == Kind::kList ? 2 : 1;
  if (rest.size() < words * sizeof(uint32_t)) {
    return Bad("the list has ", payload.size(), " bytes, too few for its header");
  }
  rest.remove_prefix((words - 1) * sizeof(uint32_t));  // reserved
  const auto count = TakeNumber<uint32_t>(&rest);
  if (count > rest.size() / sizeof(uint32_t)) {
    return Bad("the list has ", count, " items, too many for its ", payload.size(), " bytes");
  }
  absl::string_view sizes = rest.substr(0, count * sizeof(uint32_t));
  rest.remove_prefix(sizes.size());
  MdsList list;
  list.items.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto size = TakeNumber<uint32_t>(&sizes);
    if (size > rest.size()) {
      return Bad("item ", i, " of the list has ", size, " bytes, but ", rest.size(), " are left");
    }
    list.items.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  if (!rest.empty()) return Bad(rest.size(), " bytes follow the last item of the list");
  TESSERA_RETURN_IF_ERROR(CheckList(encoding, list));
  return list;
}

absl::StatusOr<std::string> EncodeList(const MdsEncoding& encoding, const MdsList& list) {
  TESSERA_RETURN_IF_ERROR(CheckList(encoding, list));
  std::string out;
  if (encoding.kind == Kind::kList) AppendNumber(uint32_t{0}, &out);
  AppendNumber(static_cast<uint32_t>(list.items.size()), &out);
  for (const absl::string_view item : list.items) {
    if (item.size() > UINT32_MAX) return Bad("an item has ", item.size(), " bytes: 4 GiB or more");
    AppendNumber(static_cast<uint32_t>(item.size()), &out);
  }
  for (const absl::string_view item : list.items) absl::StrAppend(&out, item);
  return out;
}

// All of them.

absl::StatusOr<MdsValue> Decode(const MdsEncoding& encoding, absl::string_view payload) {
  if (encoding.size != 0 && payload.size() != encoding.size) {
    return Bad("the payload has ", payload.size(), " bytes, expected ", encoding.size);
  }
  switch (encoding.kind) {
    case Kind::kBytes:
      return MdsBytes{payload};
    case Kind::kScalar:
      return DecodeNumber(*encoding.dtype, payload);
    case Kind::kNdarray:
      return DecodeArray(encoding, payload);
    case Kind::kPil:
      return DecodePil(payload);
    case Kind::kJpegArray:
    case Kind::kList:
      return DecodeList(encoding, payload);
    case Kind::kText:
    case Kind::kStrInt:
    case Kind::kStrFloat:
    case Kind::kStrDecimal:
    case Kind::kJson:
      TESSERA_RETURN_IF_ERROR(CheckText(encoding.kind, payload));
      return MdsText{payload};
  }
  return absl::InternalError("an encoding without a kind");
}

absl::StatusOr<std::string> Encode(const MdsEncoding& encoding, const MdsValue& value) {
  const auto* const array = std::get_if<MdsArray>(&value);
  const auto* const bytes = std::get_if<MdsBytes>(&value);
  const auto* const list = std::get_if<MdsList>(&value);
  const auto* const pil = std::get_if<MdsPil>(&value);
  const auto* const text = std::get_if<MdsText>(&value);
  const auto wrong = [&](absl::string_view expected) {
    return Bad("the value is ", ToText(value), "; expected ", expected);
  };
  switch (encoding.kind) {
    case Kind::kBytes:
      if (bytes == nullptr) return wrong("bytes");
      return std::string(bytes->bytes);
    case Kind::kScalar:
      return EncodeNumber(*encoding.dtype, value);
    case Kind::kNdarray:
      if (array == nullptr) return wrong("an array");
      return EncodeArray(encoding, *array);
    case Kind::kPil:
      if (pil == nullptr) return wrong("an image with its pixels");
      return EncodePil(*pil);
    case Kind::kJpegArray:
    case Kind::kList:
      if (list == nullptr) return wrong("a list");
      return EncodeList(encoding, *list);
    case Kind::kText:
    case Kind::kStrInt:
    case Kind::kStrFloat:
    case Kind::kStrDecimal:
    case Kind::kJson:
      if (text == nullptr) return wrong("text");
      TESSERA_RETURN_IF_ERROR(CheckText(encoding.kind, text->text));
      return std::string(text->text);
  }
  return absl::InternalError("an encoding without a kind");
}

absl::Status InColumn(const MdsColumn& column, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("column ", column.name, " (", column.encoding,
                                                  "): ", status.message()));
}

}  // namespace

absl::StatusOr<MdsValue> DecodeMds(const MdsColumn& column, absl::string_view payload) {
  TESSERA_ASSIGN_OR_RETURN(const MdsEncoding encoding, ParseMdsEncoding(column.encoding));
  absl::StatusOr<MdsValue> value = Decode(encoding, payload);
  if (value.ok()) return value;
  return InColumn(column, value.status());
}

absl::StatusOr<std::string> EncodeMds(const MdsColumn& column, const MdsValue& value) {
  TESSERA_ASSIGN_OR_RETURN(const MdsEncoding encoding, ParseMdsEncoding(column.encoding));
  absl::StatusOr<std::string> payload = Encode(encoding, value);
  if (payload.ok()) return payload;
  return InColumn(column, payload.status());
}

}  // namespace tessera
