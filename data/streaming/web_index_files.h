#ifndef TESSERA_DATA_STREAMING_WEB_INDEX_FILES_H_
#define TESSERA_DATA_STREAMING_WEB_INDEX_FILES_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/webdataset/bad_shard.h"
#include "data/formats/webdataset/tar_index.h"
#include "data/formats/webdataset/tar_index_file.h"
#include "data/streaming/stream_place.h"

namespace tessera {

// The indexes of a WebDataset's shards, in files beside them. `name` is that of a shard's file in
// the store. May be used from several threads at once.
class WebIndexFiles {
 public:
  WebIndexFiles(StreamPlace place, BadShard bad_shard);

  const StreamPlace& place() const { return place_; }
  BadShard bad_shard() const { return bad_shard_; }

  // `.NAME.tessera.index`
  static std::string IndexName(const std::string& name);

  // A compressed shard's tar: a name that no other shard of the set has.
  static std::string ExpandedName(const std::string& name) { return name + ".expanded"; }

  // Whether a shard is read where it is, and not through a cache.
  bool InPlace(const std::string& name) const;

  // By what a shard's file is known: its size and, in place, its time. The store is asked for the
  // size if the caller does not know it.
  absl::StatusOr<TarStamp> CurrentStamp(const std::string& name,
                                        std::optional<uint64_t> bytes) const;

  // The index that is kept, if this run can use it: what another left out is damage under kStop.
  std::optional<SavedTarIndex> Load(const std::string& name) const;

  // Whether the very tar of an index is in the cache, so that the store need not be asked.
  bool IsCached(const std::string& name, const SavedTarIndex& saved) const;

  // The index of a tar. Damage is DataLoss, or left out.
  absl::StatusOr<TarIndex> Build(const std::string& name, const TarStamp& stamp,
                                 absl::string_view tar) const;

  // Keeps an index. If it would stand in a cache's folder, `claim` is asked for its bytes before:
  // false where it refuses. An index that cannot be written is as good for this run; the log says
  // so once.
  bool Save(const std::string& name, const TarIndex& index, const TarStamp& stamp,
            absl::FunctionRef<bool(uint64_t)> claim);

  // The most bytes that the file of an index has.
  static uint64_t MostBytes(const TarIndex& index);

  // The size of a file in a cache's folder; 0: it is not there, or the folder is no cache.
  uint64_t CachedBytes(const std::string& name) const;

 private:
  const StreamPlace place_;
  const BadShard bad_shard_;
  std::atomic<bool> told_unsaved_ = false;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_WEB_INDEX_FILES_H_
