#include "data/streaming/streaming_set.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parse_bytes.h"
#include "base/status_macros.h"
#include "data/formats/hash/hash.h"
#include "data/streaming/cache/shard_source.h"
#include "data/streaming/mds_stream.h"
#include "data/streaming/web_stream.h"

namespace tessera {
namespace {

// A stream's store as the cache sees it.
class FetcherSource : public ShardSource {
 public:
  explicit FetcherSource(std::shared_ptr<const Fetcher> fetcher) : fetcher_(std::move(fetcher)) {}

  std::string Uri(absl::string_view name) const override { return fetcher_->store().Uri(name); }
  std::optional<std::string> LocalPath(absl::string_view name) const override {
    return fetcher_->store().LocalPath(name);
  }
  absl::Status Fetch(absl::string_view name, uint64_t bytes, int file,
                     const absl::Notification* stop) const override {
    return fetcher_->Fetch(name, bytes, file, stop);
  }

 private:
  std::shared_ptr<const Fetcher> fetcher_;
};

absl::StatusOr<CacheOptions> CacheOptionsOf(const StreamingConfig& config) {
  CacheOptions options = {.idle_mappings = config.max_open_shards()};
  if (!config.cache_limit().empty()) {
    const absl::StatusOr<uint64_t> limit = ParseBytes(config.cache_limit());
    if (!limit.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("data.streaming.cache_limit: ", limit.status().message()));
    }
    options.limit = *limit;
  }
  return options;
}

CacheFolder CacheFolderOf(const StreamingConfig& config, const StreamPlace& place) {
  CacheFolder folder;
  folder.path = place.folder;
  folder.validate_hash = config.validate_hash();
  folder.keep_zip = config.keep_zip();
  if (place.fetcher != nullptr) folder.source = std::make_shared<FetcherSource>(place.fetcher);
  if (config.format() == StreamingConfig::WEBDATASET) folder.expander = ExpandWebShard;
  return folder;
}

absl::StatusOr<std::unique_ptr<Stream>> OpenStream(const StreamingConfig& config,
                                                   const StreamPlace& place,
                                                   const CacheOptions& cache,
                                                   const CacheFolder& folder,
                                                   std::function<bool(uint64_t)> claim) {
  switch (config.format()) {
    case StreamingConfig::MDS:
      return OpenMdsStream(place);
    case StreamingConfig::WEBDATASET:
      return OpenWebStream(config, place, cache, folder, std::move(claim));
  }
  return absl::InvalidArgumentError("data.streaming.format is neither MDS nor WEBDATASET");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const StreamingSet>> StreamingSet::Open(
    const StreamingConfig& config, const std::string& split) {
  std::shared_ptr<StreamingSet> set(new StreamingSet());
  set->fetch_counters_ = std::make_unique<FetchCounters>();
  TESSERA_ASSIGN_OR_RETURN(set->places_,
                           FindStreamPlaces(config, split, set->fetch_counters_.get()));
  TESSERA_ASSIGN_OR_RETURN(CacheOptions options, CacheOptionsOf(config));
  std::vector<CacheFolder> folders;
  std::vector<CacheShard> shards;
  set->starts_.push_back(0);
  for (const StreamPlace& place : set->places_) {
    CacheFolder folder = CacheFolderOf(config, place);
    TESSERA_ASSIGN_OR_RETURN(
        std::unique_ptr<Stream> stream,
        OpenStream(config, place, options, folder,
                   [set = set.get()](uint64_t bytes) { return set->cache_->Claim(bytes); }));
    options.index_bytes += stream->index_bytes();
    set->first_shards_.push_back(shards.size());
    std::vector<int64_t>& samples = set->shard_samples_.emplace_back();
    for (size_t shard = 0; shard < stream->num_shards(); ++shard) {
      shards.push_back({.folder = folders.size(), .file = stream->file(shard)});
      samples.push_back(stream->num_samples(shard));
      set->starts_.push_back(set->starts_.back() + samples.back());
    }
    folders.push_back(std::move(folder));
    set->streams_.push_back(std::move(stream));
    if (set->starts_.back() == set->starts_[set->first_shards_.back()]) {
      return absl::InvalidArgumentError(absl::StrCat(place.uri, ": the data set has no samples"));
    }
  }
  set->first_shards_.push_back(shards.size());
  TESSERA_ASSIGN_OR_RETURN(set->cache_,
                           ShardCache::Open(options, std::move(folders), std::move(shards)));
  return set;
}

bool StreamingSet::fetches() const {
  return std::any_of(places_.begin(), places_.end(),
                     [](const StreamPlace& place) { return place.fetcher != nullptr; });
}

size_t StreamingSet::ShardOf(int64_t index) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), index);
  return static_cast<size_t>(after - starts_.begin() - 1);
}

StreamingSet::Place StreamingSet::At(size_t shard) const {
  const auto after = std::upper_bound(first_shards_.begin(), first_shards_.end(), shard);
  const auto stream = static_cast<size_t>(after - first_shards_.begin() - 1);
  return {*streams_[stream], shard - first_shards_[stream], places_[stream]};
}

const ShardFile& StreamingSet::file(size_t shard) const {
  const Place place = At(shard);
  return place.stream.file(place.shard);
}

std::string StreamingSet::ShardName(size_t shard) const {
  const Place place = At(shard);
  return place.files.AddressOf(place.stream.file(place.shard).raw.name);
}

absl::Status StreamingSet::Get(int64_t index, Record* record,
                               const absl::Notification* stop) const {
  if (index < 0 || index >= size()) {
    return absl::OutOfRangeError(
        absl::StrCat("there is no sample ", index, " in a set of ", size()));
  }
  const size_t shard = ShardOf(index);
  absl::StatusOr<std::shared_ptr<const MappedFile>> file = cache_->Acquire(shard, stop);
  if (!file.ok()) return file.status();
  const Place place = At(shard);
  const int64_t sample = index - starts_[shard];
  const absl::Status status =
      place.stream.Read(place.shard, (*file)->contents(), sample, &record->parts);
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat((*file)->path(), ", sample ", sample, ": ", status.message()));
  }
  record->owner = *std::move(file);
  return absl::OkStatus();
}

absl::Status StreamingSet::RequireParts(absl::Span<const absl::string_view> names) const {
  for (size_t i = 0; i < streams_.size(); ++i) {
    const absl::Status status = streams_[i]->RequireParts(names);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(places_[i].uri, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status StreamingSet::Verify(size_t shard) const {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, cache_->Acquire(shard));
  const Place place = At(shard);
  const int64_t samples = place.stream.num_samples(place.shard);
  absl::Status status = place.stream.Check(place.shard, file->contents());
  Parts parts;
  for (int64_t sample = 0; status.ok() && sample < samples; ++sample) {
    status = place.stream.Read(place.shard, file->contents(), sample, &parts);
    if (!status.ok()) {
      status = absl::Status(status.code(), absl::StrCat("sample ", sample, ": ", status.message()));
    }
  }
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(file->path(), ": ", status.message()));
}

}  // namespace tessera
