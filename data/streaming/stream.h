#ifndef TESSERA_DATA_STREAMING_STREAM_H_
#define TESSERA_DATA_STREAMING_STREAM_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/streaming/cache/shard_file.h"

namespace tessera {

// One part of a sample: a column of MDS, a file of WebDataset.
struct Part {
  absl::string_view name;      // column, or extension; "__key__" is the key of a WebDataset sample
  absl::string_view encoding;  // of MDS; empty in WebDataset
  absl::string_view value;
};

using Parts = absl::InlinedVector<Part, 8>;

// The shards of one stream, and how samples lie in them. May be used from several threads at once.
class Stream {
 public:
  virtual ~Stream() = default;

  virtual size_t num_shards() const = 0;
  virtual const ShardFile& file(size_t shard) const = 0;
  virtual int64_t num_samples(size_t shard) const = 0;

  // Bytes of the stream's index files in the folder of the cache.
  virtual uint64_t index_bytes() const = 0;

  // An error if it is known that some sample lacks a part of these names.
  virtual absl::Status RequireParts(absl::Span<const absl::string_view> names) const = 0;

  // Sets `parts` to views of `contents`, the file of a shard, and of this stream. Bytes that are
  // not those of such a shard are an error.
  virtual absl::Status Read(size_t shard, absl::string_view contents, int64_t sample,
                            Parts* parts) const = 0;

  // Checks that the whole of a shard's file is as it should be, beyond what Read needs.
  virtual absl::Status Check(size_t shard, absl::string_view contents) const = 0;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_STREAM_H_
