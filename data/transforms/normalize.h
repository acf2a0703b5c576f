#ifndef TESSERA_DATA_TRANSFORMS_NORMALIZE_H_
#define TESSERA_DATA_TRANSFORMS_NORMALIZE_H_

#include <array>

#include "absl/status/statusor.h"
#include "data/transforms/transforms.pb.h"

namespace tessera {

// (x - mean) / std for each channel of R G B, as one multiplication and one addition.
class Normalizer {
 public:
  // Fills in the defaults; an error if a field has not 3 values or a std is not positive.
  static absl::StatusOr<Normalizer> Create(const Normalization& config);

  // In place, `pixels` of 3 floats each.
  void Apply(float* row, int pixels) const;

 private:
  // The three values over and over: a row is worked through 8 pixels at a time.
  static constexpr int kPeriod = 24;
  std::array<float, kPeriod> scale_{};
  std::array<float, kPeriod> offset_{};
};

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_NORMALIZE_H_
