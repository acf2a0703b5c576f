#ifndef TESSERA_DATA_IMAGE_IMAGE_INFO_H_
#define TESSERA_DATA_IMAGE_IMAGE_INFO_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera {

enum class ImageFormat { kJpeg, kPng };

// What the headers of an image file say.
struct ImageInfo {
  ImageFormat format = ImageFormat::kJpeg;
  int height = 0;
  int width = 0;
  // As stored: 1 gray or palette, 2 gray and alpha, 3 colour, 4 colour and alpha, or CMYK.
  int channels = 0;
};

// Largest image that is decoded: 16384 x 16384. A few bytes can announce far more.
inline constexpr int64_t kMaxPixels = int64_t{1} << 28;

inline absl::Status CheckPixelCount(int64_t height, int64_t width) {
  if (height * width <= kMaxPixels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("image is ", width, "x", height, ": more than ",
                                                 kMaxPixels, " pixels are refused"));
}

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_IMAGE_INFO_H_
