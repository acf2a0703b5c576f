#ifndef TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// A view of an MDS shard file: a 32-bit count n, n + 1 32-bit offsets, a JSON text that readers do
// not need, and the samples. Any bytes may be looked at: a sample that is given out lies in them.
class MdsShard {
 public:
  // `contents` of the file, and the number of samples that its index says.
  MdsShard(absl::string_view contents, uint64_t samples) : contents_(contents), samples_(samples) {}

  // The bytes of sample `index`. An error if there's no such sample, the count is another, or the
  // sample's offsets are not in order and within the file.
  absl::StatusOr<absl::string_view> Get(uint64_t index) const;

  // An error, which says what was found and expected, if the count is another, or if not all
  // offsets lie in order within the file and end where it does.
  absl::Status Check() const;

 private:
  absl::Status CheckHeader() const;

  absl::string_view contents_;
  uint64_t samples_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_SHARD_H_
