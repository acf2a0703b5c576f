#include "data/streaming/web_shard_list.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/webdataset/shard_list.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;

constexpr char kList[] = "shardlist";

absl::Status BadIndex(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, " is not an index that the wids tools wrote: ", what));
}

// Null: there is none, or it is no number of bytes or samples.
std::optional<uint64_t> FindNumber(const json& shard, const char* name) {
  const auto found = shard.find(name);
  if (found == shard.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

absl::StatusOr<ListedShard> ParseShard(const json& shard, const std::string& where) {
  const auto url = shard.is_object() ? shard.find("url") : shard.end();
  if (url == shard.end() || !url->is_string()) {
    return BadIndex(where, "expected an object with \"url\"");
  }
  ListedShard info = {.name = url->get<std::string>(),
                      .bytes = FindNumber(shard, "filesize"),
                      .samples = FindNumber(shard, "nsamples")};
  if (!info.samples.has_value()) {
    return BadIndex(where, "expected the number of samples, \"nsamples\"");
  }
  if (absl::StrContains(info.name, "://") || absl::StartsWith(info.name, "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": found the url ", info.name,
                     ", expected the name of a file beside the index or in a folder there"));
  }
  return info;
}

absl::StatusOr<std::vector<ListedShard>> ParseIndex(const std::string& text,
                                                    const std::string& path) {
  const json index = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!index.is_object()) return BadIndex(path, "expected a JSON object");
  const auto version = index.find("wids_version");
  if (version == index.end() || *version != 1) return BadIndex(path, "expected wids_version 1");
  const auto list = index.find(kList);
  if (list == index.end() || !list->is_array()) {
    return BadIndex(path, absl::StrCat("expected a list \"", kList, "\""));
  }
  std::vector<ListedShard> shards;
  for (const json& shard : *list) {
    TESSERA_ASSIGN_OR_RETURN(
        ListedShard info,
        ParseShard(shard, absl::StrCat(path, ", ", kList, "[", shards.size(), "]")));
    shards.push_back(std::move(info));
  }
  return shards;
}

}  // namespace

absl::StatusOr<std::vector<ListedShard>> ListWebShards(const std::string& shards,
                                                       const StreamPlace& place) {
  if (shards.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("data.streaming.shards is not set; expected the names of the tar files in ",
                     place.uri, ", as \"shard-{000000..000099}.tar\""));
  }
  if (absl::EndsWith(shards, ".json")) {
    TESSERA_ASSIGN_OR_RETURN(const std::string text, ReadStreamFile(place, shards));
    return ParseIndex(text, place.PathOf(shards));
  }
  absl::StatusOr<std::vector<std::string>> names = ExpandShardList(shards);
  if (!names.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("data.streaming.shards: ", names.status().message()));
  }
  std::vector<ListedShard> infos(names->size());
  for (size_t i = 0; i < infos.size(); ++i) infos[i].name = std::move((*names)[i]);
  return infos;
}

}  // namespace tessera
