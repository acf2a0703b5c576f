#ifndef TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"

namespace tessera {

// The samples of one MDS shard file: a 32-bit count n, n + 1 32-bit offsets, a JSON text that
// readers do not need, and the samples.
class MdsShard {
 public:
  // A view of `file`, which it keeps. A count other than `samples` (from the index), or offsets
  // that do not lie in order within the file and end where it does are errors that say what was
  // found.
  static absl::StatusOr<std::shared_ptr<const MdsShard>> Create(
      std::shared_ptr<const MappedFile> file, uint64_t samples);

  // Maps the file at `path`; a size other than `bytes` is an error, too.
  static absl::StatusOr<std::shared_ptr<const MdsShard>> Open(const std::string& path,
                                                              uint64_t bytes, uint64_t samples);

  uint64_t size() const { return size_; }

  // The bytes of sample `index`, below size(): a view that lives as long as the shard.
  absl::string_view Get(uint64_t index) const;

 private:
  MdsShard(std::shared_ptr<const MappedFile> file, uint64_t size);

  std::shared_ptr<const MappedFile> file_;
  absl::string_view bytes_;  // of the file
  uint64_t size_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_
