#include "data/transforms/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera {

ImageSize ScaleShortSide(ImageSize size, int short_side) {
  const int64_t shorter = std::min(size.height, size.width);
  const int64_t longer = std::max(size.height, size.width);
  const int long_side = static_cast<int>(longer * short_side / shorter);
  return size.height < size.width ? ImageSize{short_side, long_side}
                                  : ImageSize{long_side, short_side};
}

ImageSize ScaleInside(ImageSize size, int long_side, int short_side) {
  const double scale =
      std::min(static_cast<double>(long_side) / std::max(size.height, size.width),
               static_cast<double>(short_side) / std::min(size.height, size.width));
  const auto scaled = [scale](int side) {
    return std::max(1, static_cast<int>(std::lround(side * scale)));
  };
  return {scaled(size.height), scaled(size.width)};
}

}  // namespace tessera
