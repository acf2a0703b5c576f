#include "data/formats/mds/mds_index.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "data/formats/compression/compression.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;

// Whether `path` is relative and has no parts but names.
bool IsPlainPath(absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == ".." || absl::StrContains(part, '\0')) return false;
  }
  return true;
}

// The member of that name, null if there is none.
const json& Member(const json& object, const char* name) {
  static const json* const kNull = new json();
  const auto found = object.find(name);
  return found == object.end() ? *kNull : *found;
}

// Reads shards one by one, and keeps one copy of each schema.
class ShardParser {
 public:
  absl::StatusOr<MdsShardInfo> Parse(const json& shard);

 private:
  absl::StatusOr<std::shared_ptr<const MdsSchema>> ParseSchema(const json& shard);

  absl::flat_hash_map<std::string, std::shared_ptr<const MdsSchema>> schemas_;
};

absl::Status CheckFormat(const json& shard) {
  if (!shard.is_object()) return absl::InvalidArgumentError("expected an object");
  if (const json& format = Member(shard, "format"); !format.is_null() && format != "mds") {
    return absl::UnimplementedError(absl::StrCat(
        "its format is ", format.dump(), ", expected \"mds\": write the set with MDSWriter"));
  }
  if (const json& version = Member(shard, "version"); !version.is_null() && version != 2) {
    return absl::UnimplementedError(
        absl::StrCat("its version is ", version.dump(), ", expected 2"));
  }
  return absl::OkStatus();
}

absl::StatusOr<MdsSchema> MakeSchema(const json& names, const json& encodings, const json& sizes) {
  if (!names.is_array() || !encodings.is_array() || !sizes.is_array() ||
      names.size() != encodings.size() || names.size() != sizes.size()) {
    return absl::InvalidArgumentError(
        "expected column_names, column_encodings and column_sizes of one length");
  }
  MdsSchema schema;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].is_string() || !encodings[i].is_string()) {
      return absl::InvalidArgumentError("a column's name or encoding is not a string");
    }
    TESSERA_ASSIGN_OR_RETURN(MdsColumn column, MakeMdsColumn(names[i].get<std::string>(),
                                                             encodings[i].get<std::string>()));
    const json expected = column.size == 0 ? json() : json(column.size);
    // The Python reader takes a size of 0 for one that varies, too.
    if (sizes[i] != expected && !(column.size == 0 && sizes[i] == 0)) {
      return absl::InvalidArgumentError(absl::StrCat("column ", column.name, " has size ",
                                                     sizes[i].dump(), ", its encoding ",
                                                     column.encoding, " has ", expected.dump()));
    }
    schema.push_back(std::move(column));
  }
  return schema;
}

absl::StatusOr<std::shared_ptr<const MdsSchema>> ShardParser::ParseSchema(const json& shard) {
  const json& names = Member(shard, "column_names");
  const json& encodings = Member(shard, "column_encodings");
  const json& sizes = Member(shard, "column_sizes");
  std::shared_ptr<const MdsSchema>& schema =
      schemas_[absl::StrCat(names.dump(), encodings.dump(), sizes.dump())];
  if (schema == nullptr) {
    TESSERA_ASSIGN_OR_RETURN(MdsSchema made, MakeSchema(names, encodings, sizes));
    schema = std::make_shared<const MdsSchema>(std::move(made));
  }
  return schema;
}

// raw_data or zip_data, as `key` says.
absl::StatusOr<FileInfo> ParseFile(const json& file, absl::string_view key) {
  const json* const name = file.is_object() ? &Member(file, "basename") : nullptr;
  const json* const bytes = file.is_object() ? &Member(file, "bytes") : nullptr;
  if (name == nullptr || !name->is_string() || !bytes->is_number_unsigned()) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", key, " with basename and bytes"));
  }
  FileInfo info;
  info.name = name->get<std::string>();
  info.bytes = bytes->get<uint64_t>();
  if (!IsPlainPath(info.name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the basename ", name->dump(), " leads out of the folder or is no plain relative path"));
  }
  const json& hashes = Member(file, "hashes");
  if (!hashes.is_object() && !hashes.is_null()) {
    return absl::InvalidArgumentError(absl::StrCat("the hashes of ", key, " are no object"));
  }
  for (const auto& [algorithm, hex] : hashes.items()) {
    if (!hex.is_string()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the ", algorithm, " of ", key, " is ", hex.dump(), ", expected a string"));
    }
    info.hashes.push_back({algorithm, hex.get<std::string>()});
  }
  return info;
}

// The compressed file, if the shard has one.
absl::Status ParseZip(const json& shard, ShardFile* file) {
  const json& compression = Member(shard, "compression");
  const json& zip = Member(shard, "zip_data");
  if (compression.is_null() && zip.is_null()) return absl::OkStatus();
  if (!compression.is_string() || zip.is_null()) {
    return absl::InvalidArgumentError(absl::StrCat("compression is ", compression.dump(), ", but ",
                                                   "zip_data is ", zip.is_null() ? "null" : "given",
                                                   "; expected both or none"));
  }
  file->compression = compression.get<std::string>();
  TESSERA_RETURN_IF_ERROR(Codec::Parse(file->compression).status());
  TESSERA_ASSIGN_OR_RETURN(file->zip, ParseFile(zip, "zip_data"));
  return absl::OkStatus();
}

absl::StatusOr<MdsShardInfo> ShardParser::Parse(const json& shard) {
  TESSERA_RETURN_IF_ERROR(CheckFormat(shard));
  MdsShardInfo info;
  TESSERA_ASSIGN_OR_RETURN(info.file.raw, ParseFile(Member(shard, "raw_data"), "raw_data"));
  TESSERA_RETURN_IF_ERROR(ParseZip(shard, &info.file));
  const json& samples = Member(shard, "samples");
  if (!samples.is_number_unsigned()) {
    return absl::InvalidArgumentError(
        absl::StrCat("samples is ", samples.dump(), ", expected a number"));
  }
  info.samples = samples.get<uint64_t>();
  const uint64_t bytes = info.file.raw.bytes;
  if (bytes > UINT32_MAX || bytes / sizeof(uint32_t) < 2 ||
      bytes / sizeof(uint32_t) - 2 < info.samples) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its raw file has ", bytes, " bytes; expected less than 4 GiB, and 4 for each of its ",
        info.samples, " samples and 8 more"));
  }
  if (const json& limit = Member(shard, "size_limit"); limit.is_number_unsigned()) {
    info.size_limit = limit.get<uint64_t>();
  }
  TESSERA_ASSIGN_OR_RETURN(info.schema, ParseSchema(shard));
  return info;
}

// A file name that comes more than once is an error.
absl::Status CheckNames(absl::Span<const MdsShardInfo> shards) {
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

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return status.ok() ? status
                     : absl::Status(status.code(), absl::StrCat(path, ", ", status.message()));
}

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

absl::StatusOr<std::vector<MdsShardInfo>> ParseMdsIndex(absl::string_view text,
                                                        const std::string& path) {
  if (text.empty()) {
    return absl::DataLossError(absl::StrCat(path, " is empty: expected an MDS index"));
  }
  std::vector<MdsShardInfo> shards;
  ShardParser parser;
  absl::Status status;
  bool in_shards = false;
  // Shards are taken out of the tree as they are complete, and keys that are not known left out.
  const auto take = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) {
      in_shards = parsed == "shards";
      return in_shards || parsed == "version";
    }
    const bool ends = event == json::parse_event_t::object_end ||
                      event == json::parse_event_t::array_end ||
                      event == json::parse_event_t::value;
    if (depth != 2 || !in_shards || !ends) return true;
    if (!status.ok()) return false;
    absl::StatusOr<MdsShardInfo> shard = parser.Parse(parsed);
    if (shard.ok()) {
      shards.push_back(*std::move(shard));
    } else {
      status = InFile(absl::StrCat(path, ", shard ", shards.size()), shard.status());
    }
    return false;
  };
  const json index = json::parse(text.begin(), text.end(), take, /*allow_exceptions=*/false);
  if (!index.is_object() || !Member(index, "shards").is_array()) {
    return absl::DataLossError(
        absl::StrCat(path,
                     " is not an MDS index: expected JSON with a list of shards; it may have "
                     "been cut short"));
  }
  if (const json& version = Member(index, "version"); !version.is_null() && version != 2) {
    return absl::UnimplementedError(
        absl::StrCat(path, " has version ", version.dump(), ", expected 2"));
  }
  TESSERA_RETURN_IF_ERROR(status);
  TESSERA_RETURN_IF_ERROR(InFile(path, CheckNames(shards)));
  return shards;
}

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
  TESSERA_RETURN_IF_ERROR(CheckNames(merged));
  return merged;
}

}  // namespace tessera
