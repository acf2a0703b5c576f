#ifndef TESSERA_DATA_TRANSFORMS_CHECK_SAMPLE_H_
#define TESSERA_DATA_TRANSFORMS_CHECK_SAMPLE_H_

#include "absl/status/status.h"
#include "data/image/image.h"

namespace tessera {

// An error unless `image` has pixels of 3 channels.
absl::Status CheckImage(const Image& image);

// An error unless, besides, `mask` has 1 channel and the size of the image.
absl::Status CheckSample(const Image& image, const Image& mask);

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_CHECK_SAMPLE_H_
