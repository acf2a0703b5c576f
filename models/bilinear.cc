#include "models/bilinear.h"

#include <algorithm>
#include <cmath>

namespace tessera {

BilinearAxis MakeBilinearAxis(int64_t coarse, int64_t fine, bool align_corners) {
  BilinearAxis axis;
  axis.begin.assign(coarse + 1, fine);
  axis.begin[0] = 0;
  axis.fraction.resize(fine);
  const double scale = align_corners
                           ? (fine > 1 ? static_cast<double>(coarse - 1) / (fine - 1) : 0.0)
                           : static_cast<double>(coarse) / fine;
  int64_t run = 0;
  for (int64_t i = 0; i < fine; ++i) {
    const double position = align_corners ? i * scale : std::max(0.0, (i + 0.5) * scale - 0.5);
    const int64_t cell = std::min(static_cast<int64_t>(position), coarse - 1);
    while (run < cell) axis.begin[++run] = i;
    axis.fraction[i] = cell == coarse - 1 ? 0.0f : static_cast<float>(position - cell);
  }
  return axis;
}

}  // namespace tessera
