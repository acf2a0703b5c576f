#ifndef TESSERA_DATA_IMAGE_ENCODE_H_
#define TESSERA_DATA_IMAGE_ENCODE_H_

#include <string>

#include "absl/status/statusor.h"
#include "data/image/image.h"

namespace tessera {

// The PNG file of an image of 1 (gray, 8 bits) or 3 (RGB) channels.
absl::StatusOr<std::string> EncodePng(const Image& image);

// The baseline JPEG file of an image of 1 or 3 channels; `quality` 1 to 100, chroma 4:2:0.
absl::StatusOr<std::string> EncodeJpeg(const Image& image, int quality);

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_ENCODE_H_
