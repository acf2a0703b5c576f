#include "data/streaming/cache/fake_source.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "data/formats/compression/compression.h"
#include "data/formats/hash/hash.h"

namespace tessera {
namespace {

// Text that compresses, but not to nothing.
std::string Contents(int shard, uint64_t bytes) {
  std::string text;
  for (uint64_t state = shard + 1; text.size() < bytes;) {
    state = state * 6364136223846793005 + 1442695040888963407;
    absl::StrAppend(&text, "shard ", shard, " ", state >> 40, "\n");
  }
  text.resize(bytes);
  return text;
}

FileInfo Describe(const std::string& name, const std::string& contents) {
  return {name, contents.size(), {{"xxh64", *HashHex("xxh64", contents)}}};
}

}  // namespace

std::vector<CacheShard> FakeSet::CacheShards() const {
  std::vector<CacheShard> result;
  for (const ShardFile& shard : shards) result.push_back({0, shard});
  return result;
}

uint64_t FakeSet::LargestBytes() const {
  uint64_t most = 0;
  for (const ShardFile& shard : shards) {
    most = std::max(most, shard.raw.bytes + (shard.zip ? shard.zip->bytes : 0));
  }
  return most;
}

FakeSet MakeFakeSet(int shards, uint64_t bytes, const std::string& compression) {
  FakeSet set;
  for (int i = 0; i < shards; ++i) {
    const std::string name = absl::StrFormat("shard.%05d.mds", i);
    std::string contents = Contents(i, bytes + i);
    ShardFile shard{Describe(name, contents), std::nullopt, compression};
    if (compression.empty()) {
      set.store[name] = contents;
    } else {
      const Codec codec = *Codec::Parse(compression);
      const std::string zip = *codec.Compress(contents);
      const std::string zip_name = absl::StrCat(name, ".", codec.extension());
      shard.zip = Describe(zip_name, zip);
      set.store[zip_name] = zip;
    }
    set.shards.push_back(std::move(shard));
    set.contents.push_back(std::move(contents));
  }
  return set;
}

std::string FakeSource::Uri(absl::string_view name) const {
  return absl::StrCat("fake://store/", name);
}

std::optional<std::string> FakeSource::LocalPath(absl::string_view name) const {
  if (local_folder.empty()) return std::nullopt;
  return absl::StrCat(local_folder, "/", name);
}

absl::Status FakeSource::Fetch(absl::string_view name, uint64_t bytes, int file,
                               const absl::Notification* stop) const {
  const auto found = store_.find(std::string(name));
  if (found == store_.end()) return absl::NotFoundError(absl::StrCat(Uri(name), ": not found"));
  std::string contents = found->second;
  const int before = fetches_++;
  if (on_fetch) {
    if (absl::Status status = on_fetch(name, before, contents); !status.ok()) return status;
  }
  if (stop != nullptr && stop->HasBeenNotified()) return absl::CancelledError("stopped");
  constexpr size_t kPiece = 4096;
  for (size_t offset = 0; offset < contents.size(); offset += kPiece) {
    const size_t count = std::min(kPiece, contents.size() - offset);
    if (pwrite(file, contents.data() + offset, count, offset) != static_cast<ssize_t>(count)) {
      return absl::ErrnoToStatus(errno, Uri(name));
    }
    std::this_thread::yield();
  }
  return absl::OkStatus();
}

}  // namespace tessera
