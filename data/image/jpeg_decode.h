#ifndef TESSERA_DATA_IMAGE_JPEG_DECODE_H_
#define TESSERA_DATA_IMAGE_JPEG_DECODE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/image/image.h"
#include "data/image/image_info.h"

namespace tessera {

// Decodes a JPEG, baseline or progressive, of any colour space into RGB, as libjpeg-turbo and
// Pillow do by default: accurate integer DCT (islow), smooth ("fancy") chroma upsampling; CMYK is
// taken to be stored inverted, as Adobe does. A file that ends before its end-of-image marker or
// whose entropy-coded data is damaged is an error; bytes behind that marker are not looked at.
absl::Status DecodeJpeg(absl::string_view bytes, Image* image);

absl::StatusOr<ImageInfo> ReadJpegInfo(absl::string_view bytes);

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_JPEG_DECODE_H_
