#include "data/streaming/web_index_files.h"

#include <glog/logging.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {

namespace fs = std::filesystem;

WebIndexFiles::WebIndexFiles(StreamPlace place, BadShard bad_shard)
    : place_(std::move(place)), bad_shard_(bad_shard) {}

std::string WebIndexFiles::IndexName(const std::string& name) {
  const fs::path path = name;
  return (path.parent_path() / absl::StrCat(".", path.filename().string(), ".tessera.index"))
      .string();
}

bool WebIndexFiles::InPlace(const std::string& name) const {
  if (place_.fetcher == nullptr) return true;
  const std::optional<std::string> path = place_.fetcher->store().LocalPath(name);
  std::error_code error;
  return path.has_value() && fs::equivalent(*path, place_.PathOf(name), error);
}

absl::StatusOr<TarStamp> WebIndexFiles::CurrentStamp(const std::string& name,
                                                     std::optional<uint64_t> bytes) const {
  if (InPlace(name)) return StampOf(place_.PathOf(name));
  TarStamp stamp;
  if (bytes.has_value()) {
    stamp.bytes = *bytes;
  } else {
    TESSERA_ASSIGN_OR_RETURN(stamp.bytes, place_.fetcher->Size(name));
  }
  return stamp;
}

std::optional<SavedTarIndex> WebIndexFiles::Load(const std::string& name) const {
  absl::StatusOr<SavedTarIndex> saved = LoadTarIndex(place_.PathOf(IndexName(name)));
  if (!saved.ok()) return std::nullopt;
  if (bad_shard_ == BadShard::kStop && !saved->index.left_out().reason.empty()) {
    return std::nullopt;
  }
  return *std::move(saved);
}

bool WebIndexFiles::IsCached(const std::string& name, const SavedTarIndex& saved) const {
  const std::string tar = saved.stamp.compression.empty() ? name : ExpandedName(name);
  std::error_code error;
  const auto bytes = fs::file_size(place_.PathOf(tar), error);
  return !error && !InPlace(name) && bytes == saved.index.tables().tar_bytes;
}

absl::StatusOr<TarIndex> WebIndexFiles::Build(const std::string& name, const TarStamp& stamp,
                                              absl::string_view tar) const {
  const char* const what = stamp.compression.empty() ? "" : ", decompressed";
  return TarIndex::Build(tar, absl::StrCat(place_.AddressOf(name), what), bad_shard_);
}

bool WebIndexFiles::Save(const std::string& name, const TarIndex& index, const TarStamp& stamp,
                         absl::FunctionRef<bool(uint64_t)> claim) {
  if (!InPlace(name) && !claim(MostBytes(index))) return false;
  const absl::Status status = SaveTarIndex(index, stamp, place_.PathOf(IndexName(name)));
  if (status.ok() || told_unsaved_.exchange(true)) return true;
  LOG(WARNING) << place_.uri << ": indexes of shards cannot be kept and are built at every start ("
               << status.message() << "); data.streaming.local may name a folder for them";
  return true;
}

uint64_t WebIndexFiles::MostBytes(const TarIndex& index) {
  constexpr uint64_t kNumbersAndLengths = 512;
  const TarTables& tables = index.tables();
  uint64_t bytes = kNumbersAndLengths + tables.keys.size() + tables.sparse.size() +
                   tables.left_out.reason.size();
  for (const auto* numbers :
       {&tables.key_ends, &tables.field_ends, &tables.offsets, &tables.sizes}) {
    bytes += numbers->size() * sizeof(uint64_t);
  }
  bytes += tables.extensions.size() * sizeof(uint32_t);
  for (const std::string& extension : tables.extension_names) {
    bytes += sizeof(uint64_t) + extension.size();
  }
  return bytes;
}

uint64_t WebIndexFiles::CachedBytes(const std::string& name) const {
  if (InPlace(name)) return 0;
  std::error_code error;
  const auto bytes = fs::file_size(place_.PathOf(name), error);
  return error ? 0 : bytes;
}

}  // namespace tessera
