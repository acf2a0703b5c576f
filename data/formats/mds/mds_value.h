#ifndef TESSERA_DATA_FORMATS_MDS_MDS_VALUE_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_VALUE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/mds/mds_encoding.h"
#include "data/formats/mds/mds_schema.h"

namespace tessera {

// The values of a sample's columns. What they view is the payload from which they were decoded.

// str and json; str_int, str_float and str_decimal, whose numbers may be of any length.
struct MdsText {
  absl::string_view text;
};

// bytes; the file of a jpeg or png column.
struct MdsBytes {
  absl::string_view bytes;
};

// ndarray: little-endian numbers in C order. At least one dimension, none of them 0.
struct MdsArray {
  MdsDtype dtype;
  std::vector<uint64_t> dims;
  absl::string_view bytes;
};

// pil: the pixels of a PIL.Image as its tobytes() gives them. Rows of mode "1" are packed to bytes,
// the leftmost pixel in the highest bit; "P" has no palette.
struct MdsPil {
  uint32_t width = 0;
  uint32_t height = 0;
  absl::string_view mode;  // "RGB", "L", "1", ...
  absl::string_view pixels;
};

// jpeg_array and list[...]: files, or (list[pil]) payloads of the encoding pil.
struct MdsList {
  std::vector<absl::string_view> items;
};

// int and int8 to int64 are int64_t; uint8 to uint64 are uint64_t; float16 to float64 are double.
using MdsValue =
    std::variant<int64_t, uint64_t, double, MdsText, MdsBytes, MdsArray, MdsPil, MdsList>;

// The value of a payload, checked. The contents of files (jpeg, png) are not: a column of such an
// encoding may hold anything. Errors name the column, and say what was found and expected.
absl::StatusOr<MdsValue> DecodeMds(const MdsColumn& column, absl::string_view payload);

// The payload of a value, byte for byte as the Python package writes it. An integer may have either
// sign's type, and may stand for a float. Errors: as above, and a number that does not fit.
absl::StatusOr<std::string> EncodeMds(const MdsColumn& column, const MdsValue& value);

// The value on one line, for people: long text and bytes are cut short and their size is given.
std::string ToText(const MdsValue& value);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_VALUE_H_
