#include "data/formats/mds/mds_index.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;

// A path that stays inside the folder of the index.
bool IsInside(const std::string& basename) {
  if (basename.empty() || basename.front() == '/') return false;
  return !absl::StrContains(absl::StrCat("/", basename, "/"), "/../");
}

absl::StatusOr<MdsSchema> ParseSchema(const json& shard) {
  const json& names = shard.value("column_names", json());
  const json& encodings = shard.value("column_encodings", json());
  const json& sizes = shard.value("column_sizes", json());
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

absl::StatusOr<MdsShardInfo> ParseShard(const json& shard) {
  if (!shard.is_object()) return absl::InvalidArgumentError("expected an object");
  const json format = shard.value("format", json("mds"));
  if (format != "mds") {
    return absl::UnimplementedError(
        absl::StrCat("format is ", format.dump(), ", expected \"mds\""));
  }
  if (const json compression = shard.value("compression", json()); !compression.is_null()) {
    return absl::UnimplementedError(
        absl::StrCat("compression is ", compression.dump(), ", which is not supported"));
  }
  const json raw = shard.value("raw_data", json());
  if (!raw.is_object() || !raw.contains("basename") || !raw["basename"].is_string() ||
      !raw.contains("bytes") || !raw["bytes"].is_number_unsigned() || !shard.contains("samples") ||
      !shard["samples"].is_number_unsigned()) {
    return absl::InvalidArgumentError("expected raw_data with basename and bytes, and samples");
  }
  MdsShardInfo info;
  info.basename = raw["basename"].get<std::string>();
  info.bytes = raw["bytes"].get<uint64_t>();
  info.samples = shard["samples"].get<uint64_t>();
  if (!IsInside(info.basename)) {
    return absl::InvalidArgumentError(
        absl::StrCat("basename \"", info.basename, "\" leads out of the folder"));
  }
  TESSERA_ASSIGN_OR_RETURN(info.schema, ParseSchema(shard));
  return info;
}

// A JSON string, escaped to ASCII as Python does.
std::string Quoted(const std::string& text) {
  return json(text).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
}

template <typename Text>
std::string List(const MdsSchema& schema, const Text& text) {
  return absl::StrCat(
      "[",
      absl::StrJoin(schema, ", ",
                    [&](std::string* out, const MdsColumn& c) { absl::StrAppend(out, text(c)); }),
      "]");
}

std::string SchemaFields(const MdsSchema& schema) {
  return absl::StrCat(
      "\"column_encodings\": ", List(schema, [](const MdsColumn& c) { return Quoted(c.encoding); }),
      ", \"column_names\": ", List(schema, [](const MdsColumn& c) { return Quoted(c.name); }),
      ", \"column_sizes\": ",
      List(schema, [](const MdsColumn& c) { return c.size == 0 ? "null" : absl::StrCat(c.size); }),
      ", \"compression\": null, \"format\": \"mds\", \"hashes\": []");
}

std::string Limit(uint64_t size_limit) {
  return size_limit == 0 ? "null" : absl::StrCat(size_limit);
}

}  // namespace

absl::StatusOr<std::vector<MdsShardInfo>> ParseMdsIndex(absl::string_view text,
                                                        const std::string& path) {
  if (text.empty()) {
    return absl::DataLossError(absl::StrCat(path, " is empty: expected an MDS index"));
  }
  const json index = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!index.is_object() || !index.contains("shards") || !index["shards"].is_array()) {
    return absl::DataLossError(
        absl::StrCat(path,
                     " is not an MDS index: expected JSON with a list of shards; it may have "
                     "been cut short"));
  }
  if (const json version = index.value("version", json(2)); version != 2) {
    return absl::UnimplementedError(
        absl::StrCat(path, " has version ", version.dump(), ", expected 2"));
  }
  std::vector<MdsShardInfo> shards;
  for (const json& item : index["shards"]) {
    absl::StatusOr<MdsShardInfo> shard = ParseShard(item);
    if (!shard.ok()) {
      return absl::Status(shard.status().code(), absl::StrCat(path, ", shard ", shards.size(), ": ",
                                                              shard.status().message()));
    }
    shards.push_back(*std::move(shard));
  }
  return shards;
}

std::string MdsShardConfig(const MdsSchema& schema, uint64_t size_limit) {
  return absl::StrCat("{", SchemaFields(schema), ", \"size_limit\": ", Limit(size_limit),
                      ", \"version\": 2}");
}

std::string MdsIndexText(const std::vector<MdsShardInfo>& shards, uint64_t size_limit) {
  std::vector<std::string> items;
  for (const MdsShardInfo& shard : shards) {
    items.push_back(absl::StrCat(
        "{", SchemaFields(shard.schema), ", \"raw_data\": {\"basename\": ", Quoted(shard.basename),
        ", \"bytes\": ", shard.bytes, ", \"hashes\": {}}, \"samples\": ", shard.samples,
        ", \"size_limit\": ", Limit(size_limit), ", \"version\": 2, \"zip_data\": null}"));
  }
  return absl::StrCat("{\"shards\": [", absl::StrJoin(items, ", "), "], \"version\": 2}");
}

}  // namespace tessera
