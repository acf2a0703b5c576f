#include "data/streaming/cache/shard_cache.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "data/formats/hash/hash.h"
#include "data/streaming/cache/file_lock.h"
#include "data/streaming/cache/shard_contents.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{1} << 50;  // of a file; the sum of two is no overflow

size_t MostMappings(const CacheOptions& options) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  return std::min<uint64_t>(std::max(options.idle_mappings, 0), files.rlim_cur / 4);
}

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

absl::string_view FolderOf(absl::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == absl::string_view::npos ? absl::string_view() : name.substr(0, slash);
}

absl::string_view WithoutFolder(absl::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == absl::string_view::npos ? name : name.substr(slash + 1);
}

bool StaysInside(absl::string_view name) {
  for (const absl::string_view part : absl::StrSplit(name, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

absl::Status CheckShard(const CacheFolder& folder, const ShardFile& file) {
  const FileInfo& sent = SentFile(file);
  const auto invalid = [&](const std::string& what) {
    return absl::InvalidArgumentError(absl::StrCat(folder.path, ": the shard ", sent.name, what));
  };
  if (!StaysInside(file.raw.name) || !StaysInside(sent.name)) {
    return invalid(" must have a plain path inside of its folder");
  }
  if (FolderOf(file.raw.name) != FolderOf(sent.name)) {
    return invalid(absl::StrCat(" is in another folder than ", file.raw.name));
  }
  if (file.raw.bytes > kMostBytes || sent.bytes > kMostBytes) {
    return invalid(" is larger than a file can be");
  }
  if (!folder.validate_hash.empty() && FindHash(sent, folder.validate_hash) == nullptr) {
    return invalid(absl::StrCat(
        " has no ", folder.validate_hash, " in the index that could be validated; found: ",
        sent.hashes.empty()
            ? "none"
            : absl::StrJoin(sent.hashes, ", ", [](std::string* out, const FileInfo::Hash& hash) {
                out->append(hash.algorithm);
              })));
  }
  return absl::OkStatus();
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Whether the source has the file of this name in this very folder.
bool IsSameFolder(const ShardSource& source, absl::string_view name, const std::string& folder) {
  const std::optional<std::string> path = source.LocalPath(name);
  std::error_code error;
  return path.has_value() &&
         fs::equivalent(fs::absolute(*path, error).parent_path(), folder, error);
}

absl::StatusOr<std::unique_ptr<const MappedFile>> Map(const TempFile& file,
                                                      const std::string& path) {
  const int copy = fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  return MappedFile::FromDescriptor(copy, path);
}

}  // namespace

struct ShardCache::Shard {
  size_t number;
  const ShardFile& file;
  const CacheFolder& folder;
  const Place& place;
  std::string raw_path;
  std::string zip_path;            // empty: none
  const absl::Notification* stop;  // of the caller; may be null
};

absl::StatusOr<std::unique_ptr<ShardCache>> ShardCache::Open(const CacheOptions& options,
                                                             std::vector<CacheFolder> folders,
                                                             std::vector<CacheShard> shards) {
  for (const CacheFolder& folder : folders) {
    if (folder.validate_hash.empty()) continue;
    TESSERA_RETURN_IF_ERROR(Hasher::Create(folder.validate_hash).status());
  }
  for (const CacheShard& shard : shards) {
    TESSERA_RETURN_IF_ERROR(CheckShard(folders[shard.folder], shard.file));
  }
  std::unique_ptr<ShardCache> cache(new ShardCache(options, std::move(folders), std::move(shards)));
  cache->FindPlaces();
  cache->FindLargest();
  TESSERA_RETURN_IF_ERROR(cache->CheckLimit());
  TESSERA_RETURN_IF_ERROR(cache->OpenSpace());
  return cache;
}

ShardCache::ShardCache(const CacheOptions& options, std::vector<CacheFolder> folders,
                       std::vector<CacheShard> shards)
    : options_(options),
      folders_(std::move(folders)),
      shards_(std::move(shards)),
      verified_(shards_.size()),
      mappings_(MostMappings(options)) {}

void ShardCache::FindPlaces() {
  absl::flat_hash_map<std::pair<size_t, absl::string_view>, uint32_t> known;
  place_of_.reserve(shards_.size());
  for (const CacheShard& shard : shards_) {
    const absl::string_view inner = FolderOf(shard.file.raw.name);
    const auto [place, fresh] = known.try_emplace({shard.folder, inner}, places_.size());
    place_of_.push_back(place->second);
    if (!fresh) continue;
    const CacheFolder& folder = folders_[shard.folder];
    std::error_code error;
    const fs::path path = fs::path(folder.path) / std::string(inner);
    const fs::path canonical = fs::weakly_canonical(fs::absolute(path), error);
    std::string text = (error ? path : canonical).string();
    if (text.size() > 1 && text.back() == '/') text.pop_back();
    const bool cached =
        folder.source != nullptr && !IsSameFolder(*folder.source, SentFile(shard.file).name, text);
    places_.push_back({std::move(text), cached});
  }
}

void ShardCache::FindLargest() {
  for (size_t i = 0; i < shards_.size(); ++i) {
    const ShardFile& file = shards_[i].file;
    const uint64_t bytes = file.raw.bytes + (file.zip ? file.zip->bytes : 0);
    if (!places_[place_of_[i]].cached || bytes < largest_bytes_) continue;
    largest_bytes_ = bytes;
    largest_ = &SentFile(file);
  }
}

absl::Status ShardCache::CheckLimit() const {
  const uint64_t least = largest_bytes_ + options_.index_bytes;
  if (options_.limit == 0 || largest_ == nullptr || least <= options_.limit) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the cache's limit is ", options_.limit, " bytes; the least that works is ",
                   least, ": ", largest_->name, " takes ", largest_bytes_,
                   " with its compressed form, the index files ", options_.index_bytes));
}

absl::Status ShardCache::OpenSpace() {
  std::map<std::string, CacheSpace::Files> folders;
  for (size_t i = 0; i < shards_.size(); ++i) {
    const Place& place = places_[place_of_[i]];
    if (!place.cached) continue;
    CacheSpace::Files& files = folders[place.path];
    for (const FileInfo* file : {&shards_[i].file.raw, &SentFile(shards_[i].file)}) {
      const auto [known, fresh] = files.try_emplace(WithoutFolder(file->name), file->bytes);
      if (known->second == file->bytes) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(place.path, ": two shards are both ", file->name, ", of ", known->second,
                       " and of ", file->bytes, " bytes; each set needs a folder of its own"));
    }
  }
  for (const Place& place : places_) RemoveAbandonedFiles(place.path);
  TESSERA_ASSIGN_OR_RETURN(
      space_, CacheSpace::Open({options_.limit, options_.index_bytes, options_.patience,
                                [this] { mappings_.CloseIdle(); }},
                               std::move(folders)));
  return absl::OkStatus();
}

ShardCache::Shard ShardCache::At(size_t number, const absl::Notification* stop) const {
  const CacheShard& shard = shards_[number];
  const Place& place = places_[place_of_[number]];
  const auto path = [&](const FileInfo& file) {
    return absl::StrCat(place.path, "/", WithoutFolder(file.name));
  };
  return Shard{.number = number,
               .file = shard.file,
               .folder = folders_[shard.folder],
               .place = place,
               .raw_path = path(shard.file.raw),
               .zip_path = shard.file.zip ? path(*shard.file.zip) : "",
               .stop = stop};
}

absl::StatusOr<ShardCache::Mapping> ShardCache::Acquire(size_t shard,
                                                        const absl::Notification* stop) {
  if (Mapping mapping = mappings_.Find(shard)) return mapping;
  while (true) {
    bool loaded = false;
    const auto load = [&] {
      loaded = true;
      return Load(At(shard, stop));
    };
    absl::StatusOr<Mapping> mapping = mappings_.FindOrLoad(shard, load, stop);
    if (!absl::IsCancelled(mapping.status()) || loaded) return mapping;
    if (stop != nullptr && stop->HasBeenNotified()) return mapping;
    // The one that this waited for was stopped.
  }
}

bool ShardCache::Claim(uint64_t bytes) { return space_->Claim(bytes, largest_bytes_); }

CacheStats ShardCache::Stats() const {
  return {hits_, misses_, space_->evictions(), verify_failures_, space_->Used().value_or(0)};
}

absl::StatusOr<ShardCache::Mapping> ShardCache::Load(const Shard& shard) {
  const auto differs = [](const absl::Status& status) { return absl::IsDataLoss(status); };
  absl::StatusOr<Mapping> found = MapFound(shard);
  if (found.ok() || !(absl::IsNotFound(found.status()) || differs(found.status()))) return found;
  if (!shard.place.cached && (differs(found.status()) || !Exists(shard.zip_path))) {
    if (differs(found.status())) ++verify_failures_;
    return absl::Status(
        found.status().code(),
        absl::StrCat(found.status().message(), "; there is no source to fetch it from"));
  }

  // Under this lock alone a shard's files get their names. Bytes 0 and 1 are the space's.
  const absl::string_view name = WithoutFolder(shard.raw_path);
  const uint64_t byte = 2 + (XXH3_64bits(name.data(), name.size()) >> 2);
  const absl::StatusOr<FileLock> lock =
      FileLock::Wait(LockPath(shard.place.path), byte, shard.stop);
  if (!lock.ok()) return Annotate(lock.status(), absl::StrCat("cannot make ", shard.raw_path));
  found = MapFound(shard);  // another may have made it meanwhile
  if (found.ok()) return found;
  if (differs(found.status())) {
    ++verify_failures_;
    unlink(shard.raw_path.c_str());
  } else if (!absl::IsNotFound(found.status())) {
    return found;
  }
  ++misses_;
  return Make(shard);
}

absl::StatusOr<ShardCache::Mapping> ShardCache::MapFound(const Shard& shard) {
  TESSERA_ASSIGN_OR_RETURN(FileDescriptor file, OpenPinned(shard.raw_path));
  const int descriptor = file.get();
  TESSERA_ASSIGN_OR_RETURN(Mapping mapping,
                           MappedFile::FromDescriptor(file.Release(), shard.raw_path));
  std::atomic<bool>& verified = verified_[shard.number];
  const absl::Status good = CheckContents(shard.file.raw, mapping->contents(),
                                          verified ? "" : shard.folder.validate_hash);
  if (!good.ok()) return Annotate(good, shard.raw_path);
  if (!verified.exchange(true) && shard.place.cached && !shard.folder.keep_zip &&
      !shard.zip_path.empty()) {
    RemoveIfUnpinned(shard.zip_path);  // left by a process that kept it, or died
  }
  if (shard.place.cached) space_->Touch(descriptor);
  ++hits_;
  return mapping;
}

absl::StatusOr<ShardCache::Mapping> ShardCache::Make(const Shard& shard) {
  if (Exists(shard.zip_path)) {
    absl::StatusOr<Mapping> made = DecompressFound(shard);
    // Damaged, or evicted while room was made.
    const bool lost = absl::IsDataLoss(made.status()) || absl::IsNotFound(made.status());
    if (!lost || !shard.place.cached) return made;
  }
  return Fetch(shard);
}

absl::StatusOr<ShardCache::Mapping> ShardCache::DecompressFound(const Shard& shard) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<TempFile> made, Reserve(shard, /*with_zip=*/false));
  TESSERA_ASSIGN_OR_RETURN(FileDescriptor file, OpenPinned(shard.zip_path));
  TESSERA_ASSIGN_OR_RETURN(const Mapping zip,
                           MappedFile::FromDescriptor(file.Release(), shard.zip_path));
  const absl::Status good =
      CheckAndDecompress(shard.file, zip->contents(), shard.folder.validate_hash,
                         shard.folder.expander, made.front().descriptor());
  if (!good.ok()) {
    if (absl::IsDataLoss(good)) ++verify_failures_;
    if (absl::IsDataLoss(good) && shard.place.cached) unlink(shard.zip_path.c_str());
    return Annotate(good, shard.zip_path);
  }
  TESSERA_ASSIGN_OR_RETURN(Mapping mapping, Publish(shard, std::move(made.front())));
  if (shard.place.cached && !shard.folder.keep_zip) unlink(shard.zip_path.c_str());
  return mapping;
}

absl::StatusOr<ShardCache::Mapping> ShardCache::Fetch(const Shard& shard) {
  const FileInfo& sent = SentFile(shard.file);
  const bool zipped = shard.file.zip.has_value();
  const std::string& algorithm = shard.folder.validate_hash;
  for (int attempt = 1;; ++attempt) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<TempFile> made, Reserve(shard, zipped));
    TempFile& raw = made.front();
    TempFile& target = made.back();
    TESSERA_RETURN_IF_ERROR(
        shard.folder.source->Fetch(sent.name, sent.bytes, target.descriptor(), shard.stop));
    TESSERA_ASSIGN_OR_RETURN(const Mapping fetched, Map(target, shard.raw_path));
    const absl::Status good = zipped
                                  ? CheckAndDecompress(shard.file, fetched->contents(), algorithm,
                                                       shard.folder.expander, raw.descriptor())
                                  : CheckContents(sent, fetched->contents(), algorithm);
    if (good.ok()) {
      if (zipped && shard.folder.keep_zip) {
        TESSERA_RETURN_IF_ERROR(space_->Publish(std::move(target)).status());
      }
      return Publish(shard, std::move(raw));
    }
    const std::string uri = shard.folder.source->Uri(sent.name);
    if (!absl::IsDataLoss(good)) return Annotate(good, uri);
    ++verify_failures_;
    if (attempt >= options_.attempts) {
      return absl::DataLossError(absl::StrCat(uri, ": fetched ", attempt, " times, but ",
                                              good.message(),
                                              "; the store's file or the index is wrong"));
    }
  }
}

absl::StatusOr<std::vector<TempFile>> ShardCache::Reserve(const Shard& shard, bool with_zip) {
  std::vector<CacheSpace::Want> wants = {{shard.raw_path, shard.file.raw.bytes}};
  if (with_zip) wants.push_back({shard.zip_path, shard.file.zip->bytes});
  return shard.place.cached ? space_->Reserve(wants, shard.stop) : CreateFiles(wants);
}

absl::StatusOr<ShardCache::Mapping> ShardCache::Publish(const Shard& shard, TempFile raw) {
  TESSERA_ASSIGN_OR_RETURN(FileDescriptor file,
                           shard.place.cached ? space_->Publish(std::move(raw)) : raw.Publish());
  verified_[shard.number] = true;
  if (shard.place.cached) space_->Touch(file.get());
  return MappedFile::FromDescriptor(file.Release(), shard.raw_path);
}

}  // namespace tessera
