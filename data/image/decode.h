#ifndef TESSERA_DATA_IMAGE_DECODE_H_
#define TESSERA_DATA_IMAGE_DECODE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/image/image.h"
#include "data/image/image_info.h"
#include "data/image/stored_image.h"

namespace tessera {

// All functions tell JPEG and PNG by content, whatever the file was called, and may be called from
// any number of threads. Errors say what the bytes look like; the caller adds the file's name.

// Decodes the file contents `bytes` into 8-bit RGB (3 channels). Gray, palette, CMYK, YCCK and
// alpha (dropped) are converted as Pillow's convert("RGB") does; 16 bits keep their high byte, gray
// too, which Pillow would cut at 255. EXIF orientation is not applied: pixels stay as stored, so
// that they match a mask. An image that is cut short or damaged is an error, never a picture with
// gray in it. After an error `*image` is unspecified.
//
// Pixels of JPEG are those of libjpeg-turbo with its accurate DCT and smooth chroma upsampling;
// another decoder may differ by a few units, and by more at edges of colour.
absl::Status DecodeRgb(absl::string_view bytes, Image* image);

// Decodes a PNG mask into class indices (1 channel): palette images give their indices, gray images
// of 1, 2, 4 or 8 bits their values unscaled. Images of 2 or more channels, 16 bits or JPEG are
// refused with the reason.
absl::Status DecodeMask(absl::string_view bytes, Image* mask);

// The same for what a set keeps: pixels of 1 or 3 channels are copied, files decoded as above.
absl::Status DecodeRgb(const StoredImage& stored, Image* image);
absl::Status DecodeMask(const StoredImage& stored, Image* mask);

// Format, size and channels, from the headers alone: the pixels may still be cut short or damaged.
absl::StatusOr<ImageInfo> ReadImageInfo(absl::string_view bytes);

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_DECODE_H_
