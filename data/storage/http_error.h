#ifndef TESSERA_DATA_STORAGE_HTTP_ERROR_H_
#define TESSERA_DATA_STORAGE_HTTP_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera {

// The error, in Store's codes, that an answer of HTTP `status` (not 2xx) means. `code` is the
// store's own name for it ("SlowDown", "ExpiredToken"), `detail` its words; both may be empty.
absl::Status HttpError(int status, absl::string_view code, absl::string_view detail);

// The text of the first element `name` of an S3 error's XML; empty where there is none.
absl::string_view XmlElement(absl::string_view xml, absl::string_view name);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_HTTP_ERROR_H_
