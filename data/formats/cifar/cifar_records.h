#ifndef TESSERA_DATA_FORMATS_CIFAR_CIFAR_RECORDS_H_
#define TESSERA_DATA_FORMATS_CIFAR_CIFAR_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera {

inline constexpr int kCifarSide = 32;
inline constexpr int kCifarImageBytes = 3 * kCifarSide * kCifarSide;

enum class CifarKind {
  kCifar10,
  kCifar100,        // the 100 fine labels
  kCifar100Coarse,  // the 20 superclasses
};

inline constexpr int NumClasses(CifarKind kind) {
  return kind == CifarKind::kCifar10 ? 10 : kind == CifarKind::kCifar100 ? 100 : 20;
}

// Adds the records of one file of the binary version of CIFAR
// (https://www.cs.toronto.edu/~kriz/cifar.html): pixels [32, 32, 3], interleaved as everywhere
// else, to `pixels`, and labels to `labels`. The files hold a label, or a coarse and a fine one,
// and planes of R, G and B. Errors: a size that no number of records has, and a label that is out
// of range.
absl::Status AppendCifarRecords(CifarKind kind, absl::string_view file, std::string* pixels,
                                std::vector<int64_t>* labels);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_CIFAR_CIFAR_RECORDS_H_
