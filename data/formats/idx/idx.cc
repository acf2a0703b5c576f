#include "data/formats/idx/idx.h"

#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "data/formats/compression/compression.h"

namespace tessera {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
// Beyond any idx file that is known; keeps what a damaged file announces from being allocated.
constexpr uint64_t kMostBytes = uint64_t{1} << 32;

template <typename... Parts>
absl::Status Error(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

uint8_t ByteAt(absl::string_view bytes, size_t index) { return static_cast<uint8_t>(bytes[index]); }

// A gzip file ends with the size of what was packed, 32 bits, little-endian.
absl::StatusOr<std::string> Unpack(absl::string_view zip) {
  if (zip.size() < 18) return Error("gzip data are cut short");
  uint64_t size = 0;
  for (size_t i = 0; i < 4; ++i) size |= uint64_t{ByteAt(zip, zip.size() - 4 + i)} << (8 * i);
  TESSERA_ASSIGN_OR_RETURN(const Codec codec, Codec::Parse("gz"));
  std::string bytes(size, '\0');
  TESSERA_RETURN_IF_ERROR(codec.Decompress(zip, absl::MakeSpan(bytes.data(), bytes.size())));
  return bytes;
}

absl::StatusOr<IdxArray> ParsePlain(absl::string_view bytes) {
  if (bytes.empty()) return Error("is empty (0 bytes), expected an idx file");
  if (bytes.size() < 4 || ByteAt(bytes, 0) != 0 || ByteAt(bytes, 1) != 0) {
    std::string start;
    for (size_t i = 0; i < bytes.size() && i < 4; ++i) {
      absl::StrAppendFormat(&start, "%02x", ByteAt(bytes, i));
    }
    return Error("starts with bytes ", start, ", expected 0000 and the type of an idx file");
  }
  if (ByteAt(bytes, 2) != kUnsignedByte) {
    return Error("holds numbers of type ", ByteAt(bytes, 2), ", expected 8 (unsigned bytes)");
  }
  IdxArray array;
  const size_t num_dims = ByteAt(bytes, 3);
  const size_t begin = 4 + 4 * num_dims;
  if (num_dims == 0) return Error("has no dimensions, expected 1 or more");
  if (bytes.size() < begin) {
    return Error("is truncated: ", bytes.size(), " bytes, its header alone has ", begin);
  }
  uint64_t count = 1;
  for (size_t i = 0; i < num_dims; ++i) {
    uint64_t dim = 0;
    for (size_t k = 0; k < 4; ++k) dim = dim << 8 | ByteAt(bytes, 4 + 4 * i + k);
    array.dims.push_back(static_cast<int64_t>(dim));
    count *= dim;
    if (count > kMostBytes) {
      return Error("announces ", absl::StrJoin(array.dims, " x "),
                   "... values: more than 4 GiB; a header in the other byte order?");
    }
  }
  if (bytes.size() != begin + count) {
    return Error(bytes.size() < begin + count ? "is truncated: " : "is too long: ", bytes.size(),
                 " bytes, expected ", begin + count, " for ", absl::StrJoin(array.dims, " x "));
  }
  array.values = std::string(bytes.substr(begin));
  return array;
}

}  // namespace

absl::StatusOr<IdxArray> ParseIdx(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, "\x1f\x8b")) return ParsePlain(bytes);
  TESSERA_ASSIGN_OR_RETURN(const std::string plain, Unpack(bytes));
  return ParsePlain(plain);
}

}  // namespace tessera
