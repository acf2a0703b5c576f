#ifndef TESSERA_CONFIGS_NEAREST_NAME_H_
#define TESSERA_CONFIGS_NEAREST_NAME_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera {

// "; did you mean "NAME"?" with the candidate of the least edit distance to `name` (Levenshtein,
// upper and lower case alike), or all candidates where none is near.
std::string SuggestName(absl::string_view name, const std::vector<std::string>& candidates);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_NEAREST_NAME_H_
