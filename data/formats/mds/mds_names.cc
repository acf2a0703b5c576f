#include "data/formats/mds/mds_names.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tessera {

bool IsPlainPath(absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == ".." || absl::StrContains(part, '\0')) return false;
  }
  return true;
}

absl::Status CheckNamesAreUnique(absl::Span<const MdsShardInfo> shards) {
  std::vector<absl::string_view> names;
  names.reserve(2 * shards.size());
  for (const MdsShardInfo& shard : shards) {
    names.push_back(shard.file.raw.name);
    if (shard.file.zip.has_value()) names.push_back(shard.file.zip->name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("two files are called ", *twice, "; expected each name once"));
}

}  // namespace tessera
