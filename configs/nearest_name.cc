#include "configs/nearest_name.h"

#include <algorithm>
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
  const auto nearest = std::min_element(candidates.begin(), candidates.end(),
                                        [&](const std::string& a, const std::string& b) {
                                          return EditDistance(name, a) < EditDistance(name, b);
                                        });
  if (EditDistance(name, *nearest) * 2 > std::max(name.size(), nearest->size())) {
    return absl::StrCat("; valid names: ", absl::StrJoin(candidates, ", "));
  }
  return absl::StrCat("; did you mean \"", *nearest, "\"?");
}

}  // namespace tessera
