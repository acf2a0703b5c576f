#ifndef TESSERA_DATA_FORMATS_MDS_MDS_NUMBER_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_NUMBER_H_

#include <cstring>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/mds/mds_encoding.h"
#include "data/formats/mds/mds_value.h"

namespace tessera {

// Adds the bytes of a number to `out`.
template <typename T>
void AppendNumber(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Takes a number off the front of `bytes`, which has that many.
template <typename T>
T TakeNumber(absl::string_view* bytes) {
  T value;
  std::memcpy(&value, bytes->data(), sizeof(value));
  bytes->remove_prefix(sizeof(value));
  return value;
}

// The number that `bytes` are, which has the size of `dtype`.
MdsValue DecodeNumber(MdsDtype dtype, absl::string_view bytes);

// The bytes of a number as `dtype`; errors: no number, one that does not fit, a float for an
// integer.
absl::StatusOr<std::string> EncodeNumber(MdsDtype dtype, const MdsValue& value);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_NUMBER_H_
