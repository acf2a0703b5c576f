#include "data/streaming/web_index.h"

#include <glog/logging.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "data/formats/webdataset/expand_tar.h"
#include "data/formats/webdataset/tar_index_file.h"

namespace tessera {
namespace {

constexpr int kFindThreads = 32;  // they wait for answers of a store
constexpr absl::Duration kProgressPeriod = absl::Seconds(10);
constexpr size_t kMostToldOf = 10;

// Calls `work` for each item, with several threads, until there is an error.
absl::Status ForEach(absl::Span<const size_t> items, int threads,
                     absl::FunctionRef<absl::Status(size_t)> work) {
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  absl::Mutex mutex;
  absl::Status error;
  const auto run = [&] {
    while (!failed) {
      const size_t at = next++;
      if (at >= items.size()) return;
      absl::Status status = work(items[at]);
      if (status.ok()) continue;
      absl::MutexLock lock(&mutex);
      if (!failed.exchange(true)) error = std::move(status);
    }
  };
  const size_t most = std::min<size_t>(items.size(), std::max(1, threads));
  std::vector<std::thread> others;
  for (size_t i = 1; i < most; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
  return error;
}

// Says now and then how many items are done.
class Progress {
 public:
  Progress(std::string what, size_t total)
      : what_(std::move(what)), total_(total), last_(absl::Now()) {}

  void Add() {
    absl::MutexLock lock(&mutex_);
    ++done_;
    if (absl::Now() - last_ < kProgressPeriod) return;
    last_ = absl::Now();
    LOG(WARNING) << what_ << ": " << done_ << " of " << total_;
  }

 private:
  const std::string what_;
  const size_t total_;
  absl::Mutex mutex_;
  size_t done_ = 0;
  absl::Time last_;
};

// The index of a shard of which nothing can be used.
absl::StatusOr<TarIndex> NoSamples(uint64_t bytes, std::string reason) {
  TarTables tables;
  tables.left_out = {.samples = 0, .bytes = bytes, .reason = std::move(reason)};
  return TarIndex::Create(std::move(tables));
}

// Whether a shard's size, once decompressed, must be found before it is read.
bool IsNamedCompressed(absl::string_view name) {
  for (const absl::string_view end : {"gz", "bz2", "xz", "zst", "zstd"}) {
    if (absl::EndsWith(name, end)) return true;
  }
  return false;
}

class Indexer {
 public:
  Indexer(const std::vector<ListedShard>& shards, const WebIndexOptions& options,
          WebIndexFiles* files)
      : options_(options), files_(*files) {
    shards_.reserve(shards.size());
    for (const ListedShard& info : shards) shards_.push_back({.info = info});
    // The list tells what was written, not what is left: how many samples a set has must not depend
    // on which of its shards were read before.
    if (files_.bad_shard() != BadShard::kSkipRest) return;
    for (Shard& shard : shards_) shard.info = {.name = shard.info.name, .bytes = {}, .samples = {}};
  }

  absl::Status Run() {
    std::vector<size_t> all(shards_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    TESSERA_RETURN_IF_ERROR(
        ForEach(all, kFindThreads, [this](size_t i) { return Find(shards_[i]); }));
    TESSERA_RETURN_IF_ERROR(ReadFiles(&Indexer::ReadSent));
    TESSERA_RETURN_IF_ERROR(ReadFiles(&Indexer::ReadExpanded));  // those that are compressed
    Report();
    return absl::OkStatus();
  }

  absl::StatusOr<WebIndex> Take() && {
    WebIndex found = {.index_bytes = IndexBytes()};
    found.shards.reserve(shards_.size());
    for (Shard& shard : shards_) {
      uint64_t samples = shard.info.samples.value_or(0);
      if (shard.index.has_value()) {
        if (shard.info.samples.has_value()) {
          TESSERA_RETURN_IF_ERROR(CheckCount(files_, shard.info.name, *shard.index, samples));
        }
        samples = shard.index->size();
      }
      ShardFile file = FileOf(shard);
      found.shards.push_back(
          {std::move(shard.info.name), std::move(file), samples, std::move(shard.index)});
    }
    return found;
  }

 private:
  struct Shard {
    ListedShard info;
    TarStamp stamp = {};     // of the file of that name
    uint64_t tar_bytes = 0;  // of the tar in it, where it is compressed
    std::optional<TarIndex> index = {};
    bool unsaved = false;  // it was built, and has no room in the cache yet
  };
  using Method = absl::Status (Indexer::*)(Shard&, const MappedFile&);

  static void Use(SavedTarIndex saved, Shard& shard) {
    shard.stamp = std::move(saved.stamp);
    shard.tar_bytes = saved.index.tables().tar_bytes;
    shard.index = std::move(saved.index);
  }

  static bool UseIfCurrent(std::optional<SavedTarIndex> saved, Shard& shard) {
    if (!saved.has_value() || saved->stamp.bytes != shard.stamp.bytes ||
        saved->stamp.mark != shard.stamp.mark) {
      return false;
    }
    Use(*std::move(saved), shard);
    return true;
  }

  // Finds the index if it was kept, or else the size of the file.
  absl::Status Find(Shard& shard) {
    std::optional<SavedTarIndex> saved = files_.Load(shard.info.name);
    if (saved.has_value() && files_.IsCached(shard.info.name, *saved)) {
      Use(*std::move(saved), shard);
      return absl::OkStatus();
    }
    TESSERA_ASSIGN_OR_RETURN(shard.stamp, files_.CurrentStamp(shard.info.name, shard.info.bytes));
    UseIfCurrent(std::move(saved), shard);
    return absl::OkStatus();
  }

  static bool MustBeRead(const Shard& shard) {
    return !shard.index.has_value() &&
           (!shard.info.samples.has_value() || IsNamedCompressed(shard.info.name));
  }

  // Before it is known to be compressed, a file is taken for the tar.
  static ShardFile FileOf(const Shard& shard) {
    ShardFile file;
    file.raw.name = shard.info.name;
    file.raw.bytes = shard.stamp.bytes;
    if (shard.stamp.compression.empty()) return file;
    file.zip = file.raw;
    file.raw.name = WebIndexFiles::ExpandedName(shard.info.name);
    file.raw.bytes = shard.tar_bytes;
    file.compression = shard.stamp.compression;
    return file;
  }

  // In the cache's folder; those that are yet to be saved, too.
  uint64_t IndexBytes() const {
    uint64_t bytes = 0;
    for (const Shard& shard : shards_) {
      bytes += shard.unsaved ? WebIndexFiles::MostBytes(*shard.index)
                             : files_.CachedBytes(WebIndexFiles::IndexName(shard.info.name));
    }
    return bytes;
  }

  void Save(Shard& shard, ShardCache& cache) {
    if (!shard.unsaved) return;
    shard.unsaved = !files_.Save(shard.info.name, *shard.index, shard.stamp,
                                 [&](uint64_t bytes) { return cache.Claim(bytes); });
  }

  // Reads the shards that must be, by way of the cache.
  absl::Status ReadFiles(Method method) {
    std::vector<size_t> missing;
    std::vector<CacheShard> cached;
    for (size_t i = 0; i < shards_.size(); ++i) {
      if (MustBeRead(shards_[i])) missing.push_back(i);
      cached.push_back({.folder = 0, .file = FileOf(shards_[i])});
    }
    if (missing.empty()) return absl::OkStatus();
    CacheOptions options = options_.cache;
    options.index_bytes += IndexBytes();
    TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<ShardCache> cache,
                             ShardCache::Open(options, {options_.folder}, std::move(cached)));
    Progress progress(absl::StrCat("indexing the shards of ", files_.place().uri), missing.size());
    const auto read = [&](size_t i) -> absl::Status {
      TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, cache->Acquire(i));
      const absl::Status status = (this->*method)(shards_[i], *file);
      // What is damaged is fetched anew next time: it may have been mended.
      if (absl::IsDataLoss(status) && !files_.InPlace(shards_[i].info.name)) {
        std::remove(file->path().c_str());
      }
      file.reset();  // it may make room for its index
      if (status.ok()) Save(shards_[i], *cache);
      progress.Add();
      return status;
    };
    TESSERA_RETURN_IF_ERROR(ForEach(missing, options_.threads, read));
    // Those for which the shards that other threads read left no room.
    for (const size_t i : missing) Save(shards_[i], *cache);
    return absl::OkStatus();
  }

  absl::Status ReadSent(Shard& shard, const MappedFile& file) {
    // Another process may have done it meanwhile.
    if (UseIfCurrent(files_.Load(shard.info.name), shard)) return absl::OkStatus();
    const absl::string_view compression = FindCompression(file.contents());
    if (!compression.empty()) return CountTar(shard, compression, file.contents());
    return ReadExpanded(shard, file);
  }

  absl::Status ReadExpanded(Shard& shard, const MappedFile& file) {
    TESSERA_ASSIGN_OR_RETURN(shard.index,
                             files_.Build(shard.info.name, shard.stamp, file.contents()));
    shard.unsaved = true;
    return absl::OkStatus();
  }

  // Finds the size of a compressed tar, which the cache has to know before it makes room.
  absl::Status CountTar(Shard& shard, absl::string_view compression, absl::string_view zip) {
    const std::string address = files_.place().AddressOf(shard.info.name);
    uint64_t bytes = 0;
    const absl::Status status =
        ExpandTar(zip, address, BadShard::kStop, [&](absl::string_view piece) {
          bytes += piece.size();
          return absl::OkStatus();
        }).status();
    if (absl::IsDataLoss(status) && files_.bad_shard() == BadShard::kSkipRest) {
      TESSERA_ASSIGN_OR_RETURN(shard.index, NoSamples(zip.size(), std::string(status.message())));
      shard.unsaved = true;
      return absl::OkStatus();
    }
    TESSERA_RETURN_IF_ERROR(status);
    shard.stamp.compression = std::string(compression);
    shard.tar_bytes = bytes;
    return absl::OkStatus();
  }

  void Report() const {
    size_t bad = 0;
    uint64_t samples = 0, bytes = 0;
    for (const Shard& shard : shards_) {
      if (!shard.index.has_value() || shard.index->left_out().reason.empty()) continue;
      const LeftOut& left_out = shard.index->left_out();
      samples += left_out.samples;
      bytes += left_out.bytes;
      if (++bad > kMostToldOf) continue;
      LOG(WARNING) << "left out " << left_out.samples << " samples that were seen, "
                   << left_out.bytes << " bytes: " << left_out.reason;
    }
    if (bad == 0) return;
    LOG(WARNING) << files_.place().uri << ": left out " << samples << " samples that were seen, "
                 << bytes << " bytes, in " << bad << " of " << shards_.size() << " shards";
  }

  const WebIndexOptions& options_;
  WebIndexFiles& files_;
  std::vector<Shard> shards_;
};

}  // namespace

absl::Status CheckCount(const WebIndexFiles& files, const std::string& name, const TarIndex& index,
                        uint64_t expected) {
  if (index.size() == expected || !index.left_out().reason.empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(files.place().AddressOf(name), " has ", index.size(),
                                          " samples, but in the list of shards ", expected));
}

absl::StatusOr<WebIndex> IndexWebShards(const std::vector<ListedShard>& shards,
                                        const WebIndexOptions& options, WebIndexFiles* files) {
  Indexer indexer(shards, options, files);
  TESSERA_RETURN_IF_ERROR(indexer.Run());
  return std::move(indexer).Take();
}

}  // namespace tessera
