#ifndef TESSERA_CONFIGS_EXPLAIN_FIELD_H_
#define TESSERA_CONFIGS_EXPLAIN_FIELD_H_

#include <string>

#include "absl/status/statusor.h"

namespace tessera {

// What the schema says of the field at `path` ("data.ignore_index"): type, default, comment; for a
// message its fields too, for an enum its values. "." is the whole experiment.
absl::StatusOr<std::string> ExplainField(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_EXPLAIN_FIELD_H_
