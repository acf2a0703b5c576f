#ifndef TESSERA_DATA_TRANSFORMS_SCRATCH_H_
#define TESSERA_DATA_TRANSFORMS_SCRATCH_H_

#include <cstdint>
#include <vector>

#include "data/transforms/resample.h"

namespace tessera {

// Buffers of the transforms. A thread keeps one and uses it for every sample: once they have grown
// to the largest sample, no call allocates. The contents mean nothing between calls.
struct TransformScratch {
  AxisPlan rows;
  AxisPlan columns;
  ResampleScratch resample;
  std::vector<int32_t> mask_rows;
  std::vector<int32_t> mask_columns;
};

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_SCRATCH_H_
