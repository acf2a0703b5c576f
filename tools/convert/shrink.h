#ifndef TESSERA_TOOLS_CONVERT_SHRINK_H_
#define TESSERA_TOOLS_CONVERT_SHRINK_H_

#include "data/image/image.h"

namespace tessera {

// Makes an image of 3 channels smaller, so that its short side becomes `short_side`: bilinear and
// antialiased, rounded, as Pillow does. False, and `image` as it was, where it is no longer.
bool ShrinkImage(int short_side, Image* image);

// The same for a mask of 1 channel, by the nearest pixel centre.
bool ShrinkMask(int short_side, Image* mask);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_SHRINK_H_
