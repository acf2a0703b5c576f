#ifndef TESSERA_DATA_FORMATS_IDX_IDX_H_
#define TESSERA_DATA_FORMATS_IDX_IDX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// An array of bytes in MNIST's format: http://yann.lecun.com/exdb/mnist, "the IDX file format".
struct IdxArray {
  std::vector<int64_t> dims;
  std::string values;  // uint8, the last dimension fastest
};

// Reads the contents of an idx file, packed by gzip or not. Errors say what was found and expected:
// a file that is empty, cut short or too long, or holds numbers other than unsigned bytes.
absl::StatusOr<IdxArray> ParseIdx(absl::string_view bytes);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_IDX_IDX_H_
