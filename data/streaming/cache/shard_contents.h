#ifndef TESSERA_DATA_STREAMING_CACHE_SHARD_CONTENTS_H_
#define TESSERA_DATA_STREAMING_CACHE_SHARD_CONTENTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "data/streaming/cache/shard_file.h"

namespace tessera {

// The file of a shard that is sent: the compressed one where there is one.
const FileInfo& SentFile(const ShardFile& shard);

// What the index gives as the file's hash; null: nothing.
const FileInfo::Hash* FindHash(const FileInfo& file, absl::string_view algorithm);

// DataLoss, with what was found and expected, where these are not the contents of `file`. The hash
// `algorithm` is compared too unless it is empty or not in the index.
absl::Status CheckContents(const FileInfo& file, absl::string_view contents,
                           absl::string_view algorithm);

// Checks the compressed file `zip` of a shard and writes what it holds to the descriptor `raw`, by
// way of `expander` or, where that is null, of the Codec that the shard's compression names.
// DataLoss where it is not the one of the index, or damaged.
absl::Status CheckAndDecompress(const ShardFile& shard, absl::string_view zip,
                                absl::string_view algorithm, const ShardExpander& expander,
                                int raw);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_SHARD_CONTENTS_H_
