#ifndef TESSERA_DATA_STREAMING_CACHE_SHARD_FILE_H_
#define TESSERA_DATA_STREAMING_CACHE_SHARD_FILE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera {

// What a set's index says of one file.
struct FileInfo {
  std::string name;  // relative to the index; may hold folders
  uint64_t bytes = 0;
  struct Hash {
    std::string algorithm;  // "sha1", "xxh64", ...
    std::string hex;
  };
  std::vector<Hash> hashes;
};

// A shard: its file as it is read, and the compressed one that stands for it in the store.
struct ShardFile {
  FileInfo raw;
  std::optional<FileInfo> zip;
  std::string compression;  // of `zip`: "zstd:7", ...
};

// Gives `sink` what the compressed file `zip` of a shard holds, in pieces. DataLoss, with the byte,
// where it is damaged or cut short; an error of the sink is handed on.
using ShardExpander = std::function<absl::Status(
    absl::string_view zip, absl::FunctionRef<absl::Status(absl::string_view)> sink)>;

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_SHARD_FILE_H_
