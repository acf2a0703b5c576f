#ifndef TESSERA_DATA_IMAGE_DECODE_H_
#define TESSERA_DATA_IMAGE_DECODE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "data/image/image.h"

namespace tessera {

// Decodes the file contents `bytes`, JPEG or PNG by content whatever its name was, into 8-bit RGB
// (3 channels). Gray, palette, CMYK, YCCK, alpha (dropped) and 16-bit images are converted as
// Pillow's convert("RGB") does. EXIF orientation is not applied: pixels stay as stored, so that
// they match a mask. An image that is cut short or damaged is an error, never a picture with gray
// in it.
absl::Status DecodeRgb(absl::string_view bytes, Image* image);

// Decodes a PNG mask into class indices (1 channel): palette images give their indices, gray images
// of 1, 2, 4 or 8 bits their values unscaled. Images of 3 channels, 16 bits or JPEG are refused
// with the reason.
absl::Status DecodeMask(absl::string_view bytes, Image* mask);

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_DECODE_H_
