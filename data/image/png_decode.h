#ifndef TESSERA_DATA_IMAGE_PNG_DECODE_H_
#define TESSERA_DATA_IMAGE_PNG_DECODE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/image/image.h"
#include "data/image/image_info.h"

namespace tessera {

// Decodes a PNG of any colour type and depth into RGB. Alpha is dropped, gamma and colour profiles
// are not applied; gray below 8 bits is scaled to 0..255, 16 bits keep their high byte. Every
// checksum up to the end of the file is checked.
absl::Status DecodePngRgb(absl::string_view bytes, Image* image);

// Decodes a PNG of one channel and up to 8 bits into its stored values: palette indices or gray
// levels, unscaled.
absl::Status DecodePngIndices(absl::string_view bytes, Image* mask);

absl::StatusOr<ImageInfo> ReadPngInfo(absl::string_view bytes);

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_PNG_DECODE_H_
