#ifndef TESSERA_BASE_PARSE_BYTES_H_
#define TESSERA_BASE_PARSE_BYTES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// A number of bytes, as "8388608", "100b", "64mb" or "1.5 GB" (any case; kb is 1024 bytes, as in
// MosaicML Streaming), rounded down.
absl::StatusOr<uint64_t> ParseBytes(absl::string_view text);

}  // namespace tessera

#endif  // TESSERA_BASE_PARSE_BYTES_H_
