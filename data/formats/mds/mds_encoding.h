#ifndef TESSERA_DATA_FORMATS_MDS_MDS_ENCODING_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_ENCODING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// Types of numbers, by the codes that arrays carry: the width in bits, with 1 more for signed
// integers and 2 more for floats.
enum class MdsDtype : uint8_t {
  kUint8 = 8,
  kInt8 = 9,
  kUint16 = 16,
  kInt16 = 17,
  kFloat16 = 18,
  kUint32 = 32,
  kInt32 = 33,
  kFloat32 = 34,
  kUint64 = 64,
  kInt64 = 65,
  kFloat64 = 66,
};

// Empty if no type has this code.
std::optional<MdsDtype> MdsDtypeOfCode(uint8_t code);

absl::string_view MdsDtypeName(MdsDtype dtype);  // "uint8", ...

inline bool IsFloat(MdsDtype dtype) { return (static_cast<int>(dtype) & 7) == 2; }
inline bool IsSigned(MdsDtype dtype) { return (static_cast<int>(dtype) & 7) != 0; }
inline uint32_t MdsDtypeSize(MdsDtype dtype) { return static_cast<uint32_t>(dtype) / 8; }

// How a column's payloads are made (MosaicML Streaming, MDS version 2).
struct MdsEncoding {
  enum class Kind {
    kBytes,       // bytes, jpeg, png: kept as they are
    kText,        // str: UTF-8
    kStrInt,      // str_int, str_float, str_decimal: a number as Python's str() writes it
    kStrFloat,    //
    kStrDecimal,  //
    kJson,        // json: UTF-8; Python's NaN and Infinity occur
    kScalar,      // int (which is int64), uint8, ..., float64: `dtype`
    kNdarray,     // ndarray[:DTYPE[:d0,d1,...]]
    kPil,         // pil: width, height, mode and pixels
    kJpegArray,   // jpeg_array, jpegarray: at least one JPEG file
    kList,        // list[pil], list[jpeg], list[png]
  };
  Kind kind = Kind::kBytes;
  std::optional<MdsDtype> dtype = {};  // of scalars, and of arrays whose encoding names it
  std::vector<uint32_t> dims = {};     // of arrays whose encoding names them
  bool items_are_pil = false;          // of lists
  uint32_t size = 0;                   // bytes of a payload; 0 where it varies
};

// Errors: an encoding that is not known, or (pkl) refused because it runs code when it is read.
absl::StatusOr<MdsEncoding> ParseMdsEncoding(absl::string_view text);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_ENCODING_H_
