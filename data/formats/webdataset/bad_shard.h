#ifndef TESSERA_DATA_FORMATS_WEBDATASET_BAD_SHARD_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_BAD_SHARD_H_

#include <cstdint>
#include <string>

namespace tessera {

// What becomes of a shard that is cut short, damaged, or against WebDataset's rules somewhere.
enum class BadShard {
  kStop,      // it is an error
  kSkipRest,  // the samples that are known to be whole before that place are used
};

// What is not used of a bad shard under kSkipRest.
struct LeftOut {
  uint64_t samples = 0;  // those that were seen; what lies beyond damage cannot be counted
  uint64_t bytes = 0;    // of the tar, from the first sample that is left out
  std::string reason;    // file, byte, found and expected; empty: nothing is left out

  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_BAD_SHARD_H_
