#ifndef TESSERA_DATA_FORMATS_WEBDATASET_INTEGER_FIELD_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_INTEGER_FIELD_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// Whether WebDataset's users take files of this extension for a number: cls, cls2, class, count,
// index, inx, id, also behind other parts ("left.cls").
bool IsIntegerExtension(absl::string_view extension);

// The number in such a file: decimal text, with spaces or a line end around it. Errors say what was
// found.
absl::StatusOr<int64_t> DecodeInteger(absl::string_view bytes);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_INTEGER_FIELD_H_
