#ifndef TESSERA_DATA_STORAGE_HTTP_OBJECT_H_
#define TESSERA_DATA_STORAGE_HTTP_OBJECT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/storage/http_client.h"

namespace tessera {

// A GET of one object, signed or not: of the range, or of the whole.
using GetObject = std::function<absl::Status(const std::optional<ByteRange>&, HttpSink&)>;

// The methods of Store, over GETs. Errors do not name the object.
absl::Status ReadObjectRange(const GetObject& get, uint64_t size, uint64_t offset,
                             absl::Span<char> out, std::string* version);

// By a GET of the first byte, since HEAD is often refused where GET is allowed.
absl::StatusOr<uint64_t> ObjectSize(const GetObject& get);

absl::StatusOr<std::string> ReadObject(const GetObject& get);

// `path` as it stands in an address: all but letters, digits and "-._~/" as %XX.
std::string PercentEncode(absl::string_view path);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_HTTP_OBJECT_H_
