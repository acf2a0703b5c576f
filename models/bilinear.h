#ifndef TESSERA_MODELS_BILINEAR_H_
#define TESSERA_MODELS_BILINEAR_H_

#include <cstdint>
#include <vector>

namespace tessera {

// Bilinear resize of one axis, seen from the coarse side. Between two neighbouring coarse cells the
// resized value is linear, so the outputs fall into runs: run i holds the outputs between cells i
// and i + 1, output = (1 - fraction) x cell[i] + fraction x cell[i + 1].
//
// The positions are those of torch's upsample_bilinear2d for a size (not a scale factor). Outputs
// on or past the last cell belong to the last run with fraction 0.
struct BilinearAxis {
  std::vector<int64_t> begin;   // [coarse + 1]: run i is the outputs begin[i] to begin[i + 1]
  std::vector<float> fraction;  // [fine]

  int64_t coarse() const { return static_cast<int64_t>(begin.size()) - 1; }
  int64_t fine() const { return static_cast<int64_t>(fraction.size()); }
};

// coarse and fine: at least 1.
BilinearAxis MakeBilinearAxis(int64_t coarse, int64_t fine, bool align_corners);

}  // namespace tessera

#endif  // TESSERA_MODELS_BILINEAR_H_
