#include "data/streaming/stream_place.h"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/formats/hash/hash.h"
#include "data/storage/open_store.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string Join(const std::string& base, const std::string& split) {
  if (split.empty()) return base;
  return absl::StrCat(base, absl::EndsWith(base, "/") ? "" : "/", split);
}

// A folder of this user for what comes from `remote`.
absl::StatusOr<std::string> DefaultFolder(const std::string& remote) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(
        "data.streaming.local is not set, and TMPDIR is no folder: ", error.message()));
  }
  TESSERA_ASSIGN_OR_RETURN(const std::string hash, HashHex("xxh128", remote));
  return (temporary / absl::StrCat("tessera-", getuid()) / hash).string();
}

FetchOptions FetchOptionsOf(const StreamingConfig& config) {
  return {.attempts = config.download_retry(), .timeout = absl::Seconds(config.download_timeout())};
}

absl::StatusOr<StreamPlace> FindPlace(const StreamConfig& stream, const std::string& split,
                                      const FetchOptions& options, FetchCounters* counters) {
  StreamPlace place;
  if (stream.remote().empty()) {
    if (stream.local().empty()) {
      return absl::InvalidArgumentError(
          "data.streaming: neither remote nor local is set; expected where the shards are");
    }
    place.folder = place.uri = Join(stream.local(), split);
    return place;
  }
  place.uri = Join(stream.remote(), split);
  TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<Store> store, OpenStore(place.uri, options.timeout));
  if (const std::optional<std::string> path = store->LocalPath("");
      path.has_value() && stream.local().empty()) {
    place.folder = *path;
    return place;
  }
  place.fetcher = std::make_shared<const Fetcher>(std::move(store), options, counters);
  std::string local = stream.local();
  if (local.empty()) {
    TESSERA_ASSIGN_OR_RETURN(local, DefaultFolder(stream.remote()));
  }
  place.folder = Join(local, split);
  return place;
}

// The folder as one name, however it is written.
std::string Canonical(const std::string& path) {
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(fs::absolute(path), error);
  if (error) return path;
  if (!canonical.has_filename()) canonical = canonical.parent_path();  // a slash at the end
  return canonical.string();
}

}  // namespace

std::string StreamPlace::PathOf(const std::string& name) const {
  return (fs::path(folder) / name).string();
}

std::string StreamPlace::AddressOf(const std::string& name) const {
  return fetcher == nullptr ? PathOf(name) : fetcher->store().Uri(name);
}

absl::StatusOr<std::vector<StreamPlace>> FindStreamPlaces(const StreamingConfig& config,
                                                          const std::string& split,
                                                          FetchCounters* counters) {
  std::vector<StreamConfig> streams(config.streams().begin(), config.streams().end());
  if (streams.empty()) {
    streams.emplace_back().set_remote(config.remote());
    streams.back().set_local(config.local());
  } else if (!config.remote().empty() || !config.local().empty()) {
    return absl::InvalidArgumentError(
        "data.streaming: streams are set, and remote or local too; expected one or the other");
  }
  const FetchOptions options = FetchOptionsOf(config);
  std::vector<StreamPlace> places;
  std::set<std::string> folders;
  for (const StreamConfig& stream : streams) {
    TESSERA_ASSIGN_OR_RETURN(StreamPlace place, FindPlace(stream, split, options, counters));
    if (!folders.insert(Canonical(place.folder)).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "data.streaming.streams: two streams have the folder ", place.folder,
          "; expected a local folder for each (use repeat for a stream that counts twice)"));
    }
    places.push_back(std::move(place));
  }
  return places;
}

absl::StatusOr<std::string> ReadStreamFile(const StreamPlace& place, const std::string& name) {
  const std::string path = place.PathOf(name);
  absl::StatusOr<std::string> text = ReadFile(path);
  if (text.ok() || place.fetcher == nullptr) return text;
  TESSERA_ASSIGN_OR_RETURN(text, place.fetcher->Fetch(name));
  std::error_code error;
  fs::create_directories(place.folder, error);  // what goes wrong shows in the next call
  TESSERA_RETURN_IF_ERROR(WriteFile(path, *text));
  return text;
}

}  // namespace tessera
