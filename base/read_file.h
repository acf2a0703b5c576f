#ifndef TESSERA_BASE_READ_FILE_H_
#define TESSERA_BASE_READ_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace tessera {

// The contents of the file at `path`. Errors name it and the cause.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_BASE_READ_FILE_H_
