#include "data/formats/mds/mds_reader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"

namespace tessera {

absl::StatusOr<MdsReader> MdsReader::Open(const std::string& folder) {
  const std::string index = (std::filesystem::path(folder) / "index.json").string();
  const absl::StatusOr<std::string> text = ReadFile(index);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat(folder, " is not an MDS data set: ", text.status().message()));
  }
  MdsReader reader;
  TESSERA_ASSIGN_OR_RETURN(reader.infos_, ParseMdsIndex(*text, index));
  reader.starts_.push_back(0);
  for (const MdsShardInfo& info : reader.infos_) {
    const FileInfo& file = info.file.raw;
    const std::string path = (std::filesystem::path(folder) / file.name).string();
    if (info.file.zip.has_value() && !std::filesystem::exists(path)) {
      return absl::UnimplementedError(absl::StrCat(path, " is there only as ", info.file.zip->name,
                                                   ", which MdsReader does not decompress"));
    }
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const MdsShard> shard,
                             MdsShard::Open(path, file.bytes, info.samples));
    reader.shards_.push_back(std::move(shard));
    reader.starts_.push_back(reader.starts_.back() + static_cast<int64_t>(info.samples));
  }
  return reader;
}

absl::StatusOr<MdsReader::Row> MdsReader::Get(int64_t index) const {
  if (index < 0 || index >= size()) {
    return absl::OutOfRangeError(
        absl::StrCat("there is no sample ", index, " in a set of ", size()));
  }
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), index);
  const auto at = static_cast<size_t>(after - starts_.begin() - 1);
  const absl::string_view bytes = shards_[at]->Get(static_cast<uint64_t>(index - starts_[at]));
  return Row{at, infos_[at].schema.get(), bytes, shards_[at]};
}

}  // namespace tessera
