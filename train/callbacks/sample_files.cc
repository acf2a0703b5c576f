#include "train/callbacks/sample_files.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {

std::string FileStem(absl::string_view name) {
  const size_t base = name.rfind('/') == absl::string_view::npos ? 0 : name.rfind('/') + 1;
  if (const size_t dot = name.rfind('.'); dot != absl::string_view::npos && dot > base) {
    name = name.substr(0, dot);
  }
  std::string stem;
  for (const char c : name) {
    if (c == '/' || c == ' ') {
      stem += '_';
    } else if (absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_') {
      stem += c;
    }
  }
  // Neither a hidden file nor a step up.
  return stem.substr(std::min(stem.find_first_not_of("._"), stem.size()));
}

absl::StatusOr<std::string> SampleFiles::Stem(int64_t sample_id) {
  TESSERA_ASSIGN_OR_RETURN(const Sample sample, dataset_->Get(sample_id));
  const std::string stem = FileStem(sample.name);
  if (stem.empty()) return absl::StrCat("sample_", sample_id);
  if (owners_.try_emplace(stem, sample_id).first->second == sample_id) return stem;
  return absl::StrCat(stem, "_", sample_id);
}

}  // namespace tessera
