#ifndef TESSERA_TOOLS_SAMPLE_WRITER_H_
#define TESSERA_TOOLS_SAMPLE_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/storage/store.h"

namespace tessera {

enum class ShardFormat { kMds, kWebDataset };

// "mds" or "webdataset"; all else is an error that lists these.
absl::StatusOr<ShardFormat> ParseShardFormat(absl::string_view text);

// Writes images with their masks to shards.
class SampleWriter {
 public:
  virtual ~SampleWriter() = default;

  // `image` is a JPEG or PNG file, `mask` a PNG file.
  virtual absl::Status Write(const std::string& name, const std::string& image,
                             const std::string& mask) = 0;

  // Writes what is left. Called once; nothing can be written after it.
  virtual absl::Status Finish() = 0;

  virtual int64_t num_shards() const = 0;

  // The fields of data.streaming, but for the place, with which the shards are read; empty: the
  // defaults.
  virtual std::string Settings() const = 0;
};

// MDS has the columns of MosaicML's ADE20K set: uid (bytes), x (jpeg) and y (png). WebDataset has
// the files NAME.image.jpg (or .png: all images are of one kind) and NAME.mask.png, and an index
// shardindex.json as widsindex writes it. The index is written last: without it there is no set.
absl::StatusOr<std::unique_ptr<SampleWriter>> MakeSampleWriter(ShardFormat format,
                                                               std::shared_ptr<Store> store,
                                                               uint64_t size_limit);

// AlreadyExists where `store` has a set of this format.
absl::Status CheckIsFree(ShardFormat format, Store& store);

}  // namespace tessera

#endif  // TESSERA_TOOLS_SAMPLE_WRITER_H_
