#ifndef TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// One MDS shard file, mapped into memory: a 32-bit count n, n + 1 32-bit offsets, a JSON text that
// readers do not need, and the samples.
class MdsShard {
 public:
  // Maps the file. A size other than `bytes`, a count other than `samples` (both from the index),
  // or offsets that do not lie in order within the file are errors that say what was found.
  static absl::StatusOr<std::shared_ptr<const MdsShard>> Open(const std::string& path,
                                                              uint64_t bytes, uint64_t samples);
  ~MdsShard();
  MdsShard(const MdsShard&) = delete;
  MdsShard& operator=(const MdsShard&) = delete;

  uint64_t size() const { return size_; }

  // The bytes of sample `index`, below size(): a view that lives as long as the shard.
  absl::string_view Get(uint64_t index) const;

 private:
  MdsShard(const char* data, uint64_t bytes, uint64_t size)
      : data_(data), bytes_(bytes), size_(size) {}

  uint64_t Offset(uint64_t index) const;
  absl::Status Check(const std::string& path) const;

  const char* data_;
  uint64_t bytes_;
  uint64_t size_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_
