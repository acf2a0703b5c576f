#include "configs/nearest_name.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera {
namespace {

size_t EditDistance(absl::string_view from, absl::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const bool same = absl::ascii_tolower(from[i]) == absl::ascii_tolower(to[j]);
      const size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string SuggestName(absl::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  const std::string* nearest = nullptr;
  size_t least = std::numeric_limits<size_t>::max();
  for (const std::string& candidate : candidates) {
    // Near: half of the longer name or less is edited. A name of another length can't be.
    const size_t longer = std::max(name.size(), candidate.size());
    const size_t shorter = std::min(name.size(), candidate.size());
    if ((longer - shorter) * 2 > longer) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance * 2 > longer || distance >= least) continue;
    nearest = &candidate;
    least = distance;
  }
  if (nearest == nullptr) {
    return absl::StrCat("; valid names: ", absl::StrJoin(candidates, ", "));
  }
  return absl::StrCat("; did you mean \"", *nearest, "\"?");
}

}  // namespace tessera
