#ifndef TESSERA_DATA_STREAMING_CACHE_SHARD_FILE_H_
#define TESSERA_DATA_STREAMING_CACHE_SHARD_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_SHARD_FILE_H_
