#include "data/formats/mds/mds_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_names.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;

// A JSON string, escaped to ASCII as Python does.
std::string Quoted(const std::string& text) {
  return json(text).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
}

// A JSON list of what `text` makes of each item.
template <typename Items, typename Text>
std::string List(const Items& items, const Text& text) {
  std::string out = "[";
  for (const auto& item : items) absl::StrAppend(&out, out.size() > 1 ? ", " : "", text(item));
  return out + "]";
}

// The first fields of a shard, which come in alphabetical order.
std::string FirstFields(const MdsSchema& schema, const std::string& compression,
                        absl::Span<const std::string> hashes) {
  return absl::StrCat(
      "\"column_encodings\": ", List(schema, [](const MdsColumn& c) { return Quoted(c.encoding); }),
      ", \"column_names\": ", List(schema, [](const MdsColumn& c) { return Quoted(c.name); }),
      ", \"column_sizes\": ",
      List(schema, [](const MdsColumn& c) { return c.size == 0 ? "null" : absl::StrCat(c.size); }),
      ", \"compression\": ", compression.empty() ? "null" : Quoted(compression),
      ", \"format\": \"mds\", \"hashes\": ", List(hashes, Quoted));
}

std::string Limit(uint64_t size_limit) {
  return size_limit == 0 ? "null" : absl::StrCat(size_limit);
}

std::string FileText(const FileInfo& file) {
  std::string hashes;
  for (const FileInfo::Hash& hash : file.hashes) {
    absl::StrAppend(&hashes, hashes.empty() ? "" : ", ", Quoted(hash.algorithm), ": ",
                    Quoted(hash.hex));
  }
  return absl::StrCat("{\"basename\": ", Quoted(file.name), ", \"bytes\": ", file.bytes,
                      ", \"hashes\": {", hashes, "}}");
}

// Whether `a` comes before `b` when runs of digits count as numbers.
bool NaturalLess(absl::string_view a, absl::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const absl::string_view whole_a = a, whole_b = b;
  const auto take_number = [&](absl::string_view* text) {
    while (text->size() > 1 && text->front() == '0' && is_digit((*text)[1])) text->remove_prefix(1);
    size_t size = 0;
    while (size < text->size() && is_digit((*text)[size])) ++size;
    const absl::string_view number = text->substr(0, size);
    text->remove_prefix(size);
    return number;
  };
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const absl::string_view m = take_number(&a), n = take_number(&b);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // "1" and "01"
}

}  // namespace

std::string MdsShardConfig(const MdsSchema& schema, const MdsSettings& settings) {
  return absl::StrCat("{", FirstFields(schema, settings.compression, settings.hashes),
                      ", \"size_limit\": ", Limit(settings.size_limit), ", \"version\": 2}");
}

std::string MdsIndexText(absl::Span<const MdsShardInfo> shards) {
  std::string text = "{\"shards\": [";
  for (const MdsShardInfo& shard : shards) {
    const ShardFile& file = shard.file;
    std::vector<std::string> hashes;
    for (const FileInfo::Hash& hash : file.raw.hashes) hashes.push_back(hash.algorithm);
    absl::StrAppend(&text, &shard == shards.data() ? "{" : ", {",
                    FirstFields(*shard.schema, file.compression, hashes),
                    ", \"raw_data\": ", FileText(file.raw), ", \"samples\": ", shard.samples,
                    ", \"size_limit\": ", Limit(shard.size_limit),
                    ", \"version\": 2, \"zip_data\": ",
                    file.zip.has_value() ? FileText(*file.zip) : "null", "}");
  }
  return text + "], \"version\": 2}";
}

absl::StatusOr<std::vector<MdsShardInfo>> MergeMdsIndex(std::vector<MdsPartition> partitions) {
  std::sort(partitions.begin(), partitions.end(), [](const MdsPartition& a, const MdsPartition& b) {
    return NaturalLess(a.folder, b.folder);
  });
  std::vector<MdsShardInfo> merged;
  for (MdsPartition& partition : partitions) {
    if (!IsPlainPath(partition.folder)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the partition \"", partition.folder, "\" is not a plain path below the merged index"));
    }
    for (MdsShardInfo& shard : partition.shards) {
      shard.file.raw.name = absl::StrCat(partition.folder, "/", shard.file.raw.name);
      if (shard.file.zip.has_value()) {
        shard.file.zip->name = absl::StrCat(partition.folder, "/", shard.file.zip->name);
      }
      merged.push_back(std::move(shard));
    }
  }
  TESSERA_RETURN_IF_ERROR(CheckNamesAreUnique(merged));
  return merged;
}

}  // namespace tessera
