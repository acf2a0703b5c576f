#ifndef TESSERA_DATA_TRANSFORMS_PHOTOMETRIC_H_
#define TESSERA_DATA_TRANSFORMS_PHOTOMETRIC_H_

#include "data/random/philox.h"
#include "data/transforms/transforms.pb.h"

namespace tessera {

// Photometric distortion in the order of SSD (Liu et al. 2016) and mmsegmentation: brightness,
// contrast (or at the end), saturation, hue, contrast. Values stay within 0 to 255 after each part
// and are never rounded.
//
// Saturation and hue are those of HSV: V = max, S = (max - min) / max. A factor of saturation
// multiplies S, at most to 1, and moves the two smaller channels towards or away from V; hue turns
// the colour wheel, red to yellow to green, by a share of a full turn.
struct Photometric {
  float brightness = 1;
  float contrast_first = 1;
  float saturation = 1;
  float hue = 0;
  float contrast_last = 1;
};

// Draws the parts. As many random numbers are used whatever is drawn or turned off.
Photometric DrawPhotometric(const TrainTransforms& config, Philox& random);

// In place, on `pixels` of R G B, 0 to 255.
void ApplyPhotometric(const Photometric& photometric, float* row, int pixels);

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_PHOTOMETRIC_H_
